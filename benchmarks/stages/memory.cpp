// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "stages/allocation_counter.hpp"
#include "stages/report.hpp"
#include "stages/three_boxes.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace bench {
namespace {

using tessera::app::Session;

constexpr Size size{2048, 2048};

/// Bytes of a rank.
struct Bytes {
  double allocated;
  double planned;
};

/// Returns the bytes of the rank whose plan is the furthest from the truth.
Bytes of_worst_rank(const Session& session, Bytes bytes) {
  struct {
    double error;
    int rank;
  } worst{std::abs(bytes.allocated / bytes.planned - 1), session.rank()};
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, session.communicator());
  MPI_Bcast(&bytes, 2, MPI_DOUBLE, worst.rank, session.communicator());
  return bytes;
}

void measure(const Session& session, tessera::Placement placement) {
  const tessera::Pipeline pipeline = three_boxes(size);
  const AllocationCounter counter;
  tessera::PlanInstance instance = make_instance<float>(session, pipeline, boxes_placed(placement));
  for (int run = 0; run < 2; ++run) instance.compute();
  const Bytes bytes = of_worst_rank(
      session, {static_cast<double>(counter.peak()), static_cast<double>(instance.plan().peak_bytes())});
  print(session, {"memory",
                  fmt::format("three boxes {}", name_of(placement)),
                  size.text(),
                  "bytes",
                  bytes.allocated,
                  bytes.planned,
                  {0.95, 1.05},
                  "of the worst rank"});
}

}  // namespace

void measure_memory(const Session& session, const Options&) {
  for (const auto placement : {tessera::Placement::tile, tessera::Placement::distributed,
                               tessera::Placement::rank, tessera::Placement::replicated})
    measure(session, placement);
}

}  // namespace bench
