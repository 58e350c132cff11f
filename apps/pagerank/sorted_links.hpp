// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "links.hpp"
#include "tessera/view/launch.hpp"

namespace pagerank {
namespace detail {

/// Returns the number of bits b that makes buckets of 2^b keys: the smallest one with at most 2048 buckets.
inline int bits_of_bucket(std::int64_t keys) {
  constexpr std::int64_t most_buckets = 2048;
  int bits = 0;
  while ((keys >> bits) >= most_buckets) ++bits;
  return bits;
}

/// Returns how many numbers a thread has room for: one for each key of a bucket, and then a cache line of
/// them, so that two threads do not write to the same cache line.
inline std::int64_t room_for_places(std::int64_t keys) {
  return (std::int64_t{1} << bits_of_bucket(keys)) + 8;
}

/// Sorts links by keys, first into buckets of consecutive keys, and then in each bucket. Threads share the
/// parts of the links, and then the buckets. With fewer than 2^26 keys, the places of the keys of a bucket
/// take at most 256 KiB and stay in a cache, as the links of the bucket do if they are few. With 2^32 keys,
/// the places take 16 MiB and do not stay there.
template <class Key>
class LinkSort {
 public:
  LinkSort(std::vector<Link>& links, std::int64_t keys, const Key& key)
      : links_(links), key_(key), shift_(bits_of_bucket(keys)), room_(room_for_places(keys)) {
    buckets_ = (keys >> shift_) + 1;
    parts_ = std::max(1, tessera::HostExecutionSpace().concurrency());
    next_.resize(static_cast<std::size_t>(parts_ * buckets_));
    begins_.resize(static_cast<std::size_t>(buckets_) + 1);
    moved_.resize(links.size());
    // This memory is taken here, as a kernel could not report that there is none.
    places_.resize(static_cast<std::size_t>(parts_ * room_));
  }

  void run() {
    each<&LinkSort::count>("pagerank: count links");
    // Turns the counts of links into the places where the links of each part begin in each bucket.
    std::int64_t before = 0;
    for (std::int64_t bucket = 0; bucket < buckets_; ++bucket) {
      begins_[at(bucket)] = before;
      for (std::int64_t part = 0; part < parts_; ++part)
        before += std::exchange(next_[at(part * buckets_ + bucket)], before);
    }
    begins_.back() = before;
    each<&LinkSort::move>("pagerank: move links");
    each<&LinkSort::sort>("pagerank: sort links");
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
  /// The first link of a part.
  std::int64_t begin(std::int64_t part) const {
    const auto count = static_cast<std::int64_t>(links_.size());
    return count / parts_ * part + std::min(part, count % parts_);
  }
  std::int64_t bucket_of(const Link& link) const { return static_cast<std::int64_t>(key_(link)) >> shift_; }

  template <void (LinkSort::*function)(std::int64_t)>
  struct Call {
    LinkSort* sort;

    void operator()(std::int64_t index) const { (sort->*function)(index); }
  };

  /// Calls a function for all parts, each on a thread of its own.
  template <void (LinkSort::*function)(std::int64_t)>
  void each(const char* name) {
    tessera::for_each_index(tessera::HostExecutionSpace(), tessera::HostMode::kernels, name, parts_,
                            Call<function>{this});
    tessera::HostExecutionSpace().fence();
  }

  void count(std::int64_t part) {
    std::int64_t* const counts = next_.data() + part * buckets_;
    for (std::int64_t i = begin(part); i < begin(part + 1); ++i) ++counts[bucket_of(links_[at(i)])];
  }
  void move(std::int64_t part) {
    std::int64_t* const next = next_.data() + part * buckets_;
    for (std::int64_t i = begin(part); i < begin(part + 1); ++i) {
      const Link& link = links_[at(i)];
      moved_[at(next[bucket_of(link)]++)] = link;
    }
  }
  /// Sorts buckets, one after the other, as long as any are left. Buckets differ in their numbers of links,
  /// so each thread takes the next one when it has time.
  void sort(std::int64_t part) {
    std::int64_t* const places = places_.data() + part * room_;
    for (std::int64_t bucket = next_bucket_++; bucket < buckets_; bucket = next_bucket_++)
      sort_bucket(bucket, places);
  }
  /// Sorts the links of a bucket from moved_ back to links_. `places` has room for a number for each key of a
  /// bucket.
  void sort_bucket(std::int64_t bucket, std::int64_t* places) {
    const std::int64_t begin = begins_[at(bucket)], end = begins_[at(bucket) + 1];
    if (begin == end) return;
    const std::int64_t first = bucket << shift_;
    std::fill_n(places, std::int64_t{1} << shift_, 0);
    for (std::int64_t i = begin; i < end; ++i) ++places[key_of(i) - first];
    std::exclusive_scan(places, places + (std::int64_t{1} << shift_), places, begin);
    for (std::int64_t i = begin; i < end; ++i) links_[at(places[key_of(i) - first]++)] = moved_[at(i)];
  }
  std::int64_t key_of(std::int64_t moved) const { return static_cast<std::int64_t>(key_(moved_[at(moved)])); }

  std::vector<Link>& links_;
  std::vector<Link> moved_;
  const Key& key_;
  /// A bucket has 2^shift_ keys.
  int shift_;
  /// The room of a part in places_.
  std::int64_t room_;
  std::int64_t buckets_ = 0, parts_ = 0;
  /// For each part and each bucket: the number of links at first, and then the place of the next one.
  std::vector<std::int64_t> next_;
  /// The first links of the buckets, and the number of links.
  std::vector<std::int64_t> begins_;
  /// For each part: the place of the next link with each key of the bucket that is being sorted.
  std::vector<std::int64_t> places_;
  std::atomic<std::int64_t> next_bucket_ = 0;
};

}  // namespace detail

/// Returns the bytes of memory that each thread takes to sort links, beside those of the links.
inline std::int64_t bytes_to_sort(std::int64_t keys) {
  return detail::room_for_places(keys) * static_cast<std::int64_t>(sizeof(std::int64_t));
}

/// Sorts links by their keys, which are 0 to keys - 1, on all threads. Links of the same key keep their
/// order. Kokkos must have been started.
template <class Key>
void sort_links(std::vector<Link>& links, std::int64_t keys, const Key& key) {
  detail::LinkSort<Key>(links, keys, key).run();
}

}  // namespace pagerank
