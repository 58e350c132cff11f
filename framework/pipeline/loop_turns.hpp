// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "tessera/pipeline/bindings.hpp"

namespace tessera {

/// Runs the turns of a loop: run_turn() does what stands under the node, number(array) is the first element
/// of a value. Throws DivergedError after a turn whose residual is not finite.
template <class RunTurn, class Number>
void run_turns(const Pipeline& pipeline, const plan::Repeat& loop, const Bindings& bindings,
               const RunTurn& run_turn, const Number& number) {
  LoopProgress progress{.loop = loop.loop};
  const auto tell = [&](const auto& listener) {
    if (listener) listener(progress);
  };
  while (progress.turns < loop.maximum && !progress.has_converged) {
    tell(bindings.before_turn);
    run_turn();
    ++progress.turns;
    if (loop.residual >= 0) progress.residual = number(loop.residual);
    progress.has_converged =
        loop.condition >= 0 && progress.turns % loop.test_every == 0 && number(loop.condition) != 0;
    tell(bindings.after_turn);
    if (!std::isfinite(progress.residual))
      throw DivergedError(
          fmt::format("the loop '{}' diverges: after turn {} its residual '{}' is {}; start from other data "
                      "or change its "
                      "parameters",
                      pipeline.loops()[static_cast<std::size_t>(loop.loop)].name, progress.turns,
                      pipeline[loop.residual].name, progress.residual));
  }
  tell(bindings.after_loop);
}

}  // namespace tessera
