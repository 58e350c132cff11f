// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace tessera::spectral::detail {

/// The alignment of all memory for which plans of FFTW are made.
inline constexpr std::size_t line_alignment = 64;

/// Frees memory that begins at a multiple of `line_alignment` bytes.
struct FreeAligned {
  void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{line_alignment}); }
};

/// Memory for elements of T, which begins at a multiple of `line_alignment` bytes.
template <class T>
using AlignedMemory = std::unique_ptr<T, FreeAligned>;

/// Allocates memory for `count` elements, which are not initialised.
template <class T>
AlignedMemory<T> aligned_memory(std::size_t count) {
  return AlignedMemory<T>(
      static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{line_alignment})));
}

}  // namespace tessera::spectral::detail
