// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/graph/graph.hpp"
#include "tessera/graph/image.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera::graph {

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

}  // namespace tessera::graph
