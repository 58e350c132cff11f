// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/expression_stage.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "tessera/expressions/detail/pieces.hpp"
#include "tessera/expressions/detail/program.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::expressions {
namespace {

using detail::Program;
using detail::Step;

/// Calls use(std::type_identity<T>()) for the element type T of a result.
template <class Use>
[[gnu::always_inline]] inline void with_result_type(ElementType type, const Use& use) {
  if (type == ElementType::uint8) return use(std::type_identity<std::uint8_t>());
  if (type == ElementType::uint16) return use(std::type_identity<std::uint16_t>());
  if (type == ElementType::float32) return use(std::type_identity<float>());
  throw InternalError("the result of an expression is uint8, uint16 or float32");
}

/// Computes a program on pieces of rows, with vectors of `Bytes` bytes.
template <int Bytes>
class RowComputer {
 public:
  RowComputer(const Program& program, const std::vector<Step>& steps, const std::vector<Operand>& operands,
              ElementType type, const Box& domain, const ArrayReference* inputs)
      : program_(program),
        steps_(steps),
        operands_(operands.data()),
        type_(type),
        domain_(domain),
        inputs_(inputs) {}

  /// Computes all rows of `box`. The last piece of a row may begin before the end of the one before it, and
  /// then computes some values again. A row that is shorter than a piece ends in points that are not stored.
  [[gnu::always_inline]] void compute(const ArrayReference& output, const Box& box) {
    const std::int64_t width = box[0].size();
    fill_constants(width < Carried::points);
    const auto planes = box.dimensions > 2 ? box[2] : Range{0, 1};
    const auto rows = box.dimensions > 1 ? box[1] : Range{0, 1};
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane)
      for (std::int64_t row = rows.begin; row < rows.end; ++row)
        for (std::int64_t done = 0; done < width; done += points_) {
          points_ = width - done < piece_points ? Carried::points : piece_points;
          const std::int64_t first = std::max<std::int64_t>(std::min(done, width - points_), 0);
          const std::int64_t p[3] = {box[0].begin + first, row, plane};
          compute_piece(output, p, static_cast<int>(std::min<std::int64_t>(points_, width)));
        }
  }

 private:
  using Carried = detail::Accumulator<Bytes>;
  /// The greatest number of points of a piece. Registers of this size fit into the nearest cache.
  static constexpr int piece_points = 256;
  static_assert(piece_points % Carried::points == 0);

  static std::byte* address(const ArrayReference& array, ElementType type, int dimensions,
                            const std::int64_t* p) {
    std::int64_t offset = p[0];
    for (int d = 1; d < dimensions; ++d) offset += p[d] * array.strides[d];
    return array.origin + offset * static_cast<std::int64_t>(size_of(type));
  }

  /// Fills the registers of values that are the same in all rows. If rows `are_short`, all registers are
  /// filled, because a row does not fill the register of a piece.
  [[gnu::always_inline]] void fill_constants(bool are_short) {
    for (int r = 0; r < program_.register_count; ++r) {
      values_[r] = registers_[r];
      if (are_short) detail::fill_piece(0, registers_[r], piece_points);
    }
    for (int i = 0; i < program_.constant_count; ++i)
      detail::fill_piece(program_.constants[i].value, registers_[program_.constants[i].to], piece_points);
    constexpr std::int64_t first[3] = {0, 0, 0};
    for (int i = 0; i < program_.load_count; ++i) {
      const Program::Load& load = program_.loads[i];
      float value = 0;
      if (load.operation == Operation::width) {
        value = static_cast<float>(domain_[0].size());
      } else if (load.operation == Operation::height) {
        value = static_cast<float>(domain_[1].size());
      } else if (is_number(load)) {
        detail::load_piece(operands_[load.name].type,
                           address(inputs_[load.name], operands_[load.name].type, 1, first), &value, 1);
      } else {
        continue;
      }
      detail::fill_piece(value, registers_[load.to], piece_points);
    }
  }

  bool is_number(const Program::Load& load) const {
    return load.operation == Operation::variable && operands_[load.name].dimensions == 1;
  }

  /// Fills the registers of variables and coordinates. Rows of float stay where they are, unless they are
  /// shorter than a piece.
  [[gnu::always_inline]] void load(const std::int64_t* p, int count) {
    for (int i = 0; i < program_.load_count; ++i) {
      const Program::Load& load = program_.loads[i];
      float* const to = registers_[load.to];
      if (load.operation == Operation::variable) {
        const Operand& operand = operands_[load.name];
        if (operand.dimensions == 1) continue;
        const std::byte* const row = address(inputs_[load.name], operand.type, operand.dimensions, p);
        if (operand.type == ElementType::float32 && count == points_)
          values_[load.to] = reinterpret_cast<const float*>(row);
        else
          detail::load_piece(operand.type, row, to, count);
      } else if (load.operation == Operation::column) {
        const int x = static_cast<int>(p[0]);
        TESSERA_VECTORISED
        for (int k = 0; k < points_; ++k) to[k] = static_cast<float>(x + k);
      } else if (load.operation == Operation::row || load.operation == Operation::plane) {
        detail::fill_piece(static_cast<float>(p[load.operation == Operation::row ? 1 : 2]), to, points_);
      }
    }
  }

  [[gnu::always_inline]] void compute_piece(const ArrayReference& output, const std::int64_t* p, int count) {
    load(p, count);
    std::byte* const row = address(output, type_, 3, p);
    alignas(64) std::byte buffer[piece_points * sizeof(float)];
    // Values that are written past the caches, or that do not fill a piece, are computed into a buffer first.
    std::byte* const result = output.non_temporal || count < points_ ? buffer : row;
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(size_of(type_));
    compute_steps(result, count);
    if (output.non_temporal)
      tessera::detail::store_non_temporal(row, buffer, bytes);
    else if (result != row)
      std::memcpy(row, buffer, bytes);
  }

