// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/peer.hpp"

#include <fftw3.h>

#include <algorithm>
#include <type_traits>

#include "tessera/domain/error.hpp"
#ifdef TESSERA_HAS_FFTW_MPI
#include <fftw3-mpi.h>
#endif

namespace bench {
namespace {

/// FFTW's functions for float and for double.
template <class T>
struct Fftw;
template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto threads = fftwf_plan_with_nthreads;
  static constexpr auto start = fftwf_init_threads;
  static constexpr auto plan = fftwf_plan_dft_r2c_2d;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto allocate = fftwf_malloc;
  static constexpr auto free = fftwf_free;
#ifdef TESSERA_HAS_FFTW_MPI
  static constexpr auto start_mpi = fftwf_mpi_init;
  static constexpr auto local_size = fftwf_mpi_local_size_2d_transposed;
  static constexpr auto plan_mpi = fftwf_mpi_plan_dft_r2c_2d;
#endif
};
template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto threads = fftw_plan_with_nthreads;
  static constexpr auto start = fftw_init_threads;
  static constexpr auto plan = fftw_plan_dft_r2c_2d;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto allocate = fftw_malloc;
  static constexpr auto free = fftw_free;
#ifdef TESSERA_HAS_FFTW_MPI
  static constexpr auto start_mpi = fftw_mpi_init;
  static constexpr auto local_size = fftw_mpi_local_size_2d_transposed;
  static constexpr auto plan_mpi = fftw_mpi_plan_dft_r2c_2d;
#endif
};

int size_of(MPI_Comm communicator) {
  int size = 1;
  MPI_Comm_size(communicator, &size);
  return size;
}

}  // namespace

template <class T>
struct Peer<T>::Plan {
  using Library = Fftw<T>;
  typename Library::Plan plan = nullptr;
  T* real = nullptr;
  typename Library::Complex* complex = nullptr;
  /// The distance between rows of the input.
  std::ptrdiff_t pitch = 0;
  bool is_transposed = false;
  /// The rank's columns of a transposed result.
  std::ptrdiff_t first_column = 0;
  std::ptrdiff_t columns = 0;

  void allocate(std::ptrdiff_t numbers) {
    real = static_cast<T*>(Library::allocate(sizeof(T) * 2 * static_cast<std::size_t>(numbers)));
    complex = static_cast<typename Library::Complex*>(
        Library::allocate(sizeof(T) * 2 * static_cast<std::size_t>(numbers)));
    std::fill_n(real, 2 * numbers, T(0));
    std::fill_n(reinterpret_cast<T*>(complex), 2 * numbers, T(0));
  }
};

template <class T>
Peer<T>::Peer(int side, int threads, MPI_Comm communicator) : plan_(new Plan), side_(side), rows_(side) {
  using Library = Fftw<T>;
  Library::start();
  const std::ptrdiff_t half = side / 2 + 1;
  if (size_of(communicator) == 1) {
    Library::threads(threads);
    plan_->allocate(half * side);
    plan_->pitch = side;
    plan_->columns = half;
    plan_->plan = Library::plan(side, side, plan_->real, plan_->complex, FFTW_ESTIMATE);
    return;
  }
#ifdef TESSERA_HAS_FFTW_MPI
  Library::start_mpi();
  Library::threads(threads);
  std::ptrdiff_t rows = 0, first = 0;
  plan_->allocate(
      Library::local_size(side, half, communicator, &rows, &first, &plan_->columns, &plan_->first_column));
  plan_->pitch = 2 * half;
  plan_->is_transposed = true;
  first_row_ = static_cast<int>(first);
  rows_ = static_cast<int>(rows);
  plan_->plan = Library::plan_mpi(side, side, plan_->real, plan_->complex, communicator,
                                  FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
#else
  throw tessera::InputError("several ranks are compared with FFTW-MPI, which this build lacks");
#endif
}

template <class T>
Peer<T>::~Peer() {
  Fftw<T>::destroy(plan_->plan);
  Fftw<T>::free(plan_->real);
  Fftw<T>::free(plan_->complex);
  delete plan_;
}

template <class T>
T& Peer<T>::input(int x, int y) {
  return plan_->real[(y - first_row_) * plan_->pitch + x];
}

template <class T>
void Peer<T>::run() {
  Fftw<T>::execute(plan_->plan);
}

template <class T>
std::optional<std::complex<T>> Peer<T>::frequency(int x, int y) const {
  const std::ptrdiff_t column = x - plan_->first_column;
  if (column < 0 || column >= plan_->columns) return std::nullopt;
  const std::ptrdiff_t index =
      plan_->is_transposed ? column * side_ + y : static_cast<std::ptrdiff_t>(y) * (side_ / 2 + 1) + x;
  return std::complex<T>(plan_->complex[index][0], plan_->complex[index][1]);
}

bool has_peer_of_ranks() {
#ifdef TESSERA_HAS_FFTW_MPI
  return true;
#else
  return false;
#endif
}

template class Peer<float>;
template class Peer<double>;

}  // namespace bench
