// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/pipeline_task.hpp"

#include <algorithm>

#include "tessera/domain/error.hpp"

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
  // Plans for hosts use the memory of the images. Plans for devices copy them.
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

namespace {

using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace>;

HostBytes allocated(const std::string& label, std::int64_t bytes) {
  HostBytes memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), static_cast<std::size_t>(bytes));
  prefer_huge_pages(memory.data(), memory.size());
  return memory;
}

}  // namespace

void Image::become_input(std::shared_ptr<const PlannedPipeline> planned, const Box& more) {
  const std::string array = planned->input;
  become_array(std::move(planned), array, more);
}

void Image::become_output(std::shared_ptr<const PlannedPipeline> planned, const Box& more) {
  const std::string array = planned->output;
  become_array(std::move(planned), array, more);
}

void Image::become_array(std::shared_ptr<const PlannedPipeline> planned, const std::string& array,
                         const Box& more) {
  const Algorithm& algorithm = planned->algorithm;
  const BlockLayout layout = layout_in_memory(algorithm, planned->plan, array, more);
  const bool is_new = bytes() < layout.bytes;
  if (is_new) {
    *this = {};
    memory_ = allocated(array, layout.bytes);
  }
  const ArrayDeclaration& declared = algorithm[algorithm.find(array)];
  domain_ = declared.domain;
  type_ = declared.type;
  // New memory is touched by the calling thread.
  if (is_new)
    block_ = {layout, memory_, HostMode::calling_thread};
  else
    block_ = {layout, memory_};
  planned_ = std::move(planned);
}

HostBlock Image::points() const { return block_.host_block(domain_, block_.memory().data(), type_); }

namespace {

std::size_t bytes_of(const HostBlock& points) {
  return static_cast<std::size_t>(points.box.size()) * size_of(points.type);
}

}  // namespace

PackedImage packed(std::int64_t index, const HostBlock& points) {
  PackedImage image{index, std::vector<std::byte>(bytes_of(points))};
  copy_part(points, packed_block(image.samples.data(), points.type, points.box), points.box);
  return image;
}

void unpack(const PackedImage& image, const HostBlock& points) {
  if (image.samples.size() != bytes_of(points))
    throw InternalError("a packed image does not have as many bytes as the block that it is copied to");
  // Nothing is written through the block of the samples.
  std::byte* const samples = const_cast<std::byte*>(image.samples.data());
  copy_part(packed_block(samples, points.type, points.box), points, points.box);
}

}  // namespace tessera::graph
