// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/banded_run.hpp"

#include <utility>

#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera {

BandedRun::BandedRun(const Algorithm& pipeline, std::vector<Band> bands, PlanOf plan_of, const Plan& shown,
                     MPI_Comm communicator, const Transport& transport, bool overlaps)
    : pipeline_(pipeline),
      bands_(std::move(bands)),
      plan_of_(std::move(plan_of)),
      communicator_(communicator),
      transport_(transport),
      overlaps_(overlaps),
      memory_{{}, shown.array_bytes} {
  walk(shown.root, [this](const PlanNode& node) {
    if (!is_step(node)) return;
    shown_.emplace(step_label(pipeline_, node), &node);
    shown_.emplace(step_kind(node), &node);
  });
}

void BandedRun::report(const std::string& step, const StepObserver& observer) const {
  const auto found = shown_.find(step);
  if (observer && found != shown_.end()) observer(*found->second);
}

std::unique_ptr<PlanInstance> BandedRun::make(const Band& band, HostMode touched_by) {
  Plan plan;
  collectively(communicator_, [&] { plan = plan_of_(band); });
  ArrayMemory memory{std::exchange(memory_.bytes, {}), memory_.at_least, touched_by};
  auto instance = std::make_unique<PlanInstance>(pipeline_, plan, communicator_, transport_,
                                                 HostMode::kernels, std::move(memory));
  instance->carry(carried_);
  return instance;
}

std::future<void> BandedRun::transfer(std::size_t coming, const Bindings& bindings) {
  return std::async(overlaps_ ? std::launch::async : std::launch::deferred, [this, coming, &bindings] {
    if (last_) {
      last_->write(bindings);
      memory_.bytes = last_->memory().bytes;
    }
    last_.reset();
    if (coming == bands_.size()) return;
    // If another thread than this one computes, kernels may be running now.
    if (!next_) next_ = make(bands_[coming], overlaps_ ? HostMode::calling_thread : HostMode::kernels);
    next_->read(bindings);
  });
}

void BandedRun::run(const Bindings& bindings, const StepObserver& observer,
                    const BandObserver& band_observer) {
  carried_.clear();
  memory_.bytes = {};
  // This thread makes the first two instances, so that their memory is first touched by the threads that will
  // compute in it. Later instances use it again, if it is large enough for them.
  if (!bands_.empty()) next_ = make(bands_[0], HostMode::kernels);
  under_way_ = transfer(0, bindings);
  for (std::size_t i = 0; i < bands_.size(); ++i) {
    if (band_observer) band_observer(bands_[i]);
    report("read", observer);
    under_way_.get();
    last_ = std::move(current_);
    current_ = std::move(next_);
    if (i == 0 && bands_.size() > 1) next_ = make(bands_[1], HostMode::kernels);
    under_way_ = transfer(i + 1, bindings);
    current_->compute([&](const PlanNode& node) { report(step_label(pipeline_, node), observer); });
  }
  report("write", observer);
  under_way_.get();
  last_ = std::move(current_);
  transfer(bands_.size(), bindings).get();
  memory_.bytes = {};
}

}  // namespace tessera
