// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/flood_sample.hpp"

#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/view/reductions.hpp"

namespace tessera::test {

FloodSample::FloodSample(Random& random)
    : box(random.box(2, -3, 3, 24)),
      sees_indices(random.chance(50)),
      reduces_change(random.chance(50)),
      has_state(random.chance(50)),
      starts_as_stage(random.chance(50)),
      boundary(random.one_of<Boundary>({Boundary::clamp, Boundary::mirror, Boundary::periodic})),
      maximum(random.between(1, 40)),
      enough(random.between(1, 40) * box.size()),
      state_turns(random.between(1, 30)),
      seed(box),
      mask(box) {
  if (random.chance(30)) boundary = BoundaryConditions::of_constant(std::int32_t{7});
  for_each_point(box, [&](const Point& p) {
    mask.at(p) = static_cast<std::int32_t>(random.between(0, 99));
    seed.at(p) = random.chance(10) ? static_cast<std::int32_t>(random.between(0, 99)) : 0;
  });
  declare();
}

void FloodSample::declare() {
  Array<std::int32_t, 2> u = pipeline.input<std::int32_t, 2>("seed", box, boundary);
  const auto cover = pipeline.input<std::int32_t, 2>("mask", box);
  Array<std::int64_t, 1> state{};
  if (has_state) state = pipeline.values<std::int64_t>("state", FirstState(), 2);
  if (starts_as_stage) {
    u = pipeline.stage<std::int32_t>("first", Halve(), u);
    pipeline.bound(u, box, boundary);
  }
  pipeline.repeat("flood", maximum, [&](const Pipeline::Loop& loop) {
    const Flood flood{sees_indices};
    const Array<std::int32_t, 2> next =
        has_state ? Array<std::int32_t, 2>(
                        pipeline.stage<std::int32_t>("next", FloodInTurns{flood}, u, cover, state))
                  : Array<std::int32_t, 2>(pipeline.stage<std::int32_t>("next", flood, u, cover));
    const Array<std::int32_t, 2> measured =
        reduces_change ? Array<std::int32_t, 2>(pipeline.stage<std::int32_t>("change", HasChanged(), next, u))
                       : next;
    const auto amount = pipeline.reduce("amount", Sum<std::int32_t>(), measured, box);
    const HasEnded ended{reduces_change, enough};
    loop.until(has_state
                   ? pipeline.value<std::uint8_t>("ended", HasEndedByState{ended, state_turns}, amount, state)
                   : pipeline.value<std::uint8_t>("ended", ended, amount));
    loop.watch(amount);
    loop.feed(next, u);
    if (has_state)
      loop.feed(pipeline.values<std::int64_t>("next state", NextState(), 2, state, amount), state);
  });
  pipeline.output(u);
  pipeline.output(pipeline.stage<std::int32_t>("after", Slope(), u), box);
}

WholeArray<std::int32_t> FloodSample::expected(LoopProgress& progress) const {
  WholeArray<std::int32_t> u(box), next(box);
  for_each_point(box, [&](const Point& p) { u.at(p) = starts_as_stage ? seed.at(p) / 2 : seed.at(p); });
  std::int64_t state[2] = {0, 0};
  progress = {};
  while (progress.turns < maximum && !progress.has_converged) {
    std::int64_t amount = 0;
    for_each_point(box, [&](const Point& p) {
      const auto at = [&](std::int64_t dx, std::int64_t dy) {
        return u.bounded(boundary, {{p[0] + dx, p[1] + dy, 0, 0}});
      };
      std::int32_t value = std::max({at(-1, 0), at(0, 0), at(0, 1)});
      const std::int64_t place = p[0] + 2 * p[1];
      if (!sees_indices || (place % 3 + 3) % 3 == 0) value = std::max({value, at(2, 0), at(0, -1)});
      if (has_state && state[0] % 3 == 2) value = std::max(at(0, 0), at(-1, -1));
      next.at(p) = std::min(value, mask.at(p));
      amount += reduces_change ? (next.at(p) != u.at(p) ? 1 : 0) : next.at(p);
    });
    std::swap(u, next);
    ++progress.turns;
    progress.residual = static_cast<double>(amount);
    progress.has_converged = reduces_change ? amount == 0 : amount >= enough;
    if (has_state && (state[0] + 1 >= state_turns || (amount == state[1] && state[0] >= 3)))
      progress.has_converged = true;
    ++state[0];
    state[1] = amount;
  }
  return u;
}

WholeArray<std::int32_t> FloodSample::after(const WholeArray<std::int32_t>& iterate) const {
  WholeArray<std::int32_t> result(box);
  for_each_point(box, [&](const Point& p) {
    result.at(p) = iterate.bounded(boundary, {{p[0] + 1, p[1] - 2, 0, 0}}) - iterate.at(p);
  });
  return result;
}

std::string FloodSample::text() const {
  std::string text = "loop on ";
  text += tessera::to_string(box);
  if (sees_indices) text += " -i";
  if (reduces_change) text += " -d";
  if (has_state) text += " -s";
  if (starts_as_stage) text += " from a stage";
  return text + ", " + std::to_string(maximum) + " turns at most";
}

}  // namespace tessera::test
