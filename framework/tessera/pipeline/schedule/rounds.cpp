// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/schedule/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/algorithm/declarations.hpp"
#include "tessera/pipeline/schedule/detail/end_of_round.hpp"

namespace tessera {
namespace detail {

/// Copies a pipeline and adds rounds before some of its loops. The turns of a round are counted from 1. A
/// stage that reads an array `a` reads one of three arrays in turn j of a round. If the loop computes `a`,
/// the stage reads the copy of `a` for turn j. If another array is fed to `a` and j > 1, the stage reads the
/// array that turn j - 1 feeds to `a`. Otherwise it reads `a` itself.
class RoundsBuilder {
 public:
  RoundsBuilder(const Algorithm& pipeline, const Schedule& schedule)
      : old_(pipeline), schedule_(schedule), settled_(schedule), loop_place_(pipeline.loops().size()) {}

  Rounds build() {
    check();
    settled_.loops.clear();
    const auto& loops = old_.loops();
    for (ArrayId id : old_.ids()) {
      for (std::size_t l = 0; l < loops.size(); ++l)
        if (loops[l].first == id) begin(l);
      place_.push_back(add(old_[id], old_[id].name, [this](ArrayId input) { return place(input); }));
      for (std::size_t l = loops.size(); l-- > 0;)
        if (loops[l].last == id + 1) end(l);
    }
    std::vector<FusableGroup> groups = old_.groups();
    for (FusableGroup& group : groups)
      for (ArrayId& stage : group.stages) stage = place(stage);
    return {Algorithm(std::move(arrays_), std::move(loops_), std::move(groups)), std::move(settled_)};
  }

 private:
  using Loop = LoopDeclaration;
  /// An array of the old pipeline in one turn of a round. Turn 0 stands for the array outside the round.
  struct Copy {
    ArrayId array;
    int turn;
    auto operator<=>(const Copy&) const = default;
  };

  ArrayId place(ArrayId id) const { return place_[id]; }
  /// The id of the array that is added next.
  ArrayId next() const { return ArrayId{arrays_.size()}; }

  const LoopSchedule& asked_for(const Loop& loop) const { return schedule_.loop(loop.name); }

  void check() const {
    for (const Loop& loop : old_.loops())
      if (loop.rounds_of >= 0) throw InternalError(fmt::format("'{}' are rounds already", loop.name));
    for (const auto& [name, asked] : schedule_.loops) {
      const auto loop =
          std::ranges::find_if(old_.loops(), [&name = name](const Loop& one) { return one.name == name; });
      const std::string key = "loops." + name + ".";
      if (loop == old_.loops().end())
        throw ScheduleError("loops." + name, fmt::format("the pipeline has no loop '{}'", name));
      check_number(key + "turns_per_exchange", asked.turns_per_exchange);
      check_number(key + "turns_per_tile", asked.turns_per_tile);
      check_number(key + "turns_per_test", asked.turns_per_test);
      if (asked.turns() > 1) check_innermost(*loop);
      if (asked.overlaps_test) check_overlap(*loop);
    }
  }

  void check_overlap(const Loop& loop) const {
    if (const std::string reason = reason_against_overlap(old_, loop); !reason.empty())
      throw ScheduleError("loops." + loop.name + ".test", fmt::format("{}: only 'waits' is legal", reason));
  }

  static void check_number(const std::string& key, int turns) {
    if (turns < 1 || turns > most_turns_per_round)
      throw ScheduleError(key, fmt::format("{} turns: 1 to {} are legal", turns, most_turns_per_round));
  }

  /// The key that asks for rounds of a loop.
  std::string key_of(const Loop& loop) const {
    const LoopSchedule& asked = asked_for(loop);
    return fmt::format("loops.{}.{}", loop.name,
                       asked.turns_per_exchange > 1 ? "turns_per_exchange"
                       : asked.turns_per_tile > 1   ? "turns_per_tile"
                                                    : "turns_per_test");
  }

  void check_innermost(const Loop& loop) const {
    // Loops are listed in the order in which they begin, and outer loops before inner ones.
    for (const Loop& inner : old_.loops())
      if (&inner > &loop && inner.last <= loop.last)
        throw ScheduleError(key_of(loop),
                            fmt::format("the loop '{}' has the loop '{}' in it: its turns run one by one",
                                        loop.name, inner.name));
  }

