// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/pipeline_task.hpp"

#include <algorithm>

#include "tessera/view/host_copy.hpp"

namespace tessera::graph {
namespace {

/// The points of an image as the source of an input, or as the sink of an output.
class ImagePoints final : public BlockSource, public BlockSink {
 public:
  explicit ImagePoints(const Image& image) : points_(image.points()) {}
  void read(const HostBlock& block) override { copy_part(points_, block, block.box); }
  void write(const HostBlock& block) override { copy_part(block, points_, block.box); }

 private:
  HostBlock points_;
};

}  // namespace

Lease<Image> PipelineBody::operator()(const Lease<Image>& input, Lease<Image> output) {
  const std::shared_ptr<const PlannedPipeline>& planned = input->planned();
  output->become_output(planned);
  compute(planned, {{planned->input, *input}, {planned->output, *output}});
  return output;
}

void PipelineBody::compute(const std::shared_ptr<const PlannedPipeline>& planned,
                           const std::vector<NamedImage>& images, Bindings bindings) {
  PlanInstance& instance = instance_for(planned, images);
  std::vector<ImagePoints> copied;
  copied.reserve(images.size());
  for (const NamedImage& named : images) {
    if (!planned->plan.target.device) {
      instance.bind(named.array, named.image.block());
      continue;
    }
    ImagePoints& points = copied.emplace_back(named.image);
    const std::string array(named.array);
    if (planned->algorithm[planned->algorithm.find(array)].is_input())
      bindings.sources[array] = &points;
    else
      bindings.sinks[array] = &points;
  }
  instance.run(bindings);
}

PlanInstance& PipelineBody::instance_for(const std::shared_ptr<const PlannedPipeline>& planned,
                                         const std::vector<NamedImage>& images) {
  const bool is_bound = !planned->plan.target.device;
  const auto found = std::ranges::find_if(instances_, [&](const Instance& entry) {
    return entry.planned == planned &&
           (!is_bound || std::ranges::equal(entry.bound, images, {}, {}, &NamedImage::array));
  });
  if (found != instances_.end()) {
    std::rotate(instances_.begin(), found, found + 1);
    return *instances_.front().instance;
  }
  if (instances_.size() == most_instances) instances_.pop_back();
  ArrayMemory memory;
  for (const NamedImage& named : images)
    if (is_bound) memory.bound.emplace_back(named.array);
  std::vector<std::string> bound = memory.bound;
  auto made = std::make_unique<PlanInstance>(planned->algorithm, planned->plan, MPI_COMM_SELF, Transport{},
                                             mode_, std::move(memory));
  instances_.insert(instances_.begin(), {planned, std::move(bound), std::move(made)});
  return *instances_.front().instance;
}

}  // namespace tessera::graph
