// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/banded_run.hpp"

#include <future>

#include "tessera/pipeline/explain.hpp"

namespace tessera {

BandedRun::BandedRun(const Pipeline& pipeline, std::vector<Band> bands, PlanOf plan_of, const Plan& shown,
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
  auto instance = std::make_unique<PlanInstance>(pipeline_, plan_of_(band), communicator_, transport_);
  instance->carry(carried_);
  instance->read(bindings);
  return instance;
}

void BandedRun::run(const Bindings& bindings, const StepObserver& observer) {
  carried_.clear();
  std::unique_ptr<PlanInstance> last, current, next;
  const auto transfer = [&](std::size_t coming) {
    return std::async(overlaps_ ? std::launch::async : std::launch::deferred, [&, coming] {
      if (last) last->write(bindings);
      last.reset();
      if (coming < bands_.size()) next = open(bands_[coming], bindings);
    });
  };
  std::future<void> under_way = transfer(0);
  for (std::size_t i = 0; i < bands_.size(); ++i) {
    report("read", observer);
    under_way.get();
    last = std::move(current);
    current = std::move(next);
    under_way = transfer(i + 1);
    current->compute([&](const PlanNode& node) { report(step_label(pipeline_, node), observer); });
  }
  report("write", observer);
  under_way.get();
  last = std::move(current);
  transfer(bands_.size()).get();
}

}  // namespace tessera
