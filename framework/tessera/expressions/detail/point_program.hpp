// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/expressions/detail/pieces.hpp"
#include "tessera/expressions/detail/program.hpp"
#include "tessera/expressions/operand.hpp"
#include "tessera/view/array_reference.hpp"

namespace tessera::expressions::detail {

/// The kernel that computes a program on a device, point by point. T is the element type of the result.
template <class T>
struct PointProgram {
  /// An array that the program reads.
  struct Source {
    ArrayReference array;
    Operand operand;
  };

  Program program;
  Box domain;
  ArrayReference output;
  Source operands[Program::most_loads];

  /// Computes the point `p`.
  KOKKOS_FUNCTION void compute(const int* p) const {
    float values[Program::most_registers];
    for (int i = 0; i < program.constant_count; ++i)
      values[program.constants[i].to] = program.constants[i].value;
    for (int i = 0; i < program.load_count; ++i) values[program.loads[i].to] = load(program.loads[i], p);
    for (int i = 0; i < program.instruction_count; ++i) {
      const Program::Instruction& instruction = program.instructions[i];
      const std::int16_t* const from = instruction.arguments;
      const float a = values[from[0]], b = values[from[1]], c = values[from[2]], d = values[from[3]],
                  e = values[from[4]];
      float& to = values[instruction.to];
      with_arithmetic(instruction.operation,
                      [&to, a, b, c, d, e]<class A>(A) { to = A::compute(a, b, c, d, e); });
    }
    reinterpret_cast<T*>(output.origin)[offset(output, domain.dimensions, p)] =
        to_element<T>(values[program.result]);
  }

 private:
  KOKKOS_FUNCTION static std::int64_t offset(const ArrayReference& array, int dimensions, const int* p) {
    std::int64_t offset = p[0];
    for (int d = 1; d < dimensions; ++d) offset += p[d] * array.strides[d];
    return offset;
  }

  KOKKOS_FUNCTION float load(const Program::Load& load, const int* p) const {
    switch (load.operation) {
      case Code::column:
        return static_cast<float>(p[0]);
      case Code::row:
        return static_cast<float>(p[1]);
      case Code::plane:
        return static_cast<float>(p[2]);
      case Code::width:
        return static_cast<float>(domain.range[0].size());
      case Code::height:
        return static_cast<float>(domain.range[1].size());
      default:
        break;
    }
    const Source& source = operands[load.name];
    const std::int64_t at =
        source.operand.dimensions == 1 ? 0 : offset(source.array, source.operand.dimensions, p);
    return element(source, at);
  }

  template <class E>
  KOKKOS_FUNCTION static float read(const std::byte* origin, std::int64_t at) {
    return static_cast<float>(reinterpret_cast<const E*>(origin)[at]);
  }

  KOKKOS_FUNCTION static float element(const Source& source, std::int64_t at) {
    const std::byte* const origin = source.array.origin;
    switch (source.operand.type) {
      case ElementType::int8:
        return read<std::int8_t>(origin, at);
      case ElementType::uint8:
        return read<std::uint8_t>(origin, at);
      case ElementType::int16:
        return read<std::int16_t>(origin, at);
      case ElementType::uint16:
        return read<std::uint16_t>(origin, at);
      case ElementType::int32:
        return read<std::int32_t>(origin, at);
      case ElementType::uint32:
        return read<std::uint32_t>(origin, at);
      case ElementType::int64:
        return read<std::int64_t>(origin, at);
      case ElementType::uint64:
        return read<std::uint64_t>(origin, at);
      case ElementType::float32:
        return read<float>(origin, at);
      case ElementType::float64:
      // ExpressionStage takes no complex operands.
      case ElementType::complex64:
      case ElementType::complex128:
        break;
    }
    return read<double>(origin, at);
  }
};

}  // namespace tessera::expressions::detail
