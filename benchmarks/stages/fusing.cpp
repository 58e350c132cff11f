// SPDX-License-Identifier: BSD-3-Clause
#include "stages/report.hpp"
#include "stages/three_boxes.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "turns.hpp"

namespace bench {
namespace {

/// Beyond all caches: 256 MiB per array.
constexpr Size size{8192, 8192};

}  // namespace

void measure_fusing(const tessera::app::Session& session, const Options& options) {
  const tessera::Pipeline pipeline = three_boxes(size);
  auto apart = make_instance<float>(session, pipeline, boxes_placed(tessera::Placement::distributed));
  auto fused = make_instance<float>(session, pipeline, boxes_placed(tessera::Placement::tile));
  Turns turns({session.communicator()},
              {{"apart", [&] { apart.compute(); }}, {"fused", [&] { fused.compute(); }}});
  turns.rounds(options.rounds);
  const auto times = turns.medians();
  print(session,
        {"fusing", "three boxes apart against fused", size.text(), "us", times[0], times[1], {.least = 1.5}});
}

}  // namespace bench
