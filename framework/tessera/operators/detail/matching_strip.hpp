// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/operators/block_matching.hpp"
#include "tessera/operators/detail/matching_lanes.hpp"
#include "tessera/operators/detail/matching_rows.hpp"

namespace tessera::operators::detail {

/// The candidates of a matching are divided into groups, and each group is a vector. Groups are joined to
/// chunks. A key is the error of a candidate times the number of candidates of its chunk, plus the number of
/// the candidate in the chunk. The least key therefore belongs to the best candidate, and to the first of
/// several equal ones.
struct MatchingGroups {
  /// The number of candidates of a group, and of a chunk, which are powers of two.
  int group;
  int chunk;
  /// The number of groups.
  int count;

  /// Divides the candidates of `task` into groups of `lanes`, so that no sum and no key is greater than
  /// `greatest`.
  MatchingGroups(const MatchingTask& task, int lanes, double greatest) : group(lanes), chunk(lanes) {
    count = (task.candidate_count() + lanes - 1) / lanes;
    while (chunk < most_of_chunk && chunk < task.candidate_count() &&
           2 * chunk * (task.greatest_sum() + 1) <= greatest)
      chunk *= 2;
  }

  /// The product of a number of 8 bits with twice this must not have more than 16 bits with a sign.
  static constexpr int most_of_chunk = 64;

  int candidates() const { return group * count; }
  int groups_of_chunk() const { return chunk / group; }
  /// Returns the number of columns that are computed together, whose sums stay in a cache.
  int columns() const { return std::clamp(8192 / candidates() / 64 * 64, 128, 512); }
};

/// Computes a block matching strip by strip. For each column and candidate it keeps the sum of the errors of
/// the points in the rows of the window, which moves down by a row at a time. For each candidate, the sums
/// of neighbouring columns are added to that of the window, which moves along x by a column at a time.
///
/// Number is the type of the sums, and Bytes the size of a vector of them. Images is the number of match
/// images of one channel, or 0 if the numbers of images and channels are known at run time only. If
/// `IsAbsolute`, errors are absolute differences and not squares.
template <class Number, int Bytes, int Images, bool IsAbsolute>
class MatchingStrip {
 public:
  MatchingStrip(const MatchingTask& task, const MatchingArrays& arrays)
      : task_(task),
        arrays_(arrays),
        groups_(task, lanes, greatest_key),
        rows_(task, arrays, most_columns(task, groups_), groups_.candidates(),
              static_cast<Number>(groups_.chunk)),
        stride_(std::int64_t(most_columns(task, groups_)) * lanes),
        sums_(aligned_scratch<Sums, Number>(groups_.count * stride_)),
        keys_(aligned_scratch<Keys, Number>(std::int64_t(groups_.count) * lanes * (lanes + 1))),
        windows_(keys_ + std::int64_t(groups_.count) * lanes * lanes),
        barred_(aligned_scratch<Barred, Number>(groups_.candidates())),
        shift_(std::countr_zero(static_cast<unsigned>(groups_.chunk))),
        is_plain_(groups_.groups_of_chunk() == 1 && task.winners.size() == groups_.candidates()) {
    // All keys of a vector are read, also those after the last point of a row, which are not computed.
    std::fill_n(keys_, std::int64_t(groups_.count) * lanes * lanes, Number(0));
    for (int k = 0; k < groups_.candidates(); ++k)
      barred_[k] = task.winners.contains(task.candidates.begin + k) ? Number(0) : greatest_key;
  }

  static std::int64_t bytes(const MatchingTask& task) {
    const MatchingGroups groups(task, lanes, greatest_key);
    const int columns = most_columns(task, groups);
    return MatchingRows<Number>::bytes(task, columns, groups.candidates()) +
           static_cast<std::int64_t>(sizeof(Number)) * groups.candidates() * (columns + lanes + 2);
  }

  [[gnu::always_inline]] void compute(const Box& box) {
    const Range all = task_.along(box[0]);
    const Range rows{box[1].begin - task_.image[1].begin, box[1].end - task_.image[1].begin};
    for (std::int64_t x = all.begin; x < all.end; x += groups_.columns())
      compute_strip({x, std::min<std::int64_t>(x + groups_.columns(), all.end)}, rows);
  }

