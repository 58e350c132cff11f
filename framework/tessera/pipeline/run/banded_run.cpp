// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/banded_run.hpp"

#include "tessera/pipeline/plan/step_names.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera {

BandedRun::BandedRun(const Algorithm& pipeline, std::vector<Band> bands, PlanOf plan_of, const Plan& shown,
                     MPI_Comm communicator, const Transport& transport, bool overlaps)
    : pipeline_(pipeline),
      bands_(std::move(bands)),
      plan_of_(std::move(plan_of)),
      communicator_(communicator),
      transport_(transport),
      overlaps_(overlaps) {
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

std::unique_ptr<PlanInstance> BandedRun::open(const Band& band, const Bindings& bindings) {
  Plan plan;
  collectively(communicator_, [&] { plan = plan_of_(band); });
  auto instance = std::make_unique<PlanInstance>(pipeline_, plan, communicator_, transport_);
  instance->carry(carried_);
  instance->read(bindings);
  return instance;
}

std::future<void> BandedRun::transfer(std::size_t coming, const Bindings& bindings) {
  return std::async(overlaps_ ? std::launch::async : std::launch::deferred, [this, coming, &bindings] {
    if (last_) last_->write(bindings);
    last_.reset();
    if (coming < bands_.size()) next_ = open(bands_[coming], bindings);
  });
}

void BandedRun::run(const Bindings& bindings, const StepObserver& observer,
                    const BandObserver& band_observer) {
  carried_.clear();
  under_way_ = transfer(0, bindings);
  for (std::size_t i = 0; i < bands_.size(); ++i) {
    if (band_observer) band_observer(bands_[i]);
    report("read", observer);
    under_way_.get();
    last_ = std::move(current_);
    current_ = std::move(next_);
    under_way_ = transfer(i + 1, bindings);
    current_->compute([&](const PlanNode& node) { report(step_label(pipeline_, node), observer); });
  }
  report("write", observer);
  under_way_.get();
  last_ = std::move(current_);
  transfer(bands_.size(), bindings).get();
}

}  // namespace tessera
