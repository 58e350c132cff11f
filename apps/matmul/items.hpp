// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "block_product.hpp"
#include "plan.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/graph/pool.hpp"
#include "tessera/graph/task.hpp"
#include "tessera/view/block.hpp"
#include "tessera/view/block_io.hpp"

// The items that flow through the graph of a product, and the keepers that decide what is computed next.
namespace matmul {

/// Memory for the elements of one block.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::int64_t elements)
      : memory_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "block"),
                static_cast<std::size_t>(elements)) {
    tessera::prefer_huge_pages(memory_.data(), memory_.span() * sizeof(T));
  }

  T* data() const { return memory_.data(); }
  /// Returns the memory as a matrix that has the elements of `box` without gaps.
  Block<T> block(const tessera::Box& box) const {
    return Block<T>(data(), static_cast<std::size_t>(box[1].size()), static_cast<std::size_t>(box[0].size()));
  }
  /// Returns the memory as a block that has the elements of `box`, to read or write files.
  tessera::HostBlock file_block(const tessera::Box& box) const {
    return tessera::packed_block(reinterpret_cast<std::byte*>(data()), tessera::element_type_of<T>(), box);
  }

 private:
  Kokkos::View<T*, Kokkos::HostSpace> memory_;
};

template <class T>
using Memory = tessera::graph::Lease<Buffer<T>>;

/// A block of A or B.
template <class T>
struct OperandItem {
  OperandBlock at;
  Memory<T> memory;
};

/// A partial sum that waits for the product number `step`.
template <class T>
struct SumItem {
  LeafBlock at;
  std::int64_t step = 0;
  Memory<T> memory;
};

/// A partial sum, and the blocks whose product it needs next.
template <class T>
struct ProductItem {
  SumItem<T> sum;
  Memory<T> a, b;
};

/// A sum of the tree of a block of C.
template <class T>
struct TreeItem {
  std::int64_t row = 0;
  std::int64_t column = 0;
  TreePlace place;
  Memory<T> memory;
};

/// Two sums that are to be added.
template <class T>
struct PairItem {
  TreeItem<T> left, right;
};

/// Finds the products that can be computed: those of a partial sum that waits for them, and whose blocks are
/// loaded. It keeps each block of A and B until its last product of the panel, and each sum until its next
/// product.
template <class T>
class Pair {
 public:
  explicit Pair(const Plan& plan) : plan_(&plan) {}

  void operator()(OperandItem<T> item, tessera::graph::Out<ProductItem<T>>& ready) {
    const Panel panel = plan_->panel(item.at.panel);
    const bool is_a = item.at.operand == Operand::a;
    const tessera::Range partners = is_a ? panel.columns : panel.rows;
    blocks_[key(item.at)] = {std::move(item.memory), partners.size()};
    for (std::int64_t partner = partners.begin; partner < partners.end; ++partner)
      emit(item.at.panel, is_a ? item.at.band : partner, is_a ? partner : item.at.band, item.at.step, ready);
  }

  void operator()(SumItem<T> item, tessera::graph::Out<ProductItem<T>>& ready) {
    const auto [panel, row, column, leaf] = item.at;
    const std::int64_t step = item.step;
    sums_[{row, column, step}] = std::move(item);
    emit(panel, row, column, step, ready);
  }

 private:
  /// A block of A or B, and the number of products that still need it.
  struct Kept {
    Memory<T> memory;
    std::int64_t products = 0;
  };
  using BlockKey = std::tuple<Operand, std::int64_t, std::int64_t, std::int64_t>;
  static BlockKey key(const OperandBlock& block) {
    return {block.operand, block.panel, block.band, block.step};
  }

  /// Emits a product of the block of C in a row and a column, if its sum and both of its blocks are there.
  void emit(std::int64_t panel, std::int64_t row, std::int64_t column, std::int64_t step,
            tessera::graph::Out<ProductItem<T>>& ready) {
    const auto a = blocks_.find(key({Operand::a, panel, row, step}));
    const auto b = blocks_.find(key({Operand::b, panel, column, step}));
    const auto sum = sums_.find({row, column, step});
    if (a == blocks_.end() || b == blocks_.end() || sum == sums_.end()) return;
    ready({std::move(sum->second), a->second.memory, b->second.memory});
    sums_.erase(sum);
    for (const auto& used : {a, b})
      if (--used->second.products == 0) blocks_.erase(used);
  }

  const Plan* plan_;
  std::map<BlockKey, Kept> blocks_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, SumItem<T>> sums_;
};

/// Finds the sums that are partners in the tree of their block, and passes on each sum of all leaves.
template <class T>
class Match {
 public:
  explicit Match(const Plan& plan) : tree_(plan.tree()) {}

  void operator()(TreeItem<T> item, tessera::graph::Out<PairItem<T>>& add,
                  tessera::graph::Out<TreeItem<T>>& done) {
    if (tree_.is_root(item.place)) return done(std::move(item));
    const std::tuple key{item.row, item.column, SumTree::parent(item.place)};
    const auto partner = kept_.find(key);
    if (partner == kept_.end()) {
      kept_.emplace(key, std::move(item));
      return;
    }
    TreeItem<T> other = std::move(partner->second);
    kept_.erase(partner);
    // The sum with the smaller number is the left one.
    if (other.place.number > item.place.number) std::swap(other, item);
    add({std::move(other), std::move(item)});
  }

 private:
  SumTree tree_;
  std::map<std::tuple<std::int64_t, std::int64_t, TreePlace>, TreeItem<T>> kept_;
};

}  // namespace matmul
