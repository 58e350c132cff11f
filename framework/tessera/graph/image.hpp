// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/view/block.hpp"

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

/// Returns a text that differs for images with different domains or element types.
std::string plan_key(const Box& domain, ElementType type);

/// Keeps plans, such as those of a pipeline: one for each domain and element type. Several threads may use
/// it.
template <class Planned = PlannedPipeline>
class PlanCache {
 public:
  /// Returns the plan for images with this domain and element type. If the cache does not have it, `make`
  /// makes it, while other callers wait. Throws the exceptions of `make`.
  std::shared_ptr<const Planned> get(const Box& domain, ElementType type,
                                     const std::function<Planned()>& make) {
    const std::string key = plan_key(domain, type);
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Planned>& planned = plans_[key];
    if (planned == nullptr) planned = std::make_shared<const Planned>(make());
    return planned;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Planned>> plans_;
};

/// An image whose memory has the layout that a plan needs for its input or output, so that the pipeline reads
/// and writes it without copies. Images are meant to be the buffers of pools.
class Image {
 public:
  /// Gives the image the domain, the type and the layout of the input of `planned`. Memory that is large
  /// enough is kept. The points have no particular values afterwards. The memory also holds the points of
  /// `more`, which other pipelines need that read the image (see points_in_memory).
  void become_input(std::shared_ptr<const PlannedPipeline> planned, const Box& more = {});
  /// Gives the image the domain, the type and the layout of the output of `planned`, as `become_input` does.
  void become_output(std::shared_ptr<const PlannedPipeline> planned, const Box& more = {});

  /// Returns the plan that the image belongs to. It is null at first.
  const std::shared_ptr<const PlannedPipeline>& planned() const { return planned_; }
  /// Returns the points of the domain in host memory. Points outside the domain, which boundary conditions
  /// fill, are not part of it. The image must belong to a plan.
  HostBlock points() const;
  /// Returns the block to which a plan instance binds the array.
  const Block<>& block() const { return block_; }
  /// Returns the number of bytes of the memory.
  std::int64_t bytes() const { return static_cast<std::int64_t>(memory_.size()); }

 private:
  void become(std::shared_ptr<const PlannedPipeline> planned, const std::string& array, const Box& more);

  std::shared_ptr<const PlannedPipeline> planned_;
  Kokkos::View<std::byte*, MemorySpace> memory_;
  Block<> block_;
  Box domain_;
  ElementType type_ = ElementType::uint8;
};

}  // namespace tessera::graph
