// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/box.hpp"

namespace tessera {

class ScheduledPipeline;

/// What a set of ranks requires and computes of the arrays of a pipeline: boxes that hold those of every
/// member, as inference is inclusion-isotone, and for one rank exact. Worked out when asked for, array by
/// array, and kept until other ranks are selected: no array costs anything that nobody asks about.
class Regions {
 public:
  explicit Regions(const ScheduledPipeline& scheduled);

  /// From here on the answers are those for the ranks [first, last).
  void select(int first, int last);

  /// What consumers read of an array, what its boundary conditions copy from, and its owned part if it is an
  /// output.
  const Box& required(int array);
  /// What its stage computes; of a global reduction, the points that are contributed.
  const Box& computed(int array);

 private:
  /// An answer, and for which selection it was found.
  struct Answer {
    Box box;
    unsigned selection = 0;
  };

  Box find_required(int array);
  Box find_computed(int stage);
  /// What a stage reads of each of its inputs.
  const Box* needs(int stage);

  const ScheduledPipeline& scheduled_;
  int first_ = 0;
  int last_ = 0;
  unsigned selection_ = 0;
  std::vector<Answer> required_;
  std::vector<Answer> computed_;
  /// The needs of all stages, one after the other.
  std::vector<Box> needs_;
  std::vector<unsigned> needs_selection_;
};

}  // namespace tessera
