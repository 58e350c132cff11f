// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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
  /// Returns the block to which a plan instance on hosts binds the array.
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

}  // namespace tessera::graph
