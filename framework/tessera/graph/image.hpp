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
  Algorithm algorithm = {};
  Plan plan = {};
  /// The names of the input and of the output that are images.
  std::string input = "input";
  std::string output = {};
};

/// Keeps the plans of a pipeline, one for each domain and element type. Several threads may use it.
class PlanCache {
 public:
  /// Returns the plan for images with this domain and element type, which `make` makes if it is missing.
  /// Throws the exceptions of `make`.
  std::shared_ptr<const PlannedPipeline> get(const Box& domain, ElementType type,
                                             const std::function<PlannedPipeline()>& make);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const PlannedPipeline>> plans_;
};

/// An image in the memory that a plan needs for its input or output, so that pipelines compute in it without
/// copies. Images are the buffers of pools.
class Image {
 public:
  /// Gives the image the memory for the input, or the output, of `planned`. Memory that is large enough is
  /// kept.
  void become_input(std::shared_ptr<const PlannedPipeline> planned);
  void become_output(std::shared_ptr<const PlannedPipeline> planned);

  /// The plan that the image belongs to; null at first.
  const std::shared_ptr<const PlannedPipeline>& planned() const { return planned_; }
  /// The points of the domain in host memory. Points outside the domain, which boundary conditions fill, are
  /// not part of it.
  HostBlock points() const;
  const Block<>& block() const { return block_; }
  /// The bytes of the memory.
  std::int64_t bytes() const { return static_cast<std::int64_t>(memory_.size()); }

 private:
  void become(std::shared_ptr<const PlannedPipeline> planned, const std::string& array);

  std::shared_ptr<const PlannedPipeline> planned_;
  Kokkos::View<std::byte*, MemorySpace> memory_;
  Block<> block_;
  Box domain_;
  ElementType type_ = ElementType::uint8;
};

}  // namespace tessera::graph
