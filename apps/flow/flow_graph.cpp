// SPDX-License-Identifier: BSD-3-Clause
#include "flow_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <utility>

#include "tessera/graph/pipeline_task.hpp"
#include "tessera/pipeline/run/residual.hpp"

namespace flow {
namespace {

using namespace tessera;
using graph::Image;

/// The only element of an output.
template <class T>
class OneElement final : public BlockSink {
 public:
  void write(const HostBlock& block) override { std::memcpy(&value, block.data, sizeof(T)); }
  T value{};
};

/// The only element of an input.
class OneNumber final : public BlockSource {
 public:
  explicit OneNumber(float value) : value_(value) {}
  void read(const HostBlock& block) override { std::memcpy(block.data, &value_, sizeof(value_)); }

 private:
  float value_;
};

/// An array of a plan, and the image that it is.
struct Bound {
  std::string array;
  Image* image;
};

/// The names of an array of a level in the plans. The flows of a level change places, so that each needs what
/// all need.
std::vector<std::string> aliases(int level, const std::string& array) {
  for (const char* const component : {"u", "v"})
    if (array.ends_with(fmt::format("{}_{}", component, level)))
      return {fmt::format("{}_{}", component, level), fmt::format("next_{}_{}", component, level),
              fmt::format("before_{}_{}", component, level), fmt::format("start_{}_{}", component, level)};
  return {array};
}

/// The arrays of a level that the turns read besides the flow.
std::vector<std::string> equation_names(const PairPlans& plans, int level) {
  std::vector<std::string> names;
  for (const char* const array : {"gx", "gy", "h"}) names.push_back(fmt::format("{}_{}", array, level));
  if (plans.has_diffusivity()) names.push_back(fmt::format("diffusivity_{}", level));
  return names;
}

/// The base of the bodies of all tasks, which work on a pair and its present level. Each worker has a copy of
/// a body, with plan instances of its own for each level.
class LevelBody {
 protected:
  const LevelPlans& plans(const Pair& pair) const { return pair.plans->levels()[place(pair)]; }
  static std::size_t place(const Pair& pair) { return static_cast<std::size_t>(pair.level); }
  static std::string name(const Pair& pair, const char* array) {
    return fmt::format("{}_{}", array, pair.level);
  }

  /// The flow `which` of a pair under the names `u` and `v`.
  static void add_flow_to(std::vector<Bound>& images, Pair& pair, std::size_t which, const char* u,
                          const char* v) {
    images.push_back({name(pair, u), &pair.flows[which].u});
    images.push_back({name(pair, v), &pair.flows[which].v});
  }

  /// Makes images those arrays that they are bound to, where a task computes them.
  static void become(const Pair& pair, const Planned& planned, const std::vector<Bound>& images) {
    // An image is always the same array of a plan, but for flows, whose arrays are laid out alike.
    for (const auto& [array, image] : images)
      if (image->planned() != planned)
        image->become_array(planned, array, pair.plans->points_of(aliases(pair.level, array)));
  }

  void compute(const Planned& planned, const std::vector<Bound>& images, std::size_t level,
               Bindings bindings = {}) {
    std::vector<graph::NamedImage> named;
    for (const auto& [array, image] : images) named.push_back({array, *image});
    while (bodies_.size() <= level) bodies_.emplace_back();
    bodies_[level].compute(planned, named, std::move(bindings));
  }

