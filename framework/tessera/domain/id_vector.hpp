// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Vectors that are indexed by ids, which a compiler tells apart.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/domain/id_range.hpp"

namespace tessera {

/// The number of an id: an id is an `enum class` based on `int` (an array of a pipeline, a task of a
/// program), or a rank of a communicator, which stays the `int` that MPI gives.
template <typename Id>
constexpr int to_int(Id id) {
  static_assert(std::is_enum_v<Id> || std::is_same_v<Id, int>);
  return static_cast<int>(id);
}

/// A vector with an element for each of the ids 0 to size() - 1. The element of an id that does not exist is
/// undefined, as in std::vector.
template <typename Id, typename T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : values_(size, value) {}  ///< Equal elements.
  IdVector(std::initializer_list<T> values) : values_(values) {}            ///< In the order of ids.
  explicit IdVector(std::vector<T> values) : values_(std::move(values)) {}  ///< Takes elements.

  typename std::vector<T>::reference operator[](Id id) { return values_[index(id)]; }  ///< An element.
  typename std::vector<T>::const_reference operator[](Id id) const { return values_[index(id)]; }  ///< One.

  /// Appends an element and returns its id.
  Id push_back(T value) {
    values_.push_back(std::move(value));
    return static_cast<Id>(size() - 1);
  }

  int size() const { return static_cast<int>(values_.size()); }                  ///< The number of elements.
  bool empty() const { return values_.empty(); }                                 ///< True without elements.
  bool contains(Id id) const { return to_int(id) >= 0 && to_int(id) < size(); }  ///< True if `id` exists.
  /// The ids in ascending order, for loops.
  IdRange<Id> ids() const { return {Id{0}, static_cast<Id>(size())}; }

  auto begin() { return values_.begin(); }                              ///< To the first element.
  auto end() { return values_.end(); }                                  ///< Behind the last element.
  auto begin() const { return values_.begin(); }                        ///< To the first element.
  auto end() const { return values_.end(); }                            ///< Behind the last element.
  typename std::vector<T>::reference back() { return values_.back(); }  ///< The last element.
  typename std::vector<T>::const_reference back() const { return values_.back(); }  ///< The last element.

  void reserve(std::size_t size) { values_.reserve(size); }  ///< As std::vector does.
  void resize(std::size_t size) { values_.resize(size); }    ///< As std::vector does.
  void clear() { values_.clear(); }                          ///< Removes all elements.

  /// The elements alone, for algorithms and messages.
  const std::vector<T>& values() const { return values_; }
  std::vector<T>& values() { return values_; }  ///< The elements alone.

  bool operator==(const IdVector&) const = default;  ///< Compares all elements.

 private:
  static std::size_t index(Id id) { return static_cast<std::size_t>(to_int(id)); }

  std::vector<T> values_;
};

}  // namespace tessera
