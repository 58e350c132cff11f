// SPDX-License-Identifier: BSD-3-Clause
#include "gemm_finder.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "../matmul/block_product.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace kmeans {
namespace {

template <class T>
class Products final : public GemmFinder<T> {
 public:
  explicit Products(const CentreTable<T>& table)
      : dimensions_(table.dimensions()),
        centres_(table.groups() * centres_together),
        half_squares_(static_cast<std::size_t>(centres_)),
        margin_factor_(table.margin_factor()),
        margin_rest_(table.margin_rest()),
        factors_(half_squares_.size() * static_cast<std::size_t>(dimensions_)),
        values_(static_cast<std::size_t>(std::min(centres_, gemm_centres)) * gemm_points) {
    for (int k = 0; k < centres_; ++k) {
      const T* const centre = table.group(k / centres_together) + k % centres_together;
      half_squares_[static_cast<std::size_t>(k)] = centre[0];
      for (int j = 0; j < dimensions_; ++j) row(k)[j] = centre[(j + 1) * centres_together];
    }
  }

  bool find(const T* turned, std::int32_t* labels) override {
    Least least;
    std::fill_n(least.values, gemm_points, std::numeric_limits<T>::infinity());
    std::fill_n(least.second, gemm_points, std::numeric_limits<T>::infinity());
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
    return doubt(turned, least, labels);
  }

 private:
  T* row(int k) { return factors_.data() + static_cast<std::ptrdiff_t>(k) * dimensions_; }

  /// The least two values of each point.
  struct Least {
    T values[gemm_points];
    T second[gemm_points];
  };

  void compare(int first, int count, Least& least, std::int32_t* labels) const {
    tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
      for (int k = 0; k < count; ++k) {
        const T* const products = values_.data() + static_cast<std::ptrdiff_t>(k) * gemm_points;
        const T half_square = half_squares_[static_cast<std::size_t>(first + k)];
        TESSERA_VECTORISED
        for (int i = 0; i < gemm_points; ++i) {
          const T value = products[i] + half_square;
          const bool is_less = value < least.values[i];
          const T greater = is_less ? least.values[i] : value;
          least.second[i] = greater < least.second[i] ? greater : least.second[i];
          least.values[i] = is_less ? value : least.values[i];
          labels[i] = is_less ? first + k : labels[i];
        }
      }
    });
  }

  /// Marks doubtful points. Returns whether there is one.
  bool doubt(const T* turned, const Least& least, std::int32_t* labels) const {
    T squares[gemm_points] = {};
    int count = 0;
    tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
      for (int j = 0; j < dimensions_; ++j) {
        const T* const line = turned + static_cast<std::ptrdiff_t>(j) * gemm_points;
        TESSERA_VECTORISED
        for (int i = 0; i < gemm_points; ++i) squares[i] += line[i] * line[i];
      }
      for (int i = 0; i < gemm_points; ++i) {
        const T margin = margin_factor_ * squares[i] + margin_rest_;
        const bool is_sure = least.second[i] - least.values[i] > margin;
        labels[i] = is_sure ? labels[i] : doubtful;
        count += is_sure ? 0 : 1;
      }
    });
    return count > 0;
  }

  int dimensions_;
  int centres_;
  std::vector<T> half_squares_;
  T margin_factor_;
  T margin_rest_;
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
