// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace life {

/// The cells of the board: 1 if a cell is alive, and otherwise 0. The input is the pattern, whose upper left
/// corner lies at (left, top).
struct Place {
  int left, top;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return tessera::select(in(x - left, y - top) != 0, 1, 0);
  }
};

/// The rule B3/S23 of the Game of Life (J. H. Conway; M. Gardner, Scientific American, October 1970): a cell
/// is born with three live neighbours, and survives with two or three.
struct Next {
  static constexpr int rows_together = 4;

  template <class Cells, class Coord>
  KOKKOS_FUNCTION auto operator()(const Cells& cells, Coord x, Coord y) const {
    const auto row = [&cells, x](Coord at) {
      return tessera::cast<std::uint8_t>(cells(x - 1, at) + cells(x, at) + cells(x + 1, at));
    };
    // Twice the number of live neighbours plus the cell itself: 5 is a live cell with two live neighbours,
    // and 6 and 7 are a dead and a live cell with three.
    const auto sum = tessera::cast<std::uint8_t>(2 * (row(y - 1) + row(y) + row(y + 1)) - cells(x, y));
    return tessera::cast<std::uint8_t>(tessera::select(sum >= 5 && sum <= 7, 1, 0));
  }
};

/// The next generation, and where it differs from the present one.
struct NextAndChange {
  template <class Cells, class Coord>
  KOKKOS_FUNCTION auto operator()(const Cells& cells, Coord x, Coord y) const {
    const auto next = Next()(cells, x, y);
    return tessera::pack(next, tessera::select(next != cells(x, y), 1, 0));
  }
};

/// The next generation, where it differs from the reference, and the reference. If `renews` is not 0, the
/// present generation first becomes the reference.
struct NextAndReference {
  template <class Cells, class Reference, class Renews, class Coord>
  KOKKOS_FUNCTION auto operator()(const Cells& cells, const Reference& reference, const Renews& renews,
                                  Coord x, Coord y) const {
    const auto next = Next()(cells, x, y);
    const auto kept = tessera::select(renews(0) != 0, cells(x, y), reference(x, y));
    return tessera::pack(next, tessera::select(next != kept, 1, 0), kept);
  }
};

/// The number of the first generation.
struct FirstGeneration {
  template <class Coord>
  KOKKOS_FUNCTION std::int64_t operator()(Coord) const {
    return 0;
  }
};

/// The number of the next generation.
struct NextGeneration {
  template <class Generation, class Coord>
  KOKKOS_FUNCTION auto operator()(const Generation& generation, Coord) const {
    return generation(0) + 1;
  }
};

/// Whether a generation becomes the reference: if its number is a multiple of the greatest period.
struct Renews {
  std::int64_t greatest_period;

  template <class Generation, class Coord>
  KOKKOS_FUNCTION auto operator()(const Generation& generation, Coord) const {
    return tessera::select(generation(0) % greatest_period == 0, 1, 0);
  }
};

/// The number of generations from the reference to the next generation if both are the same, and otherwise 0.
struct Period {
  std::int64_t greatest_period;

  template <class Differing, class Generation, class Coord>
  KOKKOS_FUNCTION auto operator()(const Differing& differing, const Generation& generation, Coord) const {
    return tessera::select(differing(0) == 0, generation(0) % greatest_period + 1, std::int64_t(0));
  }
};

/// The board as the result has it: `alive` for a live cell, and 0 for a dead one.
struct Show {
  std::uint8_t alive;

  template <class Cells, class Coord>
  KOKKOS_FUNCTION auto operator()(const Cells& cells, Coord x, Coord y) const {
    return tessera::select(cells(x, y) != 0, alive, std::uint8_t(0));
  }
};

/// A game, except its first pattern.
struct Game {
  tessera::Box board;
  /// Where the pattern's upper left corner lies.
  int left = 0, top = 0;
  tessera::BoundaryConditions border = tessera::BoundaryConditions::of_constant(std::uint8_t{0});
  std::int64_t generations = 1;
  /// The greatest period that is looked for. If it is 0, generations are not compared.
  std::int64_t greatest_period = 0;
  /// The value of a live cell of the result.
  std::uint8_t alive = 1;
};

