// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <span>
#include <vector>

#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/pipeline/run/loop_turns.hpp"
#include "tessera/pipeline/run/rank_executor.hpp"
#include "tessera/view/communicator.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange.hpp"
#include "tessera/view/value_reduction.hpp"

namespace tessera {

/// What global reductions have come to when a plan is over, by stage; empty: nothing yet. The same on all
/// ranks.
using CarriedValues = std::vector<std::vector<std::byte>>;

/// A plan made ready to run on the ranks of a communicator: it owns its buffers, its communicator and its
/// execution space. Made once, run any number of times; nothing is allocated while it runs.
class PlanInstance {
 public:
  /// Collective: every rank gives the plan of its own rank, made from the same pipeline and schedule.
  /// Two instances may run at once, from two host threads, if both compute on their calling threads.
  PlanInstance(const Algorithm& pipeline, const Plan& plan, MPI_Comm communicator,
               const Transport& transport = {}, HostMode mode = HostMode::kernels);
  ~PlanInstance();
  PlanInstance(PlanInstance&&) noexcept;

  /// All steps: reads inputs, computes, writes outputs. Collective.
  void run(const Bindings& bindings, const StepObserver& observer = {});

  /// Only what lies between reading and writing: exchanges, boundaries and stages, on inputs taken as
  /// changed. Collective; done on return.
  void compute(const StepObserver& observer = {});

  /// Only the reading and only the writing, which may go on in another thread while another instance
  /// computes, if MPI was started for several threads. Collective.
  void read(const Bindings& bindings);
  void write(const Bindings& bindings);

  /// Global reductions go on from what came out of the plans before, and those that the plan leaves out have
  /// it as their result. It must outlive the instance.
  void carry(CarriedValues& carried) { carried_ = &carried; }

  /// Steps of the plan; each is reported to the observer of a run, those of loops again and again.
  int step_count() const;

  /// Fills the block that this rank owns of an input from `source`.
  void load(std::string_view name, BlockSource& source);

  /// Hands the block that this rank owns of an input or output to `sink`. Other arrays may have given their
  /// memory to later ones.
  void store(std::string_view name, BlockSink& sink);

  /// This rank's part of an input or output, typed. Throws InternalError when the name,
  /// the type or the number of dimensions is not the pipeline's. Of what a loop feeds it is the part of now:
  /// a run may leave it in other memory.
  template <class T, int N>
  DistributedView<T, N> view(std::string_view name) const {
    const int id = checked_id(name, element_type_of<T>(), N);
    const ArrayRegions& regions = executor_->plan().stages[static_cast<std::size_t>(id)];
    const BlockDistribution distribution(regions.domain, regions.nominal, regions.grid, regions.slicing);
    return DistributedView<T, N>(std::string(name), distribution, executor_->plan().rank,
                                 executor_->written_block(id));
  }

  const Plan& plan() const { return executor_->plan(); }

 private:
  void run(const std::vector<PlanNode>& nodes, const Bindings& bindings, const StepObserver& observer);
  void run(const PlanNode& node, const Bindings& bindings, const StepObserver& observer);
  void run_leaf(const PlanNode& node, const Bindings& bindings);
  void repeat(const plan::Repeat& loop, const Bindings& bindings, const StepObserver& observer);
  void repeat_overlapping(const plan::Repeat& loop, const Bindings& bindings, const StepObserver& observer);
  /// Where a loop begins: with turns of an earlier run behind it if `bindings` load what it carries.
  CountedTurns resume(const plan::Repeat& loop, const Bindings& bindings);
  void keep(const LoopProgress& progress, const Bindings& bindings);
  /// The global reductions of a loop that are under way while it computes.
  void start_reductions(const std::vector<PlanNode>& nodes);
  /// Waits for them; then their results and the values that follow, in the order of the plan, which may let
  /// them share memory.
  void finish_test(const std::vector<PlanNode>& nodes, const Bindings& bindings,
                   const StepObserver& observer);
  /// Global reductions that follow each other: their messages travel side by side.
  void reduce(std::span<const PlanNode> nodes, const StepObserver& observer);
  void fence();
  /// Before the first contribution.
  void begin_reductions();
  void make_exchanges(const Transport& transport);
  void make_exchange(const PlanNode& node, std::vector<int> buffers, const Transport& transport);
  void make_reductions();
  /// Null when there is none yet for the buffers that the arrays have now.
  Exchange* find_exchange(const PlanNode& node) const;
  void check_kept(int id) const;
  void check_viewed(int id) const;
  int checked_id(std::string_view name, ElementType type, int dimensions) const;

  std::unique_ptr<RankExecutor> executor_;
  Communicator communicator_;
  /// An exchange of arrays that have these buffers: others after a swap.
  struct Arranged {
    std::vector<int> buffers;
    std::unique_ptr<Exchange> exchange;
  };
  struct NodeExchanges {
    std::vector<Arranged> arranged;
    Exchange* under_way = nullptr;
  };
  /// By node id; empty for nodes that exchange nothing.
  std::vector<NodeExchanges> exchanges_;
  /// By stage; null for stages that are no global reductions.
  std::vector<std::unique_ptr<ValueReduction>> reductions_;
  /// Of reductions that are under way: kept, to allocate them once.
  std::vector<MPI_Request> requests_;
  /// Of the loop that ended last, for the one that goes on with its rounds.
  CountedTurns turns_;
  CarriedValues* carried_ = nullptr;
};

}  // namespace tessera