  /// Adds an array and returns its id. place_of(input) gives the new id of each input. A further output
  /// belongs to the stage that was added last.
  template <class PlaceOf>
  ArrayId add(ArrayDeclaration declaration, std::string name, const PlaceOf& place_of) {
    for (ArrayId& input : declaration.inputs) input = place_of(input);
    for (const ArrayDeclaration& other : old_.arrays())
      if (other.name == name && name != declaration.name)
        throw InternalError(fmt::format("'{}' is the name of a copy in rounds: choose another", name));
    declaration.name = std::move(name);
    declaration.lead = declaration.is_further_output() ? arrays_.back().lead : next();
    return arrays_.push_back(std::move(declaration));
  }

  /// Begins loop number `l`, after its rounds.
  void begin(std::size_t l) {
    const Loop& loop = old_.loops()[l];
    const int turns = asked_for(loop).turns();
    // At least one turn is left for the loop itself.
    const std::int64_t in_rounds = (loop.maximum - 1) / turns * turns;
    if (turns > 1 && in_rounds > 0) add_rounds(loop, turns, in_rounds);
    loop_place_[l] = loops_.size();
    loops_.push_back({.name = loop.name, .first = next(), .maximum = loop.maximum});
  }

  /// Ends loop number `l`, and gives its feeds and values the new ids.
  void end(std::size_t l) {
    const Loop& from = old_.loops()[l];
    Loop& to = loops_[loop_place_[l]];
    to.last = next();
    if (from.condition != no_array) to.condition = place(from.condition);
    for (ArrayId residual : from.residuals) to.residuals.push_back(place(residual));
    for (const auto& feed : from.feeds) to.feeds.push_back({place(feed.from), place(feed.to)});
    to.overlaps_test = asked_for(from).overlaps_test;
    for (Loop& rounds : loops_)
      if (rounds.overlaps_test && rounds.rounds_of == static_cast<int>(loop_place_[l]))
        keep_in_next_iterates(to, rounds);
  }

  // The following functions add the rounds of one loop.
  /// Follows feeds back from `copy` to the array whose points `copy` has. The result is an array that the
  /// loop computes, in one turn of the round, or an array outside the round, with turn 0.
  Copy origin(Copy copy) const {
    while (!loop_->contains(copy.array)) {
      const Loop::Feed* feed = loop_->feed_to(copy.array);
      if (feed == nullptr || copy.turn == 1) return {copy.array, 0};
      copy = {feed->from, copy.turn - 1};
    }
    return copy;
  }

  /// Notes that the round needs a copy, and all copies that are needed to compute it.
  void need(Copy copy) {
    copy = origin(copy);
    if (copy.turn == 0) return;
    const ArrayId lead = old_[copy.array].lead;
    if (!needed_.insert({lead, copy.turn}).second) return;
    for (ArrayId input : old_[lead].inputs) need({input, copy.turn});
  }

  /// Returns the new id of an array in a turn of the round. Adds the copy of its stage if it is missing.
  ArrayId copied(Copy copy) {
    copy = origin(copy);
    if (copy.turn == 0) return place(copy.array);
    const ArrayId lead = old_[copy.array].lead;
    const int offset = to_int(copy.array) - to_int(lead);
    if (const auto known = copies_.find({lead, copy.turn}); known != copies_.end())
      return known->second + offset;
    std::map<ArrayId, ArrayId> inputs;
    for (ArrayId input : old_[lead].inputs) inputs[input] = copied({input, copy.turn});
    const ArrayId first = next();
    for (ArrayId part : old_.parts(lead)) {
      ArrayDeclaration declaration = old_[part];
      if (declaration.is_output && !declaration.is_bounded() && !declaration.is_everywhere())
        declaration.domain = {};
      declaration.is_output = false;
      add(std::move(declaration), fmt::format("{}@{}", old_[part].name, copy.turn),
          [&](ArrayId input) { return inputs.at(input); });
    }
    copies_[{lead, copy.turn}] = first;
    return first + offset;
  }

