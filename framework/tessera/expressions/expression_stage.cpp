// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/expression_stage.hpp"

#include <algorithm>
#include <optional>

#include "tessera/expressions/detail/pieces.hpp"
#include "tessera/expressions/detail/point_program.hpp"
#include "tessera/expressions/detail/program.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::expressions {
namespace {

using detail::Code;
using detail::piece_points;
using detail::Program;

/// Computes a program on pieces of rows.
class RowComputer {
 public:
  RowComputer(const Program& program, const std::vector<Operand>& operands, const Box& domain,
              const ArrayReference* inputs)
      : program_(program), operands_(operands.data()), domain_(domain), inputs_(inputs) {}

  /// Computes all rows of `box`.
  template <class T>
  [[gnu::always_inline]] void compute(const ArrayReference& output, const Box& box) {
    fill_constants();
    const int width = static_cast<int>(box[0].size());
    const auto planes = box.dimensions > 2 ? box[2] : Range{0, 1};
    const auto rows = box.dimensions > 1 ? box[1] : Range{0, 1};
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane)
      for (std::int64_t row = rows.begin; row < rows.end; ++row)
        for (int done = 0; done < width; done += piece_points) {
          const std::int64_t p[3] = {box[0].begin + done, row, plane};
          compute_piece<T>(output, p, std::min(piece_points, width - done));
        }
  }

 private:
  static std::byte* address(const ArrayReference& array, ElementType type, int dimensions,
                            const std::int64_t* p) {
    std::int64_t offset = p[0];
    for (int d = 1; d < dimensions; ++d) offset += p[d] * array.strides[d];
    return array.origin + offset * static_cast<std::int64_t>(size_of(type));
  }

  [[gnu::always_inline]] void fill_constants() {
    for (int r = 0; r < program_.register_count; ++r) values_[r] = registers_[r];
    for (int i = 0; i < program_.constant_count; ++i)
      detail::fill_piece(program_.constants[i].value, registers_[program_.constants[i].to], piece_points);
    constexpr std::int64_t first[3] = {0, 0, 0};
    for (int i = 0; i < program_.load_count; ++i) {
      const Program::Load& load = program_.loads[i];
      float value = 0;
      if (load.operation == Code::width) {
        value = static_cast<float>(domain_[0].size());
      } else if (load.operation == Code::height) {
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
    return load.operation == Code::variable && operands_[load.name].dimensions == 1;
  }

  /// Fills the registers of variables and coordinates. Rows of float stay where they are.
  [[gnu::always_inline]] void load(const std::int64_t* p, int count) {
    for (int i = 0; i < program_.load_count; ++i) {
      const Program::Load& load = program_.loads[i];
      float* const to = registers_[load.to];
      if (load.operation == Code::variable) {
        const Operand& operand = operands_[load.name];
        if (operand.dimensions == 1) continue;
        const std::byte* const row = address(inputs_[load.name], operand.type, operand.dimensions, p);
        if (operand.type == ElementType::float32)
          values_[load.to] = reinterpret_cast<const float*>(row);
        else
          detail::load_piece(operand.type, row, to, count);
      } else if (load.operation == Code::column) {
        const int x = static_cast<int>(p[0]);
        TESSERA_VECTORISED
        for (int k = 0; k < count; ++k) to[k] = static_cast<float>(x + k);
      } else if (load.operation == Code::row || load.operation == Code::plane) {
        detail::fill_piece(static_cast<float>(p[load.operation == Code::row ? 1 : 2]), to, count);
      }
    }
  }

  template <class T>
  [[gnu::always_inline]] void compute_piece(const ArrayReference& output, const std::int64_t* p, int count) {
    load(p, count);
    T* const row = reinterpret_cast<T*>(address(output, element_type_of<T>(), 3, p));
    alignas(64) T buffer[piece_points];
    // What is written past the caches is gathered first.
    T* const result = output.non_temporal ? buffer : row;
    const int last = program_.instruction_count - 1;
    for (int i = 0; i < last; ++i)
      compute(program_.instructions[i], registers_[program_.instructions[i].to], count);
    if (last >= 0)
      compute(program_.instructions[last], result, count);
    else
      detail::store_piece(values_[program_.result], result, count);
    if (output.non_temporal)
      tessera::detail::store_non_temporal(row, buffer, static_cast<std::size_t>(count) * sizeof(T));
  }

  template <class T>
  [[gnu::always_inline]] void compute(const Program::Instruction& instruction, T* to, int count) {
    const auto argument = [&](int k) __attribute__((always_inline)) {
      return values_[instruction.arguments[k]];
    };
    detail::compute_piece(instruction.operation, argument(0), argument(1), argument(2), argument(3),
                          argument(4), to, count);
  }

  const Program& program_;
  const Operand* operands_;
  const Box& domain_;
  const ArrayReference* inputs_;
  const float* values_[Program::most_registers];
  alignas(64) float registers_[Program::most_registers][piece_points];
};

/// Calls use(std::type_identity<T>()) for the element type T of a result.
template <class Use>
void with_result_type(ElementType type, const Use& use) {
  if (type == ElementType::uint8) return use(std::type_identity<std::uint8_t>());
  if (type == ElementType::uint16) return use(std::type_identity<std::uint16_t>());
  if (type == ElementType::float32) return use(std::type_identity<float>());
  throw InternalError("the result of an expression is uint8, uint16 or float32");
}

/// Returns the greatest value to which results of a type are limited, if they are.
std::optional<float> greatest_of(ElementType type) {
  if (type == ElementType::uint8) return 255.0F;
  return type == ElementType::uint16 ? std::optional(65535.0F) : std::nullopt;
}

}  // namespace

ExpressionStage::ExpressionStage(const Expression& expression, std::vector<Operand> operands,
                                 ElementType type, const Box& domain)
    : program_(std::make_shared<detail::Program>(detail::compile(expression, greatest_of(type)))),
      operands_(std::move(operands)),
      type_(type),
      domain_(domain) {
  if (operands_.size() != expression.names().size())
    throw InternalError("an expression has an operand for each of its names");
  if (std::ranges::any_of(operands_, [](const Operand& operand) { return is_complex(operand.type); }))
    throw InternalError("expressions are of real numbers, and read no complex arrays");
  with_result_type(type_, [](auto) {});
}

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
  with_result_type(type_, [&]<class T>(std::type_identity<T>) {
    RowComputer computer(*program_, operands_, domain_, inputs);
    tessera::detail::call_flat_for_processor([&] { computer.compute<T>(outputs[0], box); });
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
