// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace kmeans {

/// Numbers in memory that begins at a multiple of 64 bytes.
template <class T>
class AlignedNumbers {
 public:
  /// Takes memory for `count` numbers, which have no values yet.
  explicit AlignedNumbers(std::int64_t count)
      : numbers_(new (std::align_val_t{64}) T[static_cast<std::size_t>(count)]) {}

  /// The first number.
  T* data() { return numbers_.get(); }
  /// The first number.
  const T* data() const { return numbers_.get(); }

 private:
  struct Deleter {
    void operator()(T* numbers) const { ::operator delete[](numbers, std::align_val_t{64}); }
  };
  std::unique_ptr<T[], Deleter> numbers_;
};

}  // namespace kmeans