  /// Adds the loop whose turns are rounds of `turns` turns of `loop`. All rounds together have `maximum`
  /// turns.
  void add_rounds(const Loop& loop, int turns, std::int64_t maximum) {
    loop_ = &loop;
    turns_ = turns;
    needed_.clear();
    copies_.clear();
    Loop rounds{.name = loop.name + "@rounds", .first = next()};
    rounds.maximum = maximum;
    rounds.turns = turns;
    for (const auto& feed : loop.feeds) need({feed.from, turns});
    for (int turn = 1; turn <= turns; ++turn) {
      if (loop.condition != no_array) need({loop.condition, turn});
      for (ArrayId residual : loop.residuals) need({residual, turn});
    }
    add_points_first();
    for (int turn = 1; turn <= turns; ++turn)
      for (ArrayId residual : loop.residuals) rounds.residuals.push_back(copied({residual, turn}));
    for (const auto& feed : loop.feeds) rounds.feeds.push_back({copied({feed.from, turns}), place(feed.to)});
    end_iterates_at_domains();
    schedule_copies(rounds);
    rounds.condition = add_end(rounds);
    rounds.last = next();
    rounds.overlaps_test = asked_for(loop).overlaps_test;
    if (rounds.overlaps_test) keep_in_spare_arrays(loop, rounds);
    rounds.rounds_of = static_cast<int>(loops_.size()) + 1;
    loops_.push_back(std::move(rounds));
  }

  // The arrays of the beginning of an overlapped round must be kept until its test is known, after the next
  // round. The rounds therefore feed them on to further arrays.
  /// Lets the overlapped rounds of `old_loop` keep arrays that `old_loop` feeds on, but the rounds do not.
  /// Each of them is fed on to a spare array. `old_loop` has the ids of the old pipeline, and `rounds` has
  /// those of the new one.
  void keep_in_spare_arrays(const Loop& old_loop, Loop& rounds) {
    for (const auto& [from, to] : old_loop.feeds)
      if (old_loop.feed_from(to) != nullptr && rounds.feed_from(place(to)) == nullptr) {
        const ArrayDeclaration& kept = old_[to];
        ArrayDeclaration spare{.name = kept.name,
                               .type = kept.type,
                               .dimensions = kept.dimensions,
                               .kind = kept.is_value() ? ArrayKind::value : ArrayKind::stage,
                               .domain = kept.is_value() ? kept.domain : Box()};
        rounds.feeds.push_back(
            {place(to), add(std::move(spare), fmt::format("{}@{}@kept", kept.name, old_loop.name),
                            [](ArrayId input) { return input; })});
      }
  }

  /// Lets the overlapped rounds of `new_loop` keep the last array of each chain of feeds. This array is fed
  /// on to the next iterate at the other end of the chain, whose memory no round uses. Both loops have the
  /// ids of the new pipeline.
  static void keep_in_next_iterates(const Loop& new_loop, Loop& rounds) {
    for (const auto& chain : feed_chains(new_loop))
      rounds.feeds.push_back({chain.front().to, chain.back().from});
  }

  /// Adds the copies of all stages of a round. Values and reductions are added last, except those that are
  /// needed to compute points. The ranks can then exchange the results of all these reductions at once.
  /// Reductions on devices, and reductions with a schedule of their own, keep their places, because otherwise
  /// the arrays that they reduce would have to be kept for all turns.
  void add_points_first() {
    const auto comes_late = [this](ArrayId id) {
      const bool is_apart = !schedule_.stage(old_[id].name).is_default();
      return old_[id].is_value() || (old_[id].is_reduction() && runs_on_host && !is_apart);
    };
    for (int turn = 1; turn <= turns_; ++turn)
      for (ArrayId id : loop_->arrays())
        if (needed_.contains({old_[id].lead, turn}) && !comes_late(id)) copied({id, turn});
    for (const Copy& copy : needed_) copied(copy);
  }

  /// Gives every array that one turn of a round feeds to the next turn the domain of the fed array, and its
  /// boundary conditions.
  void end_iterates_at_domains() {
    std::set<ArrayId> stages;
    for (const auto& feed : loop_->feeds)
      for (int turn = 2; turn <= turns_ && !old_[feed.to].is_value(); ++turn) {
        const Copy copy = origin({feed.to, turn});
        if (copy.turn == 0 || !needed_.contains({old_[copy.array].lead, copy.turn})) continue;
        ArrayDeclaration& iterate = arrays_[copied(copy)];
        const ArrayDeclaration& fed = old_[feed.to];
        if (iterate.is_bounded() && iterate.boundary != BoundaryConditions() &&
            fed.boundary != BoundaryConditions() && iterate.boundary != fed.boundary)
          throw ScheduleError(key_of(*loop_),
                              fmt::format("'{}' is fed on to '{}', which has other boundary conditions: its "
                                          "turns run one by one",
                                          old_[copy.array].name, fed.name));
        // The kernel of a stage that had periodic sides before computes beyond them already.
        if (!iterate.is_bounded() || !iterate.has_periodic_side()) stages.insert(iterate.lead);
        if (!iterate.is_bounded() || iterate.boundary == BoundaryConditions())
          iterate.boundary = fed.boundary;
        iterate.kind = ArrayKind::bounded;
        iterate.domain = fed.domain;
      }
    for (ArrayId stage : stages) compute_beyond_periodic_sides(arrays_, stage);
  }

