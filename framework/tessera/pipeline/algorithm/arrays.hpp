// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

/// An N-dimensional array of T in a pipeline: an input, or the output of a stage. It is a handle without
/// data.
template <class T, int N>
struct Array {
  /// The number of the array in its pipeline.
  int id;
};

/// An array together with the type of the kernel that computes it, which Pipeline::fusable needs.
template <class Kernel, class T, int N>
struct Stage : Array<T, N> {};

}  // namespace tessera