 private:
  std::deque<graph::PipelineBody> bodies_;
};

/// The body of a task: the pyramids of both frames.
class MakePyramids : LevelBody {
 public:
  PairLease operator()(PairLease lease) {
    Pair& pair = *lease;
    std::vector<Bound> images{{"input", &pair.first}, {"frame_1", &pair.second}};
    int level = 0;
    for (auto& planes : pair.pyramids) {
      std::size_t number = 0;
      for (const char* const array : {"first", "second", "second_dx", "second_dy"})
        images.push_back({fmt::format("{}_{}", array, level), &planes[number++]});
      ++level;
    }
    compute(pair.plans->pyramids(), images, 0);
    return lease;
  }
};

/// The body of a task: the flow with which the next finer level begins.
class BeginLevel : LevelBody {
 public:
  PairLease operator()(PairLease lease) {
    Pair& pair = *lease;
    std::vector<Bound> images;
    const bool is_coarsest = pair.level == static_cast<int>(pair.plans->levels().size());
    if (!is_coarsest) add_flow_to(images, pair, pair.now, "u", "v");
    --pair.level;
    std::vector<Bound> begun;
    pair.before = pair.start = pair.now;
    pair.now = pair.unused();
    add_flow_to(begun, pair, pair.now, "u", "v");
    const Planned& planned = plans(pair).begin;
    become(pair, planned, begun);
    images.insert(images.end(), begun.begin(), begun.end());
    compute(planned, images, place(pair));
    pair.is_settled = false;
    pair.turns.emplace_back();
    return lease;
  }
};

/// The body of a task: the equations of a warp.
class Linearise : LevelBody {
 public:
  PairLease operator()(PairLease lease) {
    Pair& pair = *lease;
    const Planned& planned = plans(pair).linearise;
    std::vector<Bound> images, computed;
    std::size_t number = 0;
    for (const char* const array : {"first", "second", "second_dx", "second_dy"})
      images.push_back({name(pair, array), &pair.pyramids[place(pair)][number++]});
    add_flow_to(images, pair, pair.now, "u", "v");
    number = 0;
    for (const std::string& array : equation_names(*pair.plans, pair.level))
      computed.push_back({array, &pair.equations[number++]});
    become(pair, planned, computed);
    images.insert(images.end(), computed.begin(), computed.end());
    compute(planned, images, place(pair));
    pair.start = pair.before = pair.now;
    pair.weight = 0;
    pair.is_solved = false;
    pair.turns.back().push_back(0);
    return lease;
  }
};

/// The body of a task: a turn of the solver.
class TurnOfSolver : LevelBody {
 public:
  explicit TurnOfSolver(const Settings& settings)
      : ends_by_change_(settings.tolerance > 0), is_accelerated_(settings.solver == Solver::chebyshev) {}

  PairLease operator()(PairLease lease) {
    Pair& pair = *lease;
    const Planned& planned = plans(pair).turn;
    const std::size_t next = pair.unused();
    std::vector<Bound> images, computed;
    add_flow_to(computed, pair, next, "next_u", "next_v");
    become(pair, planned, computed);
    add_flow_to(images, pair, pair.now, "u", "v");
    images.insert(images.end(), computed.begin(), computed.end());
    std::size_t number = 0;
    for (const std::string& array : equation_names(*pair.plans, pair.level))
      images.push_back({array, &pair.equations[number++]});
    OneNumber weight(pair.weight);
    OneElement<float> next_weight;
    OneElement<std::uint8_t> end;
    OneElement<double> change;
    Bindings bindings;
    bindings.sinks[name(pair, "change_of_turn")] = &change;
    if (is_accelerated_) {
      add_flow_to(images, pair, pair.before, "before_u", "before_v");
      bindings.sources[name(pair, "weight")] = &weight;
      bindings.sinks[name(pair, "next_weight")] = &next_weight;
    }
    if (ends_by_change_) bindings.sinks[name(pair, "end_of_turn")] = &end;
    compute(planned, images, place(pair), std::move(bindings));
    pair.before = pair.now;
    pair.now = next;
    pair.weight = next_weight.value;
    pair.is_solved = end.value != 0;
    ++pair.turns.back().back();
    check_residual(name(pair, "solve"), pair.turns.back().back(), name(pair, "change_of_turn"), change.value);
    return lease;
  }

