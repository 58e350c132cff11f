// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/graph/graph.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/view/block.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::graph {

/// A pipeline and its plan for images with one domain and element type. The plan is for one rank.
struct PlannedPipeline {
  /// The pipeline. A Pipeline can be assigned to it.
  Algorithm algorithm = {};
  /// The plan of the only rank.
  Plan plan = {};
  /// The name of the input that is an image.
  std::string input = "input";
  /// The name of the output that is an image.
  std::string output = {};
};

/// Keeps plans, such as those of a pipeline: one for each domain and element type. Several threads may use
/// it.
template <class Planned = PlannedPipeline>
class PlanCache {
 public:
  /// Returns the plan for images with this domain and element type. If the cache does not have it, `make`
  /// makes it, while other callers wait. Throws the exceptions of `make`.
  std::shared_ptr<const Planned> get(const Box& domain, ElementType type,
                                     const std::function<Planned()>& make) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.domain == domain && entry.type == type) return entry.planned;
    return entries_.emplace_back(Entry{domain, type, std::make_shared<const Planned>(make())}).planned;
  }
  /// Returns all plans of the cache.
  std::vector<std::shared_ptr<const Planned>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<const Planned>> all;
    for (const Entry& entry : entries_) all.push_back(entry.planned);
    return all;
  }

 private:
  struct Entry {
    Box domain;
    ElementType type;
    std::shared_ptr<const Planned> planned;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

/// An image in host memory, with the layout that a plan needs for its input or output. Pipelines on hosts
/// read and write it without copies, and those on devices copy its points. Images are meant to be the buffers
/// of pools.
class Image {
 public:
  /// Gives the image the domain, the type and the layout of the input of `planned`. Memory that is large
  /// enough is kept. The points have no particular values afterwards. The memory also holds the points of
  /// `more`, which other pipelines need that read the image (see points_in_memory).
  void become_input(std::shared_ptr<const PlannedPipeline> planned, const Box& more = {});
  /// Gives the image the domain, the type and the layout of the output of `planned`, as `become_input` does.
  void become_output(std::shared_ptr<const PlannedPipeline> planned, const Box& more = {});

  /// Gives the image the domain, the type and the layout of any array of `planned`, as `become_input` does.
  void become_array(std::shared_ptr<const PlannedPipeline> planned, const std::string& array,
                    const Box& more = {});

  /// Returns the plan that the image belongs to. It is null at first.
  const std::shared_ptr<const PlannedPipeline>& planned() const { return planned_; }
  /// Returns the points of the domain. Points outside the domain, which boundary conditions fill, are not
  /// part of it. The image must belong to a plan.
  HostBlock points() const;
  /// Returns the block that a plan instance on hosts binds the array to.
  const Block<Kokkos::HostSpace>& block() const { return block_; }
  /// Returns the number of bytes of the memory.
  std::int64_t bytes() const { return static_cast<std::int64_t>(memory_.size()); }

 private:
  std::shared_ptr<const PlannedPipeline> planned_;
  Kokkos::View<std::byte*, Kokkos::HostSpace> memory_;
  Block<Kokkos::HostSpace> block_;
  Box domain_;
  ElementType type_ = ElementType::uint8;
};

/// An image that a pipeline reads or computes.
struct NamedImage {
  /// The name of the input or output of the pipeline.
  std::string_view array;
  /// The image, whose memory must have the points that the plan needs (see points_in_memory).
  const Image& image;
};

/// The body of a task that runs a pipeline on one image after the other. On hosts it computes in the memory
/// of the images. A pipeline that is planned for a device copies the points of the images to and from it.
/// Each copy has plan instances of its own, which it uses again for images of the same shape. In
/// calling-thread mode each worker computes an image by itself, with the threads of its plan: one. In kernels
/// mode, which needs Place::kernels(), all threads compute one image.
class PipelineBody {
 public:
  /// The greatest number of plan instances that a body keeps, for as many plans.
  static constexpr std::size_t most_instances = 4;

  /// Makes a body without plan instances.
  explicit PipelineBody(HostMode mode = HostMode::calling_thread) : mode_(mode) {}
  /// Makes a body with the same mode. The copy has no plan instances at first.
  PipelineBody(const PipelineBody& other) : mode_(other.mode_) {}
  PipelineBody& operator=(const PipelineBody&) = delete;

  /// Computes the output of the pipeline that `input` is planned for, and returns it in `output`. Throws the
  /// exceptions of PlanInstance.
  Lease<Image> operator()(const Lease<Image>& input, Lease<Image> output);

  /// Runs `planned` with `images` as its inputs and its outputs. An array without an image has memory of its
  /// own, and the others have none besides that of their images. Calls the functions of `bindings` that are
  /// about loops. Throws the exceptions of PlanInstance.
  void compute(const std::shared_ptr<const PlannedPipeline>& planned, const std::vector<NamedImage>& images,
               Bindings bindings = {});

 private:
  /// An instance of a plan that has no memory for the arrays `bound`, which are images.
  struct Instance {
    std::shared_ptr<const PlannedPipeline> planned;
    std::vector<std::string> bound;
    std::unique_ptr<PlanInstance> instance;
  };

  PlanInstance& instance_for(const std::shared_ptr<const PlannedPipeline>& planned,
                             const std::vector<NamedImage>& images);

  HostMode mode_;
  /// The instances that were used last, each for a plan and the names of the arrays that are images.
  std::vector<Instance> instances_;
};

/// Adds a pipeline as a task: it reads images that are planned for it (see Image::become_input) and emits
/// images from `outputs`. Bodies on worker threads compute one image each; at Place::kernels() all threads
/// compute one image, if its plan is for as many.
inline Flow<Lease<Image>> pipeline(Graph& graph, std::string name, Task options,
                                   const Flow<Lease<Image>>& images, const Pool<Image>& outputs) {
  const bool by_kernels = options.on == Place::kernels();
  return graph.task(std::move(name), options,
                    PipelineBody(by_kernels ? HostMode::kernels : HostMode::calling_thread), images, outputs);
}

/// An image, or a part of one, that can be sent to another rank or kept: its samples without padding.
struct PackedImage {
  /// The number of the image in its series.
  std::int64_t index = 0;
  /// The samples, x fastest.
  std::vector<std::byte> samples;

  /// The members, for Transfer.
  static auto members(auto& image) { return std::tie(image.index, image.samples); }
};

/// Returns a copy of the samples of a block.
PackedImage packed(std::int64_t index, const HostBlock& points);

/// Copies the samples to a block, which has the type and the points of the one that was packed. Throws
/// InternalError if there are more or fewer samples.
void unpack(const PackedImage& image, const HostBlock& points);

}  // namespace tessera::graph