 private:
  using Of = Lanes<Number, Bytes>;
  using Vector = typename Of::Vector;
  static constexpr int lanes = Of::count;
  /// Doubles are exact up to 2^53.
  static constexpr Number greatest_key =
      std::is_integral_v<Number> ? std::numeric_limits<Number>::max() : Number(0x1p53);
  // These types only tell the memory of the arrays apart.
  struct Sums;
  struct Keys;
  struct Barred;

  using View = typename MatchingRows<Number>::View;
  static constexpr int parts = MatchingRows<Number>::parts;

  static int most_columns(const MatchingTask& task, const MatchingGroups& groups) {
    return static_cast<int>(std::min<std::int64_t>(groups.columns() + 2 * task.reach, task.width()));
  }

  [[gnu::always_inline]] int images() const { return Images > 0 ? Images : task_.images; }
  [[gnu::always_inline]] int channels() const { return Images > 0 ? 1 : task_.channels; }
  [[gnu::always_inline]] Number* sums(int group, std::int64_t column) const {
    return sums_ + group * stride_ + column * lanes;
  }
  [[gnu::always_inline]] Number* keys(int group, int point) const {
    return keys_ + (group * lanes + point) * lanes;
  }

  [[gnu::always_inline]] void compute_strip(Range points, Range rows) {
    points_ = points;
    columns_ = task_.window_columns(points);
    rows_.begin(columns_);
    std::fill_n(sums_, groups_.count * stride_, Number(0));
    const int reach = task_.reach;
    // At first all rows but the last one of the windows of the first row of points are added, two at a time.
    for (std::int64_t step = -reach; step < rows.size(); ++step) {
      const std::int64_t y = rows.begin + step;
      if (step < 0)
        rows_.read(y + step + reach, y + step + reach + 1, 1);
      else
        rows_.read(y + reach, step > 0 ? y - reach - 1 : y + reach, step > 0 ? -1 : 0);
      if (step >= 0)
        compute_row(y);
      else
        for (int g = 0; g < groups_.count; ++g) advance(g, 0, columns_.size());
    }
  }

  [[gnu::always_inline]] void compute_row(std::int64_t y) {
    for (int g = 0; g < groups_.count; ++g) begin_windows(g);
    for (std::int64_t x = points_.begin; x < points_.end; x += lanes) {
      const int count = static_cast<int>(std::min<std::int64_t>(lanes, points_.end - x));
      for (int g = 0; g < groups_.count; ++g) compute_keys(g, x, count);
      choose(x, y, count);
    }
  }

  /// Returns the number of the column `x` in the strip, or of the column at the border next to it.
  [[gnu::always_inline]] std::int64_t column(std::int64_t x) const {
    return std::clamp(x, columns_.begin, columns_.end - 1) - columns_.begin;
  }

  /// Adds the rows that were read to the sums of column number `j`, which are in memory at `sums`.
  [[gnu::always_inline]] void advance(const View& read, std::int64_t j, Number* sums, Vector& sum) const {
    Of::load(sums, sum);
    if constexpr (IsAbsolute) {
      add_differences(read, j, sum);
      return Of::store(sum, sums);
    }
    sum += read.constants[j];
    for (int i = 0; i < images(); ++i)
      Of::add(read.squares + i * read.extent + read.places[i * read.columns + j], sum);
    for (int c = 0; c < channels(); ++c)
      for (int part = 0; part < parts; ++part) {
        Vector values = {};
        for (int i = 0; i < images(); ++i)
          Of::add(read.values + ((part * channels() + c) * images() + i) * read.extent +
                      read.places[i * read.columns + j],
                  values);
        Of::add_products(sum, values, read.reference[(part * channels() + c) * read.columns + j]);
      }
    Of::store(sum, sums);
  }
  [[gnu::always_inline]] void add_differences(const View& read, std::int64_t j, Vector& sum) const {
    for (int c = 0; c < channels(); ++c)
      for (int part = 0; part < parts; ++part)
        for (int i = 0; i < images(); ++i) {
          Vector values;
          Of::load(read.values + ((part * channels() + c) * images() + i) * read.extent +
                       read.places[i * read.columns + j],
                   values);
          Of::add_differences(sum, values, read.reference[(part * channels() + c) * read.columns + j],
                              read.factors[part]);
        }
  }
  [[gnu::always_inline]] void advance(int g, std::int64_t begin, std::int64_t end) const {
    const View read = rows_.from_candidate(g * lanes);
    for (std::int64_t j = begin; j < end; ++j) {
      Vector sum;
      advance(read, j, sums(g, j), sum);
    }
  }

