// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

/// The handle of an array in a pipeline: an N-dimensional input of T, or an output of a stage. The handle
/// holds no data.
template <class T, int N>
struct Array {
  /// The id of the array in its pipeline.
  int id;
};

/// A handle of an array whose type also names the kernel that computes the array. Pipeline::fusable needs
/// this type.
template <class Kernel, class T, int N>
struct Stage : Array<T, N> {};

}  // namespace tessera
