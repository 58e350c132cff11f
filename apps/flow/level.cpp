// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "pipeline.hpp"
#include "solvers.hpp"
#include "stages.hpp"

namespace flow {
namespace {

using namespace tessera;

/// Declares the stages and loops of a level.
class Level {
 public:
  Level(Pipeline& pipeline, int level, const std::vector<Box>& boxes, const Settings& settings)
      : pipeline_(pipeline),
        level_(level),
        boxes_(boxes),
        box_(boxes[static_cast<std::size_t>(level)]),
        settings_(settings) {}

  /// Declares all of the level, and returns its flow after the loops.
  Flow add(Plane first, Plane second, const std::optional<Flow>& coarser) {
    first_ = first;
    second_ = second;
    begin(coarser);
    dx_ = bounded(pipeline_.stage<float>(name("second_dx"), Derivative<0>{}, second_));
    dy_ = bounded(pipeline_.stage<float>(name("second_dy"), Derivative<1>{}, second_));
    pipeline_.repeat(name("warps"), settings_.warps, [&](const Pipeline::Loop& loop) { warp(loop); });
    return flow_;
  }

 private:
  std::string name(const std::string& stage) const { return fmt::format("{}_{}", stage, level_); }

  /// Declares the flow with which the level begins.
  void begin(const std::optional<Flow>& coarser) {
    if (coarser) {
      const Box& of_coarser = boxes_[static_cast<std::size_t>(level_) + 1];
      const auto factor = [&](int d) {
        return static_cast<float>(static_cast<double>(box_[d].size()) /
                                  static_cast<double>(of_coarser[d].size()));
      };
      const Enlarge body{factor(0), factor(1), static_cast<float>(1 / settings_.zoom)};
      flow_ = {bounded(pipeline_.stage<float>(name("u"), body, coarser->u)),
               bounded(pipeline_.stage<float>(name("v"), body, coarser->v))};
    } else {
      flow_ = {bounded(pipeline_.stage<float, 2>(name("u"), Still{})),
               bounded(pipeline_.stage<float, 2>(name("v"), Still{}))};
    }
  }

  /// Bounds a stage by the edges of the level. Beyond them it has the values of the edges.
  Plane bounded(Plane stage) {
    pipeline_.bound(stage, box_, Boundary::clamp);
    return stage;
  }

  /// Declares a stage with the outputs `names`, whose body gets `inputs` and, for Charbonnier's penalty, the
  /// diffusivity.
  template <class Values, class Body, class... In>
  auto stages(const std::vector<std::string>& names, const Body& body, In... inputs) {
    // The outputs of the two calls differ only in the types of their kernels.
    const auto planes = [](const auto& outputs) {
      return std::apply([](const auto&... output) { return std::vector<Plane>{Plane(output)...}; }, outputs);
    };
    return settings_.penalty == Penalty::quadratic
               ? planes(pipeline_.stages<Values>(names, body, inputs...))
               : planes(pipeline_.stages<Values>(names, body, inputs..., diffusivity_));
  }

  /// Declares a turn of the loop over warps.
  void warp(const Pipeline::Loop& loop) {
    const bool ends_by_change = settings_.warp_tolerance > 0;
    const Flow start = ends_by_change ? copy("start_u", "start_v") : Flow{};
    linearise();
    solve();
    if (!ends_by_change) return;
    const Plane moved =
        pipeline_.stage<float>(name("moved"), SquaredChange{}, flow_.u, flow_.v, start.u, start.v);
    end_by(loop, moved, "warp", settings_.warp_tolerance);
  }

  /// Declares the equations of a warp.
  void linearise() {
    if (settings_.penalty == Penalty::charbonnier) {
      diffusivity_ = bounded(pipeline_.stage<float>(name("diffusivity"), Diffusivity{}, flow_.u, flow_.v));
    }
    const double smoothness =
        settings_.penalty == Penalty::quadratic ? settings_.alpha * settings_.alpha : settings_.alpha;
    const Equations body{static_cast<int>(box_[0].size()), static_cast<int>(box_[1].size()),
                         static_cast<float>(smoothness), reach()};
    equations_ = stages<TypeList<float, float, float>>({name("gx"), name("gy"), name("h")}, body, first_,
                                                       second_, dx_, dy_, flow_.u, flow_.v);
  }

  /// The largest displacement, in pixels of this level.
  float reach() const {
    // If there is no limit, this displacement leads out of every image.
    if (!settings_.reach) return 1e9f;
    return static_cast<float>(std::ceil(*settings_.reach * std::pow(settings_.zoom, level_)));
  }

  /// Declares copies of both components of the flow.
  Flow copy(const char* u, const char* v) {
    return {pipeline_.stage<float>(name(u), Copy{}, flow_.u),
            pipeline_.stage<float>(name(v), Copy{}, flow_.v)};
  }

  /// Declares the loop of the solver.
  void solve() {
    if (settings_.solver == Solver::chebyshev) return solve_accelerated();
    pipeline_.repeat(name("solve"), settings_.turns, [&](const Pipeline::Loop& loop) {
      end_turn(loop, settings_.solver == Solver::jacobi ? turn(Jacobi{}, flow_.u, flow_.v) : relaxed());
    });
  }

  using ThreePlanes = TypeList<float, float, float>;

  std::vector<std::string> names_of_turn() const { return {name("next_u"), name("next_v"), name("change")}; }

