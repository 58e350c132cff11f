// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "tessera/domain/element_type.hpp"
#include "tessera/expressions/detail/arithmetic.hpp"
#include "tessera/expressions/detail/program.hpp"
#include "tessera/expressions/expression_stage.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::expressions::detail {

// Operations on pieces of rows. A piece may be written to where one of the arguments lies, but the pieces do
// not overlap in any other way.

/// Converts `count` elements of a type to float.
[[gnu::always_inline]] inline void load_piece(ElementType type, const std::byte* from, float* to, int count) {
  with_element_type(
      type, [&]<class T>(std::type_identity<T>) __attribute__((always_inline)) {
        const T* const elements = reinterpret_cast<const T*>(from);
        TESSERA_VECTORISED
        for (int i = 0; i < count; ++i) to[i] = static_cast<float>(elements[i]);
      });
}

/// Sets `count` elements to `value`.
[[gnu::always_inline]] inline void fill_piece(float value, float* to, int count) {
  TESSERA_VECTORISED
  for (int i = 0; i < count; ++i) to[i] = value;
}

/// Computes the operation of A, an Arithmetic, and converts its results to elements of T.
template <class A, class T>
[[gnu::always_inline]] inline void compute_piece(const float* const* arguments, T* to, int count) {
  const float *const a = arguments[0], *const b = arguments[1], *const c = arguments[2],
                     *const d = arguments[3], *const e = arguments[4];
  TESSERA_VECTORISED
  for (int i = 0; i < count; ++i) to[i] = rounded<T>(A::compute(a[i], b[i], c[i], d[i], e[i]));
}

/// Converts `count` results to elements of T.
template <class T>
[[gnu::always_inline]] inline void store_piece(const float* from, T* to, int count) {
  TESSERA_VECTORISED
  for (int i = 0; i < count; ++i) to[i] = rounded<T>(from[i]);
}

// Compilers for devices have no vectors of their own. Where every access is checked, compiling them takes
// minutes.
#if defined(__GNUC__) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && \
    !defined(TESSERA_CHECKS)
/// A vector of floats of a size in bytes, and how many floats it has.
template <int Bytes>
struct VectorOf {
  typedef float type __attribute__((vector_size(Bytes)));
  static constexpr int lanes = Bytes / static_cast<int>(sizeof(float));
};
#else
template <int>
struct VectorOf {
  using type = float;
  static constexpr int lanes = 1;
};
#endif

/// The result of the last step for some points of a row, in as many vectors of the processor as leave some
/// for the arguments.
template <int Bytes>
class Accumulator {
 public:
  using Vector = typename VectorOf<Bytes>::type;
  static constexpr int lanes = VectorOf<Bytes>::lanes;
  /// The number of points whose results it has.
  static constexpr int points = lanes == 1 ? 128 : 8 * lanes;

  /// Reads the result from memory.
  [[gnu::always_inline]] void load(const float* from) {
    each([&](auto u) __attribute__((always_inline)) { read(from, u, vectors_[u]); });
  }

  /// Writes the result to memory.
  [[gnu::always_inline]] void store(float* to) const {
    each([&](auto u)
             __attribute__((always_inline)) { std::memcpy(to + u * lanes, &vectors_[u], sizeof(Vector)); });
  }

  /// Computes an elementwise operation. The argument `Carried` is the last result, and the others are read
  /// where `argument(k)` says.
  template <Operation O, int Carried, class Argument>
  [[gnu::always_inline]] void compute(const Argument& argument) {
    const float* const from[] = {address<O, Carried, 0>(argument), address<O, Carried, 1>(argument),
                                 address<O, Carried, 2>(argument), address<O, Carried, 3>(argument),
                                 address<O, Carried, 4>(argument)};
    each([&](auto u) __attribute__((always_inline)) {
      // Compilers keep variables in registers of the processor, and arrays that loops fill in memory.
      Vector a = {}, b = {}, c = {}, d = {}, e = {};
      read_argument<O, Carried, 0>(from[0], u, a);
      read_argument<O, Carried, 1>(from[1], u, b);
      read_argument<O, Carried, 2>(from[2], u, c);
      read_argument<O, Carried, 3>(from[3], u, d);
      read_argument<O, Carried, 4>(from[4], u, e);
      Vector result = {};
      compute_elements<O>(result, a, b, c, d, e);
      vectors_[u] = result;
    });
  }

 private:
  static constexpr int count = points / lanes;

  template <class Use>
  [[gnu::always_inline]] static void each(const Use& use) {
    if constexpr (lanes == 1) {
      for (int u = 0; u < count; ++u) use(u);
    } else {
      [&]<int... u>(std::integer_sequence<int, u...>) __attribute__((always_inline)) {
        (use(std::integral_constant<int, u>()), ...);
      }
      (std::make_integer_sequence<int, count>());
    }
  }

  template <Operation O, int Carried, int Number, class Argument>
  [[gnu::always_inline]] static const float* address(const Argument& argument) {
    if constexpr (Number != Carried && Number < argument_count(O)) return argument(Number);
    return nullptr;
  }

  template <Operation O, int Carried, int Number>
  [[gnu::always_inline]] void read_argument(const float* from, int u, Vector& to) const {
    if constexpr (Number == Carried)
      to = vectors_[u];
    else if constexpr (Number < argument_count(O))
      read(from, u, to);
  }

  [[gnu::always_inline]] static void read(const float* from, int u, Vector& to) {
    std::memcpy(&to, from + u * lanes, sizeof(Vector));
  }

  Vector vectors_[count] = {};
};

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
        rounded<T>(values[program.result]);
  }

 private:
  KOKKOS_FUNCTION static std::int64_t offset(const ArrayReference& array, int dimensions, const int* p) {
    std::int64_t offset = p[0];
    for (int d = 1; d < dimensions; ++d) offset += p[d] * array.strides[d];
    return offset;
  }

  KOKKOS_FUNCTION float load(const Program::Load& load, const int* p) const {
    switch (load.operation) {
      case Operation::column:
        return static_cast<float>(p[0]);
      case Operation::row:
        return static_cast<float>(p[1]);
      case Operation::plane:
        return static_cast<float>(p[2]);
      case Operation::width:
        return static_cast<float>(domain.range[0].size());
      case Operation::height:
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
