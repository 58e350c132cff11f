// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "links.hpp"
#include "tessera/view/compat.hpp"

namespace pagerank {
namespace detail {

/// Sorts links by keys, first into buckets of following keys, and then in each bucket. Parts of the links,
/// and then buckets, are sorted side by side. A bucket is small enough to stay in a cache.
template <class Key>
class LinkSort {
 public:
  LinkSort(std::vector<Link>& links, std::int64_t keys, const Key& key)
      : links_(links), keys_(keys), key_(key) {
    constexpr std::int64_t most_buckets = 2048;
    while ((keys_ >> shift_) >= most_buckets) ++shift_;
    buckets_ = (keys_ >> shift_) + 1;
    parts_ = std::max(1, tessera::HostExecutionSpace().concurrency());
    next_.resize(static_cast<std::size_t>(parts_ * buckets_));
    begins_.resize(static_cast<std::size_t>(buckets_) + 1);
    moved_.resize(links.size());
  }

  void run() {
    each<&LinkSort::count>("pagerank: count links", parts_);
    std::int64_t before = 0;
    for (std::int64_t bucket = 0; bucket < buckets_; ++bucket) {
      begins_[at(bucket)] = before;
      for (std::int64_t part = 0; part < parts_; ++part)
        before += std::exchange(next_[at(part * buckets_ + bucket)], before);
    }
    begins_.back() = before;
    each<&LinkSort::move>("pagerank: move links", parts_);
    each<&LinkSort::sort>("pagerank: sort links", buckets_);
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

  /// Calls a function for all indices, each on the next free thread.
  template <void (LinkSort::*function)(std::int64_t)>
  void each(const char* name, std::int64_t count) {
    using Space = tessera::HostExecutionSpace;
    using Policy =
        Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(name, Policy(Space(), 0, count, Kokkos::ChunkSize(1)), Call<function>{this});
    Space().fence();
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
  /// Sorts the links of a bucket, back to where they came from.
  void sort(std::int64_t bucket) {
    const std::int64_t begin = begins_[at(bucket)], end = begins_[at(bucket) + 1];
    const std::int64_t first = bucket << shift_;
    std::vector<std::int64_t> next((std::size_t(1) << shift_) + 1);
    for (std::int64_t i = begin; i < end; ++i) ++next[at(key_of(i) - first) + 1];
    next[0] = begin;
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    for (std::int64_t i = begin; i < end; ++i) links_[at(next[at(key_of(i) - first)]++)] = moved_[at(i)];
  }
  std::int64_t key_of(std::int64_t moved) const { return static_cast<std::int64_t>(key_(moved_[at(moved)])); }

  std::vector<Link>& links_;
  std::vector<Link> moved_;
  std::int64_t keys_;
  const Key& key_;
  /// A bucket has 2^shift_ keys.
  int shift_ = 0;
  std::int64_t buckets_ = 0, parts_ = 0;
  /// For each part and each bucket: the number of links at first, and then the place of the next one.
  std::vector<std::int64_t> next_;
  /// The first links of the buckets, and the number of links.
  std::vector<std::int64_t> begins_;
};

}  // namespace detail

/// Sorts links by their keys, which are 0 to keys - 1, on all threads. Links of the same key keep their
/// order. Kokkos has been started.
template <class Key>
void sort_links(std::vector<Link>& links, std::int64_t keys, const Key& key) {
  detail::LinkSort<Key>(links, keys, key).run();
}

}  // namespace pagerank
