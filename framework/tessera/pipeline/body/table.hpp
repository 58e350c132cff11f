// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tessera/pipeline/inference/interval.hpp"
#include "tessera/pipeline/inference/interval_arithmetic.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// A table entry that is still to be looked up. It converts to the value of the entry. If a stage body
/// returns a Lookup as the value of a point, hosts can look up the entries of many points of a row together.
/// The table has `Entries` entries and must be a member of the body of the stage.
template <class T, int Entries>
struct Lookup {
  /// The number of entries of the table.
  static constexpr int entry_count = Entries;

  /// Points to the first entry of the table.
  const T* entries;
  /// The index of the entry in the table.
  int index;

  /// Looks up the entry.
  KOKKOS_FORCEINLINE_FUNCTION operator T() const { return entries[index]; }
};

/// Returns `value`, or the entry that it stands for if it is a Lookup.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V looked_up(const V& value) {
  return value;
}
template <class T, int Entries>
KOKKOS_FORCEINLINE_FUNCTION T looked_up(const Lookup<T, Entries>& value) {
  return value;
}

/// A Lookup stands for a number of the type of its entry.
template <class T, int Entries>
struct NumberOf<Lookup<T, Entries>> {
  /// The type of the entry.
  using type = T;
};

namespace detail {

/// The greatest number of entries of one byte each that fit into the vector registers of processors that can
/// permute bytes.
inline constexpr int most_permuted = 1024;

/// Sets result[k] = entries[indices[k]] for all k of [0, count). The table has `entry_count` entries, at most
/// most_permuted, and all indices are less than `entry_count`.
void look_up(const std::uint8_t* entries, int entry_count, const std::uint16_t* indices, std::uint8_t* result,
             int count);

/// Whether hosts look up the entries of many points of a row together. `Value` is the type that the body
/// returns for a point, and `Stored` is the type of the points.
template <class Value, class Stored>
inline constexpr bool is_row_lookup = false;
template <int Entries>
inline constexpr bool is_row_lookup<Lookup<std::uint8_t, Entries>, std::uint8_t> = Entries <= most_permuted;

}  // namespace detail

/// A small read-only array of Width x Height entries, such as weights or a lookup table, that a stage body
/// holds by value. `table(i)` is entry i of a table of one row, and `table(i, j)` is entry i of row j. An
/// index must lie in the table. Builds with TESSERA_CHECKS end the program if an index lies outside; other
/// builds do not check. If an index is an interval, the result is the exact range of the entries at these
/// indices, where an index outside the table stands for the nearest index in it.
template <class T, int Width, int Height = 1>
class Table {
 public:
  static_assert(Width > 0 && Height > 0, "a Table has entries");
  /// The type of an entry.
  using Value = T;

  /// Makes a table of one row, from `{a, b, ...}`.
  template <std::size_t Entries>
  requires(Height == 1 && Entries == Width)
  KOKKOS_FUNCTION constexpr Table(const T (&entries)[Entries]) {
    for (int i = 0; i < Width; ++i) entries_[i] = entries[i];
  }
  /// Makes a table of Height rows of Width entries, from `{{a, b}, {c, d}, ...}`.
  template <std::size_t Rows, std::size_t Columns>
  requires(Rows == Height && Columns == Width)
  KOKKOS_FUNCTION constexpr Table(const T (&rows)[Rows][Columns]) {
    for (int j = 0; j < Height; ++j)
      for (int i = 0; i < Width; ++i) entries_[j * Width + i] = rows[j][i];
  }
  /// Makes a table from the elements of `entries`, which has the rows one after the other.
  constexpr explicit Table(const std::array<T, std::size_t(Width) * Height>& entries) {
    for (int i = 0; i < Width * Height; ++i) entries_[i] = entries[static_cast<std::size_t>(i)];
  }