  [[gnu::always_inline]] void compute_steps(std::byte* result, int count) {
    const bool is_last_carried = detail::is_last_carried(program_, type_);
    const Step* const end = steps_.data() + steps_.size() - (is_last_carried || steps_.empty() ? 0 : 1);
    for (int at = 0; at < points_ && (is_last_carried || end != steps_.data()); at += Carried::points) {
      Carried carried;
      for (const Step* step = steps_.data(); step != end; ++step) compute(carried, *step, at, count);
      if (is_last_carried) carried.store(reinterpret_cast<float*>(result) + at);
    }
    if (is_last_carried) return;
    with_result_type(
        type_, [&]<class T>(std::type_identity<T>) __attribute__((always_inline)) {
          T* const to = reinterpret_cast<T*>(result);
          if (steps_.empty()) return detail::store_piece(values_[program_.result], to, count);
          detail::with_arithmetic(
              end->instruction.operation, [&]<class A>(A) __attribute__((always_inline)) {
                compute_from_registers<A>(*end, 0, to, count);
              });
        });
  }

  /// Computes a step for the points of a piece from `at` on.
  [[gnu::always_inline]] void compute(Carried& carried, const Step& step, int at, int count) {
    float* const to = registers_[step.instruction.to] + at;
    detail::with_arithmetic(
        step.instruction.operation, [&]<class A>(A) __attribute__((always_inline)) {
          if constexpr (detail::is_elementwise(A::code)) {
            compute_carried<A::code>(carried, step, at);
          } else {
            compute_from_registers<A>(step, at, to, std::min(Carried::points, count));
            carried.load(to);
          }
        });
    if (step.is_kept) carried.store(to);
  }

  template <class A, class T>
  [[gnu::always_inline]] void compute_from_registers(const Step& step, int at, T* to, int count) const {
    const float* arguments[5];
    for (int k = 0; k < 5; ++k) arguments[k] = values_[step.instruction.arguments[k]] + at;
    detail::compute_piece<A>(arguments, to, count);
  }

  template <Operation O>
  [[gnu::always_inline]] void compute_carried(Carried& carried, const Step& step, int at) const {
    const auto argument = [&](int k) __attribute__((always_inline)) {
      return values_[step.instruction.arguments[k]] + at;
    };
    constexpr int last = detail::argument_count(O) - 1;
    if (step.carried < 0) return carried.template compute<O, -1>(argument);
    if (step.carried == 0) return carried.template compute<O, 0>(argument);
    if (step.carried == 1) return carried.template compute<O, std::min(1, last)>(argument);
    if (step.carried == 2) return carried.template compute<O, std::min(2, last)>(argument);
    if (step.carried == 3) return carried.template compute<O, std::min(3, last)>(argument);
    return carried.template compute<O, last>(argument);
  }

  const Program& program_;
  const std::vector<Step>& steps_;
  const Operand* operands_;
  ElementType type_;
  const Box& domain_;
  const ArrayReference* inputs_;
  /// The number of points of the present piece.
  int points_ = piece_points;
  const float* values_[Program::most_registers];
  alignas(64) float registers_[Program::most_registers][piece_points];
};

/// Returns the upper limit of results of a type, if they are limited.
std::optional<float> greatest_of(ElementType type) {
  if (type == ElementType::uint8) return 255.0F;
  return type == ElementType::uint16 ? std::optional(65535.0F) : std::nullopt;
}

}  // namespace

ExpressionStage::ExpressionStage(const Expression& expression, std::vector<Operand> operands,
                                 ElementType type, const Box& domain)
    : program_(std::make_shared<detail::Program>(detail::compile(expression, greatest_of(type)))),
      steps_(detail::make_steps(*program_, type)),
      operands_(std::move(operands)),
      type_(type),
      domain_(domain) {
  if (operands_.size() != expression.names().size())
    throw InternalError("an expression has an operand for each of its names");
  if (std::ranges::any_of(operands_, [](const Operand& operand) { return is_complex(operand.type); }))
    throw InternalError("expressions are of real numbers, and read no complex arrays");
  with_result_type(type_, [](auto) {});
}

ExpressionStage::~ExpressionStage() = default;

void ExpressionStage::required(const Box& box, Box* needs) const {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    needs[i] = Box{{0, 1}};
    if (operands_[i].dimensions == 1) continue;
    needs[i] = box;
    needs[i].dimensions = operands_[i].dimensions;
    for (int d = operands_[i].dimensions; d < max_dimensions; ++d) needs[i][d] = {};
  }
}

void ExpressionStage::region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                             AccessMonitor) const {
  tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
    RowComputer<bytes>(*program_, steps_, operands_, type_, domain_, inputs).compute(outputs[0], box);
  });
  if (outputs[0].non_temporal) tessera::detail::finish_non_temporal_stores();
}

void ExpressionStage::launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                             const ArrayReference* outputs, const Box& box) const {
  with_result_type(type_, [&]<class T>(std::type_identity<T>) {
    detail::PointProgram<T> kernel;
    kernel.program = *program_;
    kernel.domain = domain_;
    kernel.output = outputs[0];
    for (std::size_t i = 0; i < operands_.size(); ++i) kernel.operands[i] = {inputs[i], operands_[i]};
    tessera::detail::launch_points(execution, box, kernel);
  });
}

}  // namespace tessera::expressions