/// The state of a board. It determines the next generation.
struct State {
  tessera::Array<std::uint8_t, 2> cells;
  /// The board that generations are compared with. It exists only if the greatest period is above 1.
  tessera::Array<std::uint8_t, 2> reference;
  tessera::Array<std::int64_t, 1> generation;
};

/// Ends the loop when the next generation is the same as the one that it is compared with. `differs` is 1
/// where these two are not the same.
inline void end_when_it_repeats(tessera::Pipeline& pipeline, const tessera::Pipeline::Loop& loop,
                                const Game& game, const State& state,
                                tessera::Array<std::uint8_t, 2> differs) {
  const auto differing = pipeline.reduce("differing", tessera::Sum<std::uint8_t>(), differs, game.board);
  const auto period =
      pipeline.value<std::int64_t>("period", Period{game.greatest_period}, differing, state.generation);
  loop.watch(differing);
  loop.until(period);
  pipeline.output(period);
}

/// Adds the loop `generations`, whose turns are the generations.
inline void run_generations(tessera::Pipeline& pipeline, const Game& game, const State& state) {
  using Cell = std::uint8_t;
  pipeline.repeat("generations", game.generations, [&](const tessera::Pipeline::Loop& loop) {
    if (game.greatest_period > 1) {
      const auto renews = pipeline.value<Cell>("renews", Renews{game.greatest_period}, state.generation);
      const auto [next, differs, kept] = pipeline.stages<tessera::TypeList<Cell, Cell, Cell>>(
          {"next", "differs", "kept"}, NextAndReference(), state.cells, state.reference, renews);
      end_when_it_repeats(pipeline, loop, game, state, differs);
      loop.feed(next, state.cells);
      loop.feed(kept, state.reference);
    } else if (game.greatest_period == 1) {
      const auto [next, differs] =
          pipeline.stages<tessera::TypeList<Cell, Cell>>({"next", "differs"}, NextAndChange(), state.cells);
      end_when_it_repeats(pipeline, loop, game, state, differs);
      loop.feed(next, state.cells);
    } else {
      loop.feed(pipeline.stage<Cell>("next", Next(), state.cells), state.cells);
    }
    loop.feed(pipeline.value<std::int64_t>("next_generation", NextGeneration(), state.generation),
              state.generation);
  });
}

/// Returns the pipeline of Conway's Game of Life on `game.board`. Points of the pattern that are not 0 are
/// alive. The loop keeps the last generation whose number is a multiple of the greatest period p, and ends
/// after the first generation that equals the kept one. If generation m is the first one that comes again, q
/// generations later, and q is at most p, the loop ends at generation p * ceil(m / p) + q. The results are
/// `board` and the numbers `generation`, `population` and, if p is not 0, `period`: q, or 0 if no generation
/// was repeated.
inline tessera::Pipeline make_pipeline(const tessera::Box& image, const Game& game) {
  using Cell = std::uint8_t;
  tessera::Pipeline pipeline;
  const auto input =
      pipeline.input<Cell, 2>("input", image, tessera::BoundaryConditions::of_constant(Cell{0}));
  State state{};
  state.cells = pipeline.stage<Cell>("cells", Place{game.left, game.top}, input);
  pipeline.bound(state.cells, game.board, game.border);
  if (game.greatest_period > 1) {
    state.reference = pipeline.stage<Cell>("reference", Show{1}, state.cells);
    pipeline.bound(state.reference, game.board, game.border);
  }
  state.generation = pipeline.value<std::int64_t>("generation", FirstGeneration());
  run_generations(pipeline, game, state);
  pipeline.output(state.generation);
  pipeline.output(pipeline.reduce("population", tessera::Sum<Cell>(), state.cells, game.board));
  pipeline.output(pipeline.stage<Cell>("board", Show{game.alive}, state.cells), game.board);
  return pipeline;
}

}  // namespace life
