// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/kernel/periodic_stage.hpp"

#include <utility>

namespace tessera {
namespace {

/// Returns the same arrays with other coordinates: the point p + shift of a result is the point p of the
/// array. Arrays that are everywhere keep their coordinates.
std::vector<ArrayReference> shifted(const ArrayReference* arrays, const Point& shift,
                                    const std::vector<PeriodicStage::Operand>& operands) {
  std::vector<ArrayReference> moved(arrays, arrays + operands.size());
  for (std::size_t k = 0; k < operands.size(); ++k)
    for (int d = 0; d < max_dimensions && !operands[k].is_everywhere; ++d)
      moved[k].origin -= shift[d] * moved[k].strides[d] * operands[k].element_bytes;
  return moved;
}

Point opposite(Point shift) {
  for (std::int64_t& distance : shift.at) distance = -distance;
  return shift;
}

}  // namespace

PeriodicStage::PeriodicStage(std::shared_ptr<const StageKernel> stage, const Box& domain,
                             const BoundaryConditions& boundary, std::vector<Operand> inputs,
                             std::vector<Operand> outputs)
    : stage_(std::move(stage)),
      domain_(domain),
      boundary_(boundary),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {}

void PeriodicStage::required(const Box& box, Box* needs) const {
  if (domain_.contains(box)) return stage_->required(box, needs);
  std::vector<Box> of_piece(inputs_.size());
  bool is_first = true;
  for (const PeriodicPiece& piece : periodic_pieces(box, domain_, boundary_)) {
    stage_->required(shifted(piece.box, piece.shift), of_piece.data());
    for (std::size_t k = 0; k < of_piece.size(); ++k) {
      const Box need = inputs_[k].is_everywhere || of_piece[k].empty()
                           ? of_piece[k]
                           : shifted(of_piece[k], opposite(piece.shift));
      needs[k] = is_first ? need : hull(needs[k], need);
    }
    is_first = false;
  }
}

template <class Compute>
void PeriodicStage::for_pieces(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                               const Compute& compute) const {
  if (domain_.contains(box)) return compute(inputs, outputs, box);
  for (const PeriodicPiece& piece : periodic_pieces(box, domain_, boundary_))
    compute(shifted(inputs, piece.shift, inputs_).data(), shifted(outputs, piece.shift, outputs_).data(),
            shifted(piece.box, piece.shift));
}

void PeriodicStage::region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                           AccessMonitor monitor) const {
  for_pieces(inputs, outputs, box, [&](const ArrayReference* in, const ArrayReference* out, const Box& part) {
    stage_->region(in, out, part, monitor);
  });
}

void PeriodicStage::launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                           const ArrayReference* outputs, const Box& box) const {
  for_pieces(inputs, outputs, box, [&](const ArrayReference* in, const ArrayReference* out, const Box& part) {
    stage_->launch(execution, in, out, part);
  });
}

}  // namespace tessera
