// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/pipeline_task.hpp"

#include <algorithm>

namespace tessera::graph {
namespace {

/// The number of shapes of images for which a body keeps plan instances.
constexpr std::size_t most_instances = 4;

}  // namespace

Lease<Image> PipelineBody::operator()(const Lease<Image>& input, Lease<Image> output) {
  const std::shared_ptr<const PlannedPipeline>& planned = input->planned();
  output->become_output(planned);
  compute(planned, {{planned->input, *input}, {planned->output, *output}});
  return output;
}

void PipelineBody::compute(const std::shared_ptr<const PlannedPipeline>& planned,
                           const std::vector<NamedImage>& images, const Bindings& bindings) {
  PlanInstance& instance = instance_for(planned);
  for (const NamedImage& named : images) instance.bind(named.array, named.image.block());
  instance.run(bindings);
}

PlanInstance& PipelineBody::instance_for(const std::shared_ptr<const PlannedPipeline>& planned) {
  const auto found = std::ranges::find(instances_, planned, [](const auto& entry) { return entry.first; });
  if (found != instances_.end()) {
    std::rotate(instances_.begin(), found, found + 1);
  } else {
    if (instances_.size() == most_instances) instances_.pop_back();
    auto made =
        std::make_unique<PlanInstance>(planned->algorithm, planned->plan, MPI_COMM_SELF, Transport{}, mode_);
    instances_.emplace(instances_.begin(), planned, std::move(made));
  }
  return *instances_.front().second;
}

}  // namespace tessera::graph
