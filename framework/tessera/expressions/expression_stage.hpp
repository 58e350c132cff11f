// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/domain/element_type.hpp"
#include "tessera/expressions/expression.hpp"
#include "tessera/pipeline/kernel/stage_kernel.hpp"

namespace tessera::expressions {

/// An array that an expression reads.
struct Operand {
  /// The type of its elements, which are converted to float.
  ElementType type = ElementType::float32;
  /// The number of its dimensions. An array with fewer dimensions than the result has the same value at all
  /// points along the others. An array of one dimension is a number, and only its first element is read.
  int dimensions = 2;
};

namespace detail {
struct Program;
struct Step;
}  // namespace detail

/// The kernel of a stage whose points are the values of an expression. Hosts compute pieces of rows,
/// operation by operation, in vectors: a result that only the next operation needs stays in them, and others
/// stay in the nearest cache.
class ExpressionStage final : public StageKernel {
 public:
  /// Makes the kernel. There is an operand for each name of the expression, in the order of the names.
  /// `domain` has the dimensions and the extents of the result. `type` is uint8, uint16 or float32. If it is
  /// an integer type, results are rounded to the nearest integer, halves upwards, and limited to the range of
  /// the type; NaN becomes 0. Throws ExpressionError if the expression is too long, and InternalError if an
  /// operand is complex.
  ExpressionStage(const Expression& expression, std::vector<Operand> operands, ElementType type,
                  const Box& domain);
  ~ExpressionStage() override;

  void required(const Box& box, Box* needs) const override;
  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override;
  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override;

 private:
  std::shared_ptr<const detail::Program> program_;
  std::vector<detail::Step> steps_;
  std::vector<Operand> operands_;
  ElementType type_;
  Box domain_;
};

}  // namespace tessera::expressions
