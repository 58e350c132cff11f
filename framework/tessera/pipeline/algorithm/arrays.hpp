// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera {

/// An N-dimensional array of T in a pipeline: an input, or what a stage computes.
template <class T, int N>
struct Array {
  int id;
};

/// An array with the type of the stage that computes it, which `fusable` needs.
template <class Kernel, class T, int N>
struct Stage : Array<T, N> {};

}  // namespace tessera