  /// Returns entry i of a table of one row. If i is an interval, returns the range of the entries at these
  /// indices.
  template <class I>
  requires(Height == 1)
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(I i) const {
    if constexpr (is_interval<I>)
      return range(to_interval<Coordinate>(i), Interval<Coordinate>(0));
    else
      return entry(Coordinate(i).value, 0);
  }
  /// Returns entry i of row j. If i or j is an interval, returns the range of the entries at these indices.
  template <class I, class J>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(I i, J j) const {
    if constexpr (is_interval<I> || is_interval<J>)
      return range(to_interval<Coordinate>(i), to_interval<Coordinate>(j));
    else
      return entry(Coordinate(i).value, Coordinate(j).value);
  }
  /// Returns the same as `table(i)`, for a table of one row.
  template <class I>
  requires(Height == 1)
  KOKKOS_FORCEINLINE_FUNCTION auto operator[](I i) const {
    return (*this)(i);
  }

  /// Returns entry i of a table of one row as a Lookup, for a stage body that returns an entry unchanged. If
  /// the table has at most 1024 entries of `uint8_t`, hosts whose vector units can permute bytes then look up
  /// 64 entries together. This is several times as fast as looking them up one after the other. The table
  /// must be a member of the body of the stage, and not of an object that the body makes while it computes a
  /// point, because the Lookup points to the table. If i is an interval, returns the same as `table(i)`.
  template <class I>
  requires(Height == 1)
  KOKKOS_FORCEINLINE_FUNCTION auto deferred(I i) const {
    if constexpr (is_interval<I>)
      return (*this)(i);
    else
      return Lookup<T, Width>{entries_, checked(Coordinate(i).value, 0)};
  }

 private:
  /// Returns entry i of row j; builds with TESSERA_CHECKS check the indices.
  KOKKOS_FORCEINLINE_FUNCTION T entry(int i, int j) const { return entries_[checked(i, j)]; }
  /// Returns the index in `entries_` of entry i of row j. Builds with TESSERA_CHECKS end the program if i or
  /// j lies outside the table.
  KOKKOS_FORCEINLINE_FUNCTION static int checked(int i, int j) {
#ifdef TESSERA_CHECKS
    if (i < 0 || i >= Width || j < 0 || j >= Height)
      Kokkos::abort("tessera: a stage body read a Table at an index outside it");
#endif
    return j * Width + i;
  }

  /// Returns the range of the entries at these indices.
  KOKKOS_FUNCTION Interval<T> range(const Interval<Coordinate>& i, const Interval<Coordinate>& j) const {
    Interval<T> result(entry(within(i.lower, Width), within(j.lower, Height)));
    for (int row = within(j.lower, Height); row <= within(j.upper, Height); ++row)
      for (int column = within(i.lower, Width); column <= within(i.upper, Width); ++column) {
        const Interval<T> one(entry(column, row));
        result.lower = detail::lesser(result.lower, one.lower);
        result.upper = detail::greater(result.upper, one.upper);
        result.maybe_nan = result.maybe_nan || one.maybe_nan;
      }
    // The range depends on the indices: it gets their decisions, and is constant if they are.
    const detail::Operands o(i, j);
    result.decisions = o.decisions;
    return result.traced(o.common());
  }

  /// Returns the index in [0, count) that is nearest to `index`.
  KOKKOS_FUNCTION static int within(std::int64_t index, int count) {
    return static_cast<int>(index < 0 ? 0 : index >= count ? count - 1 : index);
  }

  T entries_[Width * Height];
};

/// `Table{{a, b, c}}` is a table of one row.
template <class T, std::size_t Entries>
Table(const T (&)[Entries]) -> Table<T, static_cast<int>(Entries)>;
/// `Table{{{a, b}, {c, d}}}` is a table with one row for each pair of inner braces.
template <class T, std::size_t Rows, std::size_t Columns>
Table(const T (&)[Rows][Columns]) -> Table<T, static_cast<int>(Columns), static_cast<int>(Rows)>;
/// A table that is made from a std::array has one row.
template <class T, std::size_t Entries>
Table(const std::array<T, Entries>&) -> Table<T, static_cast<int>(Entries)>;

}  // namespace tessera
