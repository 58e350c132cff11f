// SPDX-License-Identifier: BSD-3-Clause
// Columns to rows: half of the array changes hands.
#include "tessera/view/redistribution.hpp"

#include <cstring>

#include "views/contest.hpp"

namespace bench {
namespace {

using namespace tessera;

constexpr std::int64_t side = 4096;
using View = DistributedView<float, 2>;

/// The same by hand: what goes to the other rank is packed row by row, sent by MPI_Alltoallv and unpacked;
/// what stays is copied.
class AllToAll {
 public:
  AllToAll(MPI_Comm communicator, const View& from, const View& to)
      : communicator_(communicator), from_(from), to_(to) {
    const int rank = from.rank();
    stays_ = intersection(from.owned(), to.owned());
    leaves_ = intersection(from.owned(), to.distribution().owned(1 - rank));
    arrives_ = intersection(from.distribution().owned(1 - rank), to.owned());
    sent_.resize(static_cast<std::size_t>(leaves_.size()));
    received_.resize(static_cast<std::size_t>(arrives_.size()));
    send_counts_[1 - rank] = static_cast<int>(leaves_.size());
    receive_counts_[1 - rank] = static_cast<int>(arrives_.size());
  }

  void run() {
    float* packed = sent_.data();
    for (std::int64_t y = leaves_[1].begin; y < leaves_[1].end; ++y, packed += leaves_[0].size())
      copy_row(packed, row(from_, leaves_, y), leaves_);
    for (std::int64_t y = stays_[1].begin; y < stays_[1].end; ++y)
      copy_row(row(to_, stays_, y), row(from_, stays_, y), stays_);
    const int places[2] = {0, 0};
    MPI_Alltoallv(sent_.data(), send_counts_, places, MPI_FLOAT, received_.data(), receive_counts_, places,
                  MPI_FLOAT, communicator_);
    const float* unpacked = received_.data();
    for (std::int64_t y = arrives_[1].begin; y < arrives_[1].end; ++y, unpacked += arrives_[0].size())
      copy_row(row(to_, arrives_, y), unpacked, arrives_);
  }

 private:
  static float* row(const View& view, const Box& box, std::int64_t y) {
    return &view.accessor()(Coordinate(box[0].begin), Coordinate(y));
  }
  static void copy_row(float* to, const float* from, const Box& box) {
    std::memcpy(to, from, static_cast<std::size_t>(box[0].size()) * sizeof(float));
  }

  MPI_Comm communicator_;
  View from_;
  View to_;
  Box stays_, leaves_, arrives_;
  std::vector<float> sent_;
  std::vector<float> received_;
  int send_counts_[2] = {};
  int receive_counts_[2] = {};
};

void columns_to_rows(benchmark::State& state, MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const Box box{{0, side}, {0, side}};
  const BlockDistribution columns(box, box, {2, {2, 1}}), rows(box, box, {2, {1, 2}});
  const View from("columns", columns, rank), to("rows", rows, rank);
  Kokkos::deep_copy(Kokkos::View<std::byte*, MemorySpace>(from.block().memory()), std::byte{1});
  Redistribution redistribution(communicator, columns, rows, sizeof(float));
  AllToAll by_hand(communicator, from, to);
  compete(state, {communicator}, [&] { redistribution.run(from, to); },
          {{"MPI_Alltoallv", [&] { by_hand.run(); }}});
  state.counters["buffer_bytes"] = static_cast<double>(redistribution.buffer_bytes());
  state.counters["array_bytes"] = static_cast<double>(from.owned().size()) * sizeof(float);
}

}  // namespace

void register_redistribution(MPI_Comm communicator) {
  benchmark::RegisterBenchmark("redistribution/columns_to_rows",
                               [=](benchmark::State& state) { columns_to_rows(state, communicator); })
      ->Iterations(repetitions)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace bench
