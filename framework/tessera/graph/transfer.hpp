// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/graph/pool.hpp"
#include "tessera/graph/task.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::graph {

/// The bytes of a value that is sent to another rank. They are read in the order of their writing.
class Bytes {
 public:
  /// Makes an empty sequence.
  Bytes() = default;
  /// Copies bytes that another rank has written.
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes.begin(), bytes.end()) {}
  /// Appends the `count` bytes at `data`.
  void write(const void* data, std::size_t count) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + count);
    if (count > 0) std::memcpy(bytes_.data() + before, data, count);
  }
  /// Copies the next `count` bytes to `data`. Throws InternalError if there are fewer.
  void read(void* data, std::size_t count) {
    if (count > bytes_.size() - next_) throw InternalError("a value from another rank has too few bytes");
    if (count > 0) std::memcpy(data, bytes_.data() + next_, count);
    next_ += count;
  }
  /// Returns all bytes that were written.
  const std::vector<std::byte>& all() const { return bytes_; }
  /// Gives up all bytes that were written.
  std::vector<std::byte> release() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t next_ = 0;
};

/// Says how values of the type T are sent to other ranks. This template copies the bytes of a value, which
/// must be trivially copyable. Vectors, texts, leases and types that list their members have templates of
/// their own. Programs may specialise it for other types: a specialisation has the same two functions.
template <class T>
struct Transfer {
  static_assert(std::is_trivially_copyable_v<T>, "specialise tessera::graph::Transfer for this type");
  /// Appends a value to `bytes`.
  static void pack(const T& value, Bytes& bytes) { bytes.write(&value, sizeof(T)); }
  /// Returns the next value of `bytes`. Throws InternalError if there are too few bytes.
  static T unpack(Bytes& bytes) {
    T value;
    bytes.read(&value, sizeof(T));
    return value;
  }
};

/// A std::vector or a std::string.
template <class T>
concept IsSequence = std::same_as<T, std::vector<typename T::value_type, typename T::allocator_type>> ||
                     std::same_as<T, std::string>;

/// Says how vectors and texts are sent: by their size and their elements.
template <IsSequence T>
struct Transfer<T> {
  using Element = typename T::value_type;  ///< The type of the elements.
  /// Appends the size and the elements to `bytes`.
  static void pack(const T& values, Bytes& bytes) {
    Transfer<std::size_t>::pack(values.size(), bytes);
    if constexpr (std::is_trivially_copyable_v<Element>)
      bytes.write(values.data(), values.size() * sizeof(Element));
    else
      for (const Element& value : values) Transfer<Element>::pack(value, bytes);
  }
  /// Returns the next vector or text of `bytes`. Throws InternalError if there are too few bytes.
  static T unpack(Bytes& bytes) {
    T values;
    values.resize(Transfer<std::size_t>::unpack(bytes));
    if constexpr (std::is_trivially_copyable_v<Element>)
      bytes.read(values.data(), values.size() * sizeof(Element));
    else
      for (Element& value : values) value = Transfer<Element>::unpack(bytes);
    return values;
  }
};

/// A type that lists its members: `T::members(value)` returns a std::tuple of references to them, as std::tie
/// does, also for a constant value.
template <class T>
concept HasMembers = requires(T& value, const T& constant) {
  T::members(value);
  T::members(constant);
};

/// Says how values that list their members are sent: one member after the other. The type must have a default
/// constructor, and Transfer must know the types of the members.
template <HasMembers T>
struct Transfer<T> {
  /// Appends the members of a value to `bytes`.
  static void pack(const T& value, Bytes& bytes) {
    std::apply(
        [&](const auto&... member) {
          (Transfer<std::remove_cvref_t<decltype(member)>>::pack(member, bytes), ...);
        },
        T::members(value));
  }
  /// Returns the next value of `bytes`. Throws InternalError if there are too few bytes.
  static T unpack(Bytes& bytes) {
    T value;
    std::apply(
        [&](auto&... member) {
          ((member = Transfer<std::remove_cvref_t<decltype(member)>>::unpack(bytes)), ...);
        },
        T::members(value));
    return value;
  }
};

/// Says how leases are sent: by the value in the buffer. On the other rank the value belongs to no pool, and
/// is destroyed with the last lease of it. The lease must have a buffer.
template <class T>
struct Transfer<Lease<T>> {
  /// Appends the value in the buffer to `bytes`.
  static void pack(const Lease<T>& lease, Bytes& bytes) { Transfer<T>::pack(*lease, bytes); }
  /// Returns a lease of the next value of `bytes`. Throws InternalError if there are too few bytes.
  static Lease<T> unpack(Bytes& bytes) { return Lease<T>::of(Transfer<T>::unpack(bytes)); }
};

namespace detail {

/// Returns the bytes of some values, one after the other.
template <class... Ts>
Bytes packed_values(const Ts&... values) {
  Bytes bytes;
  (Transfer<Ts>::pack(values, bytes), ...);
  return bytes;
}

/// Returns the bytes that the rank `root` passes on all ranks. Collective.
Bytes broadcast(MPI_Comm communicator, const Bytes& bytes, int root);

}  // namespace detail

/// Returns the value that the rank `root` passes on all ranks. Transfer says how it is sent. Collective.
template <class T>
T broadcast(MPI_Comm communicator, const T& value, int root = 0) {
  Bytes bytes = detail::broadcast(communicator, detail::packed_values(value), root);
  return Transfer<T>::unpack(bytes);
}

/// Returns the elements of the lists that all ranks pass on all ranks, in the order of the ranks. Collective.
template <class T>
std::vector<T> gathered(MPI_Comm communicator, const std::vector<T>& mine) {
  std::vector<T> all;
  for (int root = 0; root < ranks_of(communicator); ++root)
    for (T& element : broadcast(communicator, mine, root)) all.push_back(std::move(element));
  return all;
}

namespace detail {

/// The key of `send`, and the conversion of items into bytes.
template <class T, class Key>
class SendBody final : public Body {
 public:
  explicit SendBody(Key key) : key_(std::move(key)) {}
  /// True if an item goes to one rank, and not to each of a list.
  static constexpr bool is_single = std::integral<std::remove_cvref_t<std::invoke_result_t<Key&, const T&>>>;

  bool call(Emitter& emitter, Call& call) override {
    const T& value = std::as_const(value_of<T>(*call.item));
    const auto ranks = ranks_of(emitter, value);
    for (auto rank = ranks.begin(); rank != ranks.end(); ++rank) {
      if (*rank == emitter.own_rank() || std::find(ranks.begin(), rank, *rank) != rank) continue;
      emitter.send(*rank, packed_values(value));
    }
    if (std::find(ranks.begin(), ranks.end(), emitter.own_rank()) != ranks.end()) {
      call.item->hold();
      emitter.emit_last(0, call.item);
    }
    return true;
  }
  Item* receive(Bytes& bytes) override { return new ItemOf<T>(Transfer<T>::unpack(bytes)); }

 private:
  auto ranks_of(const Emitter& emitter, const T& value) {
    if constexpr (is_single) {
      return std::array{emitter.rank_of(static_cast<std::int64_t>(key_(value)))};
    } else {
      std::vector<int> ranks;
      for (const auto& key : key_(value)) ranks.push_back(emitter.rank_of(static_cast<std::int64_t>(key)));
      return ranks;
    }
  }

  Key key_;
};

}  // namespace detail

}  // namespace tessera::graph