  /// Declares the last stage of a turn, which computes the next flow and its change.
  template <class Body, class... In>
  std::vector<Plane> turn(const Body& body, In... inputs) {
    return stages<ThreePlanes>(names_of_turn(), body, inputs..., equations_[0], equations_[1], equations_[2]);
  }

  /// Declares a turn of successive over-relaxation: a part for each colour of pixels. Returns the outputs of
  /// its last stage.
  std::vector<Plane> relaxed() {
    const auto relaxation = static_cast<float>(settings_.relaxation);
    const Plane &gx = equations_[0], &gy = equations_[1], &h = equations_[2];
    Flow now = flow_;
    for (const auto& [part, colour] :
         {std::pair{"first_{}", Colour{0, 0}}, {"second_{}", Colour{1, 0}}, {"third_{}", Colour{0, 1}}}) {
      const Relax body{colour, relaxation};
      now.u = component(fmt::format(fmt::runtime(part), "u"), body, now.u, now.v, gx, gy, h);
      now.v = component(fmt::format(fmt::runtime(part), "v"), body, now.v, now.u, gy, gx, h);
    }
    return turn(RelaxLast{{Colour{1, 1}, relaxation}}, now.u, now.v, flow_.u, flow_.v);
  }

  /// Declares a part of a turn of over-relaxation for one component of the flow.
  template <class... In>
  Plane component(const std::string& part, const Relax& body, In... inputs) {
    const std::string stage = name(part);
    return bounded(settings_.penalty == Penalty::quadratic
                       ? Plane(pipeline_.stage<float>(stage, body, inputs...))
                       : Plane(pipeline_.stage<float>(stage, body, inputs..., diffusivity_)));
  }

  Spectrum spectrum() const {
    return {settings_.penalty == Penalty::quadratic ? Spectrum::least_of_mean : Spectrum::least_of_any_mean,
            settings_.relaxation};
  }

  /// Declares the stage of a turn of Chebyshev's acceleration. `before` is the iterate before the flow. If
  /// `keeps_iterate`, the last two outputs are copies of the flow that the turn begins with.
  template <bool keeps_iterate>
  std::vector<Plane> accelerated(const Flow& before, Array<float, 1> weight) {
    using Values =
        std::conditional_t<keeps_iterate, TypeList<float, float, float, float, float>, ThreePlanes>;
    std::vector<std::string> names = names_of_turn();
    if (keeps_iterate) names.insert(names.end(), {name("kept_u"), name("kept_v")});
    return stages<Values>(names, Chebyshev<keeps_iterate>{spectrum().step}, flow_.u, flow_.v, before.u,
                          before.v, weight, equations_[0], equations_[1], equations_[2]);
  }

  /// Declares the loop of the solver with Chebyshev's acceleration.
  void solve_accelerated() {
    const Flow before = copy("before_u", "before_v");
    for (const Plane component : {before.u, before.v}) pipeline_.bound(component, box_, {});
    const Array<float, 1> weight = pipeline_.value<float>(name("weight"), NoWeight{});
    pipeline_.repeat(name("solve"), settings_.turns, [&](const Pipeline::Loop& loop) {
      const Array<float, 1> next =
          pipeline_.value<float>(name("next_weight"), ChebyshevWeight{spectrum().radius_squared}, weight);
      if (settings_.levels_in_tiles.contains(level_)) {
        // Tiles of several turns store the outputs of their last turn only. If `flow_` were fed to `before`,
        // the outputs of the turn before the last would have to be stored, too, by a step that computes its
        // tiles again.
        const std::vector<Plane> outputs = accelerated<true>(before, next);
        end_turn(loop, outputs);
        loop.feed(outputs[3], before.u);
        loop.feed(outputs[4], before.v);
      } else {
        end_turn(loop, accelerated<false>(before, next));
        loop.feed(flow_.u, before.u);
        loop.feed(flow_.v, before.v);
      }
      loop.feed(next, weight);
    });
  }

  /// Feeds the outputs of a turn to the next one, and declares when the loop ends.
  void end_turn(const Pipeline::Loop& loop, const std::vector<Plane>& outputs) {
    loop.feed(outputs[0], flow_.u);
    loop.feed(outputs[1], flow_.v);
    end_by(loop, outputs[2], "turn", settings_.tolerance);
  }

  /// Lets a loop report the root of the mean of `squares`. If the tolerance is not 0, the loop ends when the
  /// root is not above it. `of` is "turn" or "warp". The squares are reduced, so that they are not stored.
  void end_by(const Pipeline::Loop& loop, Plane squares, const std::string& of, double tolerance) {
    const auto array = [&](const char* what) { return name(fmt::format("{}_of_{}", what, of)); };
    const auto sum = pipeline_.reduce(array("squares"), Sum<float>{}, squares, box_);
    const Array<double, 1> change =
        pipeline_.value<double>(array("change"), RootMean{static_cast<double>(box_.size())}, sum);
    loop.watch(change);
    if (tolerance > 0) loop.until(pipeline_.value<std::uint8_t>(array("end"), IsAtMost{tolerance}, change));
  }

  Pipeline& pipeline_;
  int level_;
  const std::vector<Box>& boxes_;
  Box box_;
  const Settings& settings_;
  Plane first_, second_, dx_{}, dy_{}, diffusivity_{};
  std::vector<Plane> equations_;
  Flow flow_{};
};

}  // namespace

Flow add_level(Pipeline& pipeline, int level, const std::vector<Box>& boxes, const Settings& settings,
               Plane first, Plane second, const std::optional<Flow>& coarser) {
  return Level(pipeline, level, boxes, settings).add(first, second, coarser);
}

}  // namespace flow
