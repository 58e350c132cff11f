// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera {

/// Is told that a band comes next.
using BandObserver = std::function<void(const Band&)>;

/// Runs a pipeline band after band: while one is computed, another thread writes the one before and reads the
/// next. Sources are read, and sinks written, in the order of the bands.
class BandedRun {
 public:
  /// Makes this rank's plan of a band; called by one thread at a time.
  using PlanOf = std::function<Plan(const Band&)>;

  /// All ranks of `communicator` give the same bands. `shown`, which must outlive it, is what plan_with_bands
  /// made of them. `overlaps`: MPI was started for several threads.
  BandedRun(const Algorithm& pipeline, std::vector<Band> bands, PlanOf plan_of, const Plan& shown,
            MPI_Comm communicator, const Transport& transport, bool overlaps);

  /// Collective. Sources and sinks are called by another thread if the run overlaps them. The observer is
  /// told of steps of `shown`, which each band's are reported as; of reading and writing, when they are
  /// waited for.
  void run(const Bindings& bindings, const StepObserver& observer = {},
           const BandObserver& band_observer = {});

 private:
  std::unique_ptr<PlanInstance> open(const Band& band, const Bindings& bindings);
  /// Writes the last band, and reads the one of this number, if there is one.
  std::future<void> transfer(std::size_t coming, const Bindings& bindings);
  void report(const std::string& step, const StepObserver& observer) const;

  const Algorithm& pipeline_;
  std::vector<Band> bands_;
  PlanOf plan_of_;
  MPI_Comm communicator_;
  Transport transport_;
  bool overlaps_;
  CarriedValues carried_;
  /// By what it does.
  std::map<std::string, const PlanNode*> shown_;
  /// Kept when a run fails: to end them, all ranks would have to come along.
  std::unique_ptr<PlanInstance> last_;
  std::unique_ptr<PlanInstance> current_;
  std::unique_ptr<PlanInstance> next_;
  std::future<void> under_way_;
};

}  // namespace tessera