  /// Makes `windows_` the keys of the first point, without the last column of its window.
  [[gnu::always_inline]] void begin_windows(int g) {
    const int reach = task_.reach;
    advance(g, 0, std::min(points_.begin + reach, columns_.end) - columns_.begin);
    Number* const window = windows_ + g * lanes;
    for (int l = 0; l < lanes; ++l)
      window[l] = static_cast<Number>(g % groups_.groups_of_chunk() * lanes + l);
    for (std::int64_t x = points_.begin - reach; x < points_.begin + reach; ++x) {
      const Number* const sum = sums(g, column(x));
      for (int l = 0; l < lanes; ++l) window[l] += sum[l];
    }
  }

  /// Computes the keys of `count` points from `x` on.
  [[gnu::always_inline]] void compute_keys(int g, std::int64_t x, int count) {
    const int reach = task_.reach;
    Vector window, sum;
    Of::load(windows_ + g * lanes, window);
    if (x - reach >= columns_.begin && x + lanes - 1 + reach < columns_.end && count == lanes) {
      const View read = rows_.from_candidate(g * lanes);
      const std::int64_t first = column(x + reach), behind = -2 * reach * lanes;
      Number *own = sums(g, first), *key = keys(g, 0);
      for (std::int64_t k = 0; k < lanes; ++k, own += lanes, key += lanes) {
        advance(read, first + k, own, sum);
        window += sum;
        Of::store(window, key);
        Of::load(own + behind, sum);
        window -= sum;
      }
    } else {
      advance(g, std::min(x + reach, columns_.end) - columns_.begin,
              std::min(x + reach + count, columns_.end) - columns_.begin);
      for (int k = 0; k < count; ++k) {
        Of::add(sums(g, column(x + k + reach)), window);
        Of::store(window, keys(g, k));
        Of::load(sums(g, column(x + k - reach)), sum);
        window -= sum;
      }
    }
    Of::store(window, windows_ + g * lanes);
  }

  /// Makes `least` the least keys of the groups `groups` for Count points. If `IsPlain`, there is one group,
  /// all of whose candidates can win.
  template <int Count, bool IsPlain>
  [[gnu::always_inline]] void least_keys(Range groups, int point, Vector& least) const {
    if constexpr (Count > 1) {
      Vector first, second;
      least_keys<Count / 2, IsPlain>(groups, point, first);
      least_keys<Count / 2, IsPlain>(groups, point + Count / 2, second);
      Of::template join<Count / 2>(first, second, least);
    } else {
      Of::load(keys(static_cast<int>(groups.begin), point), least);
      if constexpr (IsPlain) return;
      Vector other;
      Of::load(barred_ + groups.begin * lanes, other);
      Of::raise(least, other);
      for (int g = static_cast<int>(groups.begin) + 1; g < groups.end; ++g) {
        Vector key;
        Of::load(keys(g, point), key);
        Of::load(barred_ + g * lanes, other);
        Of::raise(key, other);
        Of::lower(least, key);
      }
    }
  }

  /// Returns the error of a key.
  [[gnu::always_inline]] Number error_of(Number key) const {
    if constexpr (std::is_integral_v<Number>)
      return key >> shift_;
    else
      return static_cast<Number>(static_cast<std::int64_t>(key) >> shift_);
  }

  /// Finds the best candidates of `count` points from (x, y) on, and writes the results.
  [[gnu::always_inline]] void choose(std::int64_t x, std::int64_t y, int count) const {
    alignas(64) Number error[lanes] = {}, candidate[lanes] = {}, least[lanes];
    const int groups = groups_.groups_of_chunk();
    const auto chunk = static_cast<Number>(groups_.chunk);
    for (int begin = 0; begin < groups_.count; begin += groups) {
      Vector keys;
      if (is_plain_)
        least_keys<lanes, true>({begin, begin + 1}, 0, keys);
      else
        least_keys<lanes, false>({begin, std::min(begin + groups, groups_.count)}, 0, keys);
      Of::store(keys, least);
      const auto first = static_cast<Number>(begin * lanes);
      for (int k = 0; k < lanes; ++k) {
        const Number next = error_of(least[k]);
        const bool is_better = begin == 0 || next < error[k];
        const Number own = least[k] - next * chunk;
        candidate[k] = is_better ? first + own : candidate[k];
        error[k] = is_better ? next : error[k];
      }
    }
    write(x, y, count, error, candidate);
  }