 private:
  bool ends_by_change_, is_accelerated_;
};

/// The body of a task: whether a warp has changed the flow so little that the loop ends. Without a tolerance,
/// it never has.
class CompareWarp : LevelBody {
 public:
  PairLease operator()(PairLease lease) {
    Pair& pair = *lease;
    const Planned& planned = plans(pair).compare;
    if (planned == nullptr) return lease;
    std::vector<Bound> images;
    add_flow_to(images, pair, pair.now, "u", "v");
    add_flow_to(images, pair, pair.start, "start_u", "start_v");
    OneElement<std::uint8_t> end;
    OneElement<double> change;
    Bindings bindings;
    bindings.sinks[name(pair, "end_of_warp")] = &end;
    bindings.sinks[name(pair, "change_of_warp")] = &change;
    compute(planned, images, place(pair), std::move(bindings));
    pair.is_settled = end.value != 0;
    check_residual(name(pair, "warps"), std::ssize(pair.turns.back()), name(pair, "change_of_warp"),
                   change.value);
    return lease;
  }
};

/// The body of a task: the result.
class MakeResult : LevelBody {
 public:
  PairLease operator()(PairLease lease) {
    Pair& pair = *lease;
    const Planned& planned = pair.plans->results();
    const Extras& extras = pair.plans->extras();
    std::vector<Bound> images, computed{{"flow", &pair.result}};
    if (extras.has_picture) computed.push_back({"picture", &pair.picture});
    become(pair, planned, computed);
    add_flow_to(images, pair, pair.now, "u", "v");
    if (extras.blend) images.push_back({"input", &pair.first});
    if (extras.has_truth) images.push_back({"truth", &pair.truth});
    images.insert(images.end(), computed.begin(), computed.end());
    std::array<OneElement<double>, error_names.size()> errors;
    OneElement<float> largest_square;
    Bindings bindings;
    if (extras.tells_largest) bindings.sinks["largest_square"] = &largest_square;
    for (std::size_t i = 0; extras.has_truth && i < errors.size(); ++i)
      bindings.sinks[error_names[i]] = &errors[i];
    compute(planned, images, 0, std::move(bindings));
    pair.largest = std::sqrt(largest_square.value);
    for (std::size_t i = 0; i < errors.size(); ++i) pair.errors[i] = errors[i].value;
    return lease;
  }
};

}  // namespace

void Pair::begin(std::int64_t number, std::shared_ptr<const PairPlans> its_plans) {
  index = number;
  const bool is_alike = plans == its_plans;
  plans = std::move(its_plans);
  level = static_cast<int>(plans->levels().size());
  turns.clear();
  if (!is_alike) Image::become_arrays(images());
}

std::int64_t Pair::bytes_for(std::shared_ptr<const PairPlans> its_plans) {
  Pair pair;
  pair.plans = std::move(its_plans);
  return Image::bytes_for(pair.images());
}

std::vector<graph::ImageOfArray> Pair::images() {
  const Planned& planned = plans->pyramids();
  std::vector<graph::ImageOfArray> images{{&first, planned, "input", plans->points_of({"input"})},
                                          {&second, planned, "frame_1"},
                                          {&result, plans->results(), "flow"}};
  if (plans->extras().has_truth) images.push_back({&truth, plans->results(), "truth"});
  if (plans->extras().has_picture) images.push_back({&picture, plans->results(), "picture"});
  pyramids.resize(plans->levels().size());
  int of_level = 0;
  for (auto& planes : pyramids) {
    std::size_t plane = 0;
    for (const char* const array : {"first", "second", "second_dx", "second_dy"}) {
      const std::string name = fmt::format("{}_{}", array, of_level);
      images.push_back({&planes[plane++], planned, name, plans->points_of({name})});
    }
    ++of_level;
  }
  const auto& levels = plans->levels();
  for (auto& [u, v] : flows)
    for (const auto& [image, component] : {std::pair(&u, "u"), {&v, "v"}})
      images.push_back(largest_of_levels(*image, [&levels, name = component](int of) {
        return std::pair(levels[static_cast<std::size_t>(of)].turn, fmt::format("next_{}_{}", name, of));
      }));
  for (std::size_t number = 0; number < equation_names(*plans, 0).size(); ++number)
    images.push_back(largest_of_levels(equations[number], [&](int of) {
      return std::pair(levels[static_cast<std::size_t>(of)].linearise, equation_names(*plans, of)[number]);
    }));
  return images;
}

graph::ImageOfArray Pair::largest_of_levels(
    Image& image, const std::function<std::pair<Planned, std::string>(int)>& array) const {
  std::vector<graph::ImageOfArray> arrays;
  for (int of_level = 0; of_level < static_cast<int>(plans->levels().size()); ++of_level) {
    auto [planned, name] = array(of_level);
    arrays.push_back({&image, std::move(planned), name, plans->points_of(aliases(of_level, name))});
  }
  return *std::ranges::max_element(
      arrays, {}, [](const graph::ImageOfArray& entry) { return Image::bytes_for({entry}); });
}

std::size_t Pair::unused() const {
  std::size_t place = 0;
  while (place == now || place == before || place == start) ++place;
  return place;
}

graph::Flow<PairLease> add_flow(graph::Graph& graph, const Settings& settings, std::int64_t levels,
                                const graph::Flow<PairLease>& pairs) {
  const auto begun = graph.task("pyramids", {}, MakePyramids{}, pairs);
  const auto computed = graph.loop(
      "level", {.most = levels}, begun,
      [&](const graph::Flow<PairLease>& level) {
        const auto start = graph.task("enlarge", {}, BeginLevel{}, level);
        return graph.loop(
            "warp", {.most = settings.warps}, start,
            [&](const graph::Flow<PairLease>& warp) {
              const auto equations = graph.task("linearise", {}, Linearise{}, warp);
              const auto solved = graph.loop(
                  "solve", {.most = settings.turns}, equations,
                  [&](const graph::Flow<PairLease>& turn) {
                    return graph.task("turn", {}, TurnOfSolver(settings), turn);
                  },
                  [](const PairLease& pair) { return pair->is_solved; });
              return graph.task("compare", {}, CompareWarp{}, solved);
            },
            [](const PairLease& pair) { return pair->is_settled; });
      },
      [](const PairLease& pair) { return pair->level == 0; });
  return graph.task("result", {}, MakeResult{}, computed);
}

}  // namespace flow
