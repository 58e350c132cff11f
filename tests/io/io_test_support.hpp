// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/view/block_io.hpp"

// Helpers of the tests of io. Every test runs on any number of ranks of MPI_COMM_WORLD.
namespace tessera::io_test {

inline int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int ranks() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/// Runs `task` on rank 0, after what every rank did before and before what any does after.
inline void on_rank_0(const std::function<void()>& task) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) task();
  MPI_Barrier(MPI_COMM_WORLD);
}

/// A folder that all ranks see, removed at the end.
class SharedFolder {
 public:
  SharedFolder() {
    std::array<char, 512> name{};
    if (rank() == 0) {
      const std::string pattern = std::filesystem::temp_directory_path() / "tessera-io-XXXXXX";
      std::copy(pattern.begin(), pattern.end(), name.begin());
      EXPECT_NE(::mkdtemp(name.data()), nullptr);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    path_ = name.data();
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) std::filesystem::remove_all(path_);
  }

  std::string operator/(const std::string& name) const { return path_ / name; }

  /// The names of all files in it, hidden ones too, sorted.
  std::vector<std::string> files() const {
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    MPI_Barrier(MPI_COMM_WORLD);
    return names;
  }

 private:
  std::filesystem::path path_;
};

/// How the points of a box lie in memory.
enum class Layout { packed, padded, channels_between_rows };

/// A block with memory of its own, filled with `background`.
template <class T>
class OwnedBlock {
 public:
  static constexpr T background = 77;

  explicit OwnedBlock(const Box& box, Layout layout = Layout::packed) {
    block_.type = element_type_of<T>();
    block_.box = box;
    if (box.empty()) return;
    const std::int64_t channels = box.dimensions > 2 ? box[2].size() : 1;
    const std::int64_t pitch = box[0].size() + (layout == Layout::packed ? 0 : 5);
    const std::int64_t rows = box[1].size() + (layout == Layout::padded ? 2 : 0);
    const bool between = layout == Layout::channels_between_rows;
    block_.strides[0] = 1;
    block_.strides[1] = between ? pitch * channels : pitch;
    block_.strides[2] = between ? pitch : pitch * rows;
    values_.assign(static_cast<std::size_t>(pitch * rows * channels), background);
    block_.data = reinterpret_cast<std::byte*>(values_.data());
  }

  const HostBlock& block() const { return block_; }

  T& at(std::int64_t x, std::int64_t y, std::int64_t c = 0) {
    const Box& box = block_.box;
    std::int64_t offset = x - box[0].begin + block_.strides[1] * (y - box[1].begin);
    if (box.dimensions > 2) offset += block_.strides[2] * (c - box[2].begin);
    return values_[static_cast<std::size_t>(offset)];
  }

  /// Calls use(x, y, c, value) for every point.
  template <class Use>
  void for_each(const Use& use) {
    const Box& box = block_.box;
    if (box.empty()) return;
    const Range channels = box.dimensions > 2 ? box[2] : Range{0, 1};
    for (std::int64_t c = channels.begin; c < channels.end; ++c)
      for (std::int64_t y = box[1].begin; y < box[1].end; ++y)
        for (std::int64_t x = box[0].begin; x < box[0].end; ++x) use(x, y, c, at(x, y, c));
  }

  /// Elements that are none of the block's points, but padding, and were changed.
  std::int64_t changed_padding() {
    std::vector<T> copy = values_;
    std::swap(copy, values_);
    for_each([](std::int64_t, std::int64_t, std::int64_t, T& value) { value = background; });
    std::swap(copy, values_);
    return static_cast<std::int64_t>(copy.size()) - std::count(copy.begin(), copy.end(), background);
  }

 private:
  HostBlock block_;
  std::vector<T> values_;
};

/// The pixel that the tests put at a point: of all bytes of T; in [0, 1] for floats and the parts of complex
/// numbers.
template <class T>
T pixel(std::int64_t x, std::int64_t y, std::int64_t c) {
  const std::uint64_t hash =
      static_cast<std::uint64_t>(x * 7919 + y * 104729 + c * 1299709 + 17) * 2654435761U;
  if constexpr (ComplexNumber<T>)
    return T(pixel<typename T::value_type>(x, y, c), pixel<typename T::value_type>(x, y, c + 100));
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>((hash >> 8) & 0xFFFF) / T{65535};
  else
    return static_cast<T>(hash >> 8);
}

template <class T>
OwnedBlock<T> filled(const Box& box, Layout layout = Layout::packed) {
  OwnedBlock<T> owned(box, layout);
  owned.for_each([](std::int64_t x, std::int64_t y, std::int64_t c, T& value) { value = pixel<T>(x, y, c); });
  return owned;
}

/// True when the block holds `pixel` everywhere, and nothing else was touched.
template <class T>
bool holds_pixels(OwnedBlock<T>& owned) {
  std::int64_t wrong = owned.changed_padding();
  owned.for_each(
      [&](std::int64_t x, std::int64_t y, std::int64_t c, T& value) { wrong += value != pixel<T>(x, y, c); });
  return wrong == 0;
}

/// How a domain is cut among the ranks; in each some ranks may have nothing.
enum class Cut { rows, columns, last_rank, channels };
inline constexpr Cut all_cuts[] = {Cut::rows, Cut::columns, Cut::last_rank, Cut::channels};

/// Returns the part of a domain that this rank has.
inline Box part_of(const Box& domain, Cut cut) {
  Box part = domain;
  int d = cut == Cut::rows ? 1 : 0;
  if (cut == Cut::channels) d = domain.dimensions - 1;
  if (cut == Cut::last_rank) {
    if (rank() + 1 < ranks()) part[d].end = part[d].begin;
    return part;
  }
  const std::int64_t slice = (domain[d].size() + ranks() - 1) / ranks();
  part[d].begin = std::min(domain[d].begin + rank() * slice, domain[d].end);
  part[d].end = std::min(part[d].begin + slice, domain[d].end);
  return part;
}

/// Expects `task` to throw an InputError of one line, the same on every rank, that holds all of `words`.
inline void expect_input_error(const std::function<void()>& task, const std::vector<std::string>& words) {
  std::string message;
  try {
    task();
  } catch (const InputError& error) {
    message = error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an InputError: " << error.what();
  }
  EXPECT_FALSE(message.empty()) << "nothing was thrown";
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;

  std::array<char, 1024> first{};
  std::copy_n(message.begin(), std::min(message.size(), first.size() - 1), first.begin());
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(message, first.data());
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace tessera::io_test
