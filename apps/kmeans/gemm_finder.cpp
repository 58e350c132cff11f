// SPDX-License-Identifier: BSD-3-Clause
#include "gemm_finder.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "../matmul/block_product.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "tessera/view/vectorised.hpp"

namespace kmeans {
namespace {

template <class T>
class Products final : public GemmFinder<T> {
 public:
  explicit Products(const CentreTable<T>& table)
      : dimensions_(table.dimensions()),
        centres_(table.groups() * centres_together),
        half_squares_(static_cast<std::size_t>(centres_)),
        factors_(half_squares_.size() * static_cast<std::size_t>(dimensions_)),
        values_(static_cast<std::size_t>(std::min(centres_, gemm_centres)) * gemm_points) {
    for (int k = 0; k < centres_; ++k) {
      const T* const centre = table.group(k / centres_together) + k % centres_together;
      half_squares_[static_cast<std::size_t>(k)] = centre[0];
      for (int j = 0; j < dimensions_; ++j) row(k)[j] = centre[(j + 1) * centres_together];
    }
  }

  void find(const T* turned, std::int32_t* labels) override {
    T least[gemm_points];
    std::fill_n(least, gemm_points, std::numeric_limits<T>::infinity());
    std::fill_n(labels, gemm_points, 0);
    // The product reads the points only, but takes views that could be written.
    using Block = matmul::Block<T>;
    const auto dimensions = static_cast<std::size_t>(dimensions_);
    const Block points(const_cast<T*>(turned), dimensions, gemm_points);
    for (int first = 0; first < centres_; first += gemm_centres) {
      const int count = std::min(gemm_centres, centres_ - first);
      const auto rows = static_cast<std::size_t>(count);
      matmul::multiply<T>(1, Block(row(first), rows, dimensions), points, 0,
                          Block(values_.data(), rows, gemm_points));
      compare(first, count, least, labels);
    }
  }

 private:
  T* row(int k) { return factors_.data() + static_cast<std::ptrdiff_t>(k) * dimensions_; }

  void compare(int first, int count, T* least, std::int32_t* labels) const {
    tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
      for (int k = 0; k < count; ++k) {
        const T* const products = values_.data() + static_cast<std::ptrdiff_t>(k) * gemm_points;
        const T half_square = half_squares_[static_cast<std::size_t>(first + k)];
        TESSERA_VECTORISED
        for (int i = 0; i < gemm_points; ++i) {
          const T value = products[i] + half_square;
          const bool is_less = value < least[i];
          least[i] = is_less ? value : least[i];
          labels[i] = is_less ? first + k : labels[i];
        }
      }
    });
  }

  int dimensions_;
  int centres_;
  std::vector<T> half_squares_;
  /// The coordinates of the centres with the opposite sign, a row for each centre.
  std::vector<T> factors_;
  /// The products of the points with some centres, a row for each centre.
  std::vector<T> values_;
};

}  // namespace

bool can_use_gemm() { return matmul::multiplies_on_workers; }

template <class T>
std::unique_ptr<GemmFinder<T>> GemmFinder<T>::make(const CentreTable<T>& centres) {
  if (!can_use_gemm()) return nullptr;
  // Several threads multiply at the same time, each by itself.
  [[maybe_unused]] static const bool is_set = matmul::set_blas_threads(1);
  return std::make_unique<Products<T>>(centres);
}

template class GemmFinder<float>;
template class GemmFinder<double>;

}  // namespace kmeans
