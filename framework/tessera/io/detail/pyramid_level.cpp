// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/pyramid_level.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

namespace tessera::io::detail {
namespace {

/// Returns the mean of `count` values, which is 1, 2 or 4, from their sum.
template <class T, class Sum>
T mean(Sum sum, int count) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(sum / count);
  else
    return static_cast<T>((sum + count / 2) >> (count / 2));  // shifts of 0, 1 and 2 round down below 0, too
}

/// Halves two rows, or one if `second` is null.
template <class T>
void halve(const T* first, const T* second, std::int64_t columns, std::int64_t channels, T* result) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  const int rows = second == nullptr ? 1 : 2;
  for (std::int64_t x = 0; x < columns; x += 2) {
    const bool has_right = x + 1 < columns;
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t at = x * channels + c;
      Sum sum = static_cast<Sum>(first[at]);
      if (has_right) sum += static_cast<Sum>(first[at + channels]);
      if (second != nullptr) sum += static_cast<Sum>(second[at]);
      if (second != nullptr && has_right) sum += static_cast<Sum>(second[at + channels]);
      result[x / 2 * channels + c] = mean<T>(sum, has_right ? 2 * rows : rows);
    }
  }
}

}  // namespace

Box halved(const Box& domain) {
  Box half = domain;
  for (const int d : {0, 1}) half[d] = {0, (domain[d].size() + 1) / 2};
  return half;
}

RowHalver::RowHalver(const Box& domain, ElementType type, std::function<void(const std::byte*)> next)
    : columns_(domain[0].size()),
      channels_(domain.dimensions == 3 ? domain[2].size() : 1),
      type_(type),
      next_(std::move(next)),
      row_(static_cast<std::size_t>(columns_ * channels_) * size_of(type)),
      result_(static_cast<std::size_t>((columns_ + 1) / 2 * channels_) * size_of(type)) {}

void RowHalver::add(const std::byte* row) {
  if (std::exchange(has_row_, !has_row_))
    emit(row_.data(), row);
  else
    std::memcpy(row_.data(), row, row_.size());
}

void RowHalver::finish() {
  if (std::exchange(has_row_, false)) emit(row_.data(), nullptr);
}

void RowHalver::emit(const std::byte* first, const std::byte* second) {
  with_element_type(type_, [&]<class T>(std::type_identity<T>) {
    halve(reinterpret_cast<const T*>(first), reinterpret_cast<const T*>(second), columns_, channels_,
          reinterpret_cast<T*>(result_.data()));
  });
  next_(result_.data());
}

}  // namespace tessera::io::detail