  void schedule_copies(const Loop& rounds) {
    for (const auto& [copy, first] : copies_) {
      StageSchedule settled = schedule_.stage(old_[copy.array].name);
      settle(copy, first, rounds, settled);
      settled_.stages[arrays_[first].name] = settled;
    }
  }

  /// Sets the placement of a copy as the keys of the loop say, and removes a grid that the copy cannot have.
  /// `first` is the new id of the first output of the copy.
  void settle(const Copy& copy, ArrayId first, const Loop& rounds, StageSchedule& settled) const {
    const LoopSchedule& asked = asked_for(*loop_);
    if (arrays_[first].is_everywhere()) return;
    bool is_fed = false, is_bounded = false;
    for (ArrayId part : IdRange(first, first + arrays_[first].output_count)) {
      is_fed = is_fed || rounds.feed_from(part) != nullptr;
      is_bounded = is_bounded || arrays_[part].is_bounded();
    }
    // All arrays of a swap group have the grid of the last one, which belongs to the loop itself.
    if (is_fed) settled.grid.reset();
    // The keys of the loop say how its turns are computed.
    if (settled.placement == Placement::automatic) settled.placement = Placement::distributed;
    if (is_fed || settled.placement != Placement::distributed) return;
    const bool leaves_tiles = is_bounded && copy.turn % asked.turns_per_tile == 0;
    const bool is_exchanged = is_bounded && copy.turn % asked.turns_per_exchange == 0;
    if (asked.turns_per_tile > 1 && !leaves_tiles)
      settled.placement = Placement::tile;
    else if (asked.turns_per_exchange > 1 && !is_exchanged)
      settled.placement = Placement::rank;
    if (settled.placement != Placement::distributed) check_ghosts(first);
  }

  /// Throws ScheduleError if a rank cannot compute ghosts of the copy `stage` for itself.
  void check_ghosts(ArrayId stage) const {
    if (const std::string reason = reason_against_ghosts(arrays_, stage); !reason.empty())
      throw ScheduleError(key_of(*loop_), fmt::format("{}: only 1 is legal", reason));
  }

  /// Adds the value that tells whether the loop should have ended during a round. Returns the id of this
  /// value, or no_array if the loop has neither a condition nor residuals.
  ArrayId add_end(const Loop& rounds) {
    ArrayDeclaration end{
        .name = loop_->name + "@end", .type = ElementType::uint8, .dimensions = 1, .domain = Box{{0, 1}}};
    std::vector<ElementType> conditions, residuals;
    for (int turn = 1; turn <= turns_ && loop_->condition != no_array; ++turn) {
      end.inputs.push_back(copied({loop_->condition, turn}));
      conditions.push_back(old_[loop_->condition].type);
    }
    for (ArrayId residual : rounds.residuals) {
      end.inputs.push_back(residual);
      residuals.push_back(old_[loop_->residuals.front()].type);
    }
    if (end.inputs.empty()) return no_array;
    end.kernel = std::make_shared<EndOfRound>(std::move(conditions), std::move(residuals));
    end.whole[0] = end.domain[0];
    end.kind = ArrayKind::value;
    end.lead = next();
    return arrays_.push_back(std::move(end));
  }

  const Algorithm& old_;
  const Schedule& schedule_;
  IdVector<ArrayId, ArrayDeclaration> arrays_;
  std::vector<Loop> loops_;
  Schedule settled_;
  /// The new id of each old array, and the new number of each old loop.
  IdVector<ArrayId, ArrayId> place_;
  std::vector<std::size_t> loop_place_;
  // Data of the current round. In these sets and maps, a stage is named by its first output.
  const Loop* loop_ = nullptr;
  int turns_ = 1;
  std::set<Copy> needed_;
  std::map<Copy, ArrayId> copies_;
};

}  // namespace detail

std::string key_without_turn(std::string key) {
  if (const std::size_t turn = key.find('@'); turn != std::string::npos)
    key.erase(turn, key.find('.', turn) - turn);
  return key;
}

Rounds in_rounds(const Algorithm& pipeline, const Schedule& schedule) {
  Rounds rounds = detail::RoundsBuilder(pipeline, schedule).build();
  for (const std::string& line : pipeline.remarks()) rounds.pipeline.remark(line);
  return rounds;
}

}  // namespace tessera
