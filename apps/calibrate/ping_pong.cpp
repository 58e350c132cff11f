// SPDX-License-Identifier: BSD-3-Clause
#include "ping_pong.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace calibrate {
namespace {

constexpr int least_bytes = 8, most_bytes = 4 << 20;

/// The messages before the first one that is timed. Some MPI libraries make connections with the first ones.
constexpr int untimed = 2;

/// Sends a message there and back, as rank 0 or as its partner, and returns the seconds of one way.
double one_way(MPI_Comm communicator, int rank, int partner, std::vector<char>& message, int bytes) {
  const auto start = std::chrono::steady_clock::now();
  if (rank == 0) {
    MPI_Send(message.data(), bytes, MPI_CHAR, partner, 0, communicator);
    MPI_Recv(message.data(), bytes, MPI_CHAR, partner, 0, communicator, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(message.data(), bytes, MPI_CHAR, 0, 0, communicator, MPI_STATUS_IGNORE);
    MPI_Send(message.data(), bytes, MPI_CHAR, 0, 0, communicator);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 2;
}

}  // namespace

std::vector<tessera::cost::MeasuredPoint> ping_pong(MPI_Comm communicator, int partner, int times) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::vector<char> message(most_bytes);
  std::vector<tessera::cost::MeasuredPoint> points;
  for (int bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = -untimed; i < times; ++i) {
      const double seconds = one_way(communicator, rank, partner, message, bytes);
      if (i >= 0) fastest = std::min(fastest, seconds);
    }
    // A clock may be too coarse for the shortest messages.
    points.push_back({static_cast<double>(bytes), std::max(fastest, 1e-9)});
  }
  return points;
}

}  // namespace calibrate
