// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace bench {

/// FFTW's own transform of a real image to its half spectrum: by threads on one rank, and by FFTW-MPI on
/// several. The plan is made by rules, as Tessera's are. The result of several ranks is transposed, so that
/// each rank has columns of it, as with Tessera.
template <class T>
class Peer {
 public:
  /// Plans the transform. Collective. `communicator` must outlive the peer.
  Peer(int side, int threads, MPI_Comm communicator);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Returns the element (x, y) of the input, where y is one of the rank's rows.
  T& input(int x, int y);
  /// The rank's rows of the input.
  int first_row() const { return first_row_; }
  int rows() const { return rows_; }

  /// Transforms the input. Collective.
  void run();

  /// Returns the frequency (x, y), or nothing if another rank has it.
  std::optional<std::complex<T>> frequency(int x, int y) const;

 private:
  struct Plan;
  Plan* plan_;
  int side_;
  int first_row_ = 0;
  int rows_ = 0;
};

/// Whether several ranks have a peer.
bool has_peer_of_ranks();

}  // namespace bench