  [[gnu::always_inline]] void write(std::int64_t x, std::int64_t y, int count, const Number* error,
                                    const Number* candidate) const {
    const std::int64_t step = task_.is_leftward ? -1 : 1;
    const std::int64_t row = y + task_.image[1].begin;
    const std::int64_t place = task_.is_leftward ? task_.image[0].end - 1 - x : task_.image[0].begin + x;
    const auto first = static_cast<std::int32_t>(task_.candidates.begin);
    auto* const disparity = reinterpret_cast<std::uint8_t*>(arrays_.disparity.origin) +
                            row * arrays_.disparity.strides[1] + place;
    std::uint8_t best[lanes];
    for (int k = 0; k < lanes; ++k)
      best[k] = static_cast<std::uint8_t>(first + static_cast<std::int32_t>(candidate[k]));
    if (step == 1 && count == lanes)
      std::memcpy(disparity, best, lanes);
    else
      for (int k = 0; k < count; ++k) disparity[step * k] = best[k];
    for (int e = 0; e < 3; ++e) {
      const ArrayReference& array = arrays_.errors[e];
      if (array.origin == nullptr) continue;
      auto* const to = reinterpret_cast<std::int64_t*>(array.origin) + row * array.strides[1] + place;
      for (int k = 0; k < count; ++k)
        to[step * k] = static_cast<std::int64_t>(
            e == 0 ? error[k] : neighbour(k, static_cast<int>(candidate[k]) + (e == 1 ? -1 : 1)));
    }
    if (arrays_.errors[3].origin != nullptr)
      write_rivals(reinterpret_cast<std::int64_t*>(arrays_.errors[3].origin) +
                       row * arrays_.errors[3].strides[1] + place,
                   step, count, candidate);
  }
  /// Writes the least errors of the candidates that can win and are no neighbours of the best ones, `step`
  /// elements apart. The keys of the best ones and of their neighbours are lost.
  [[gnu::always_inline]] void write_rivals(std::int64_t* to, std::int64_t step, int count,
                                           const Number* candidate) const {
    for (int k = 0; k < count; ++k) {
      const int best = static_cast<int>(candidate[k]);
      for (int c = std::max(best - 1, 0); c <= std::min(best + 1, groups_.candidates() - 1); ++c)
        keys(c / lanes, k)[c % lanes] = greatest_key;
    }
    Vector keys;
    least_keys<lanes, false>({0, groups_.count}, 0, keys);
    alignas(64) Number least[lanes];
    Of::store(keys, least);
    for (int k = 0; k < count; ++k)
      to[step * k] =
          least[k] == greatest_key ? BlockMatching::no_rival : static_cast<std::int64_t>(error_of(least[k]));
  }
  /// Returns the error of a candidate of the point number `k` of those whose keys are known, or 0 if there is
  /// no such candidate.
  [[gnu::always_inline]] Number neighbour(int k, int candidate) const {
    if (candidate < 0 || candidate >= task_.candidate_count()) return 0;
    return error_of(keys(candidate / lanes, k)[candidate % lanes]);
  }

  const MatchingTask& task_;
  const MatchingArrays& arrays_;
  MatchingGroups groups_;
  MatchingRows<Number> rows_;
  /// The distance between the sums of two groups.
  std::int64_t stride_;
  /// The sums of the columns of the strip.
  Number* sums_;
  /// The keys of some points.
  Number* keys_;
  /// The keys of a point, without the last column of its window.
  Number* windows_;
  /// The greatest key for each candidate that cannot win, and 0 for others.
  Number* barred_;
  /// The number of bits of a key that tell the candidate.
  int shift_;
  /// True if each chunk is one group, and all candidates can win.
  bool is_plain_;
  Range points_;
  Range columns_;
};

}  // namespace tessera::operators::detail
