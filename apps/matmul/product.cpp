// SPDX-License-Identifier: BSD-3-Clause
#include "product.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "items.hpp"

namespace matmul {
namespace {

using tessera::graph::Flow, tessera::graph::Graph, tessera::graph::Order, tessera::graph::Out,
    tessera::graph::Place, tessera::graph::Pool, tessera::graph::Task;

/// Adds a pool of `count` buffers for `elements` elements each to a graph.
template <class T>
Pool<Buffer<T>> pool_of(Graph& graph, const char* name, int count, std::int64_t elements) {
  return {
      graph, name, {.count = count, .bytes = elements * static_cast<std::int64_t>(sizeof(T))}, [elements] {
        return std::make_shared<Buffer<T>>(elements);
      }};
}

/// Adds the product of two blocks to a partial sum. The sum then waits for its next product, or is complete
/// and becomes a leaf of the tree.
template <class T>
struct Multiply {
  static constexpr bool launches_kernels = !multiplies_on_workers;

  void operator()(ProductItem<T> item, Out<SumItem<T>>& unfinished, Out<TreeItem<T>>& leaf) const {
    auto& [at, step, memory] = item.sum;
    // The first product of a leaf replaces what is in its memory, except the old C in the first leaf.
    const bool begins_leaf = step % plan->cut().run == 0;
    const double beta = step == 0 ? factors.beta : begins_leaf ? 0 : 1;
    multiply(static_cast<T>(factors.alpha), item.a->block(plan->box_of({Operand::a, at.panel, at.row, step})),
             item.b->block(plan->box_of({Operand::b, at.panel, at.column, step})), static_cast<T>(beta),
             memory->block(plan->box_of(at.row, at.column)));
    ++step;
    if (step == plan->steps() || step % plan->cut().run == 0)
      leaf({at.row, at.column, plan->tree().settled({0, at.leaf}), std::move(memory)});
    else
      unfinished(std::move(item.sum));
  }

  const Plan* plan;
  Factors factors;
};

/// Adds the right one of two sums to the left one.
template <class T>
struct Accumulate {
  TreeItem<T> operator()(PairItem<T> pair) const {
    const std::int64_t elements = plan->box_of(pair.left.row, pair.left.column).size();
    T* const sum = pair.left.memory->data();
    const T* const summand = pair.right.memory->data();
    for (std::int64_t i = 0; i < elements; ++i) sum[i] += summand[i];
    pair.left.place = plan->tree().settled(SumTree::parent(pair.left.place));
    return std::move(pair.left);
  }

  const Plan* plan;
};

}  // namespace

Product::Product(Plan plan, bool in_double, const Factors& factors, Gemm gemm)
    : plan_(std::move(plan)), in_double_(in_double), factors_(factors), gemm_(gemm) {}

std::int64_t Product::bytes_read() const {
  std::int64_t elements = plan_.elements_read();
  for (const std::int64_t panel : left_out_) {
    const tessera::Box box = plan_.box_of(plan_.panel(panel));
    // A panel reads its rows of A and its columns of B.
    elements -= (box[0].size() + box[1].size()) * plan_.shape().depth;
  }
  return elements * element_bytes() + (factors_.beta != 0 ? bytes_written() : 0);
}

std::int64_t Product::blocks_left_out() const {
  std::int64_t blocks = 0;
  for (const std::int64_t number : left_out_) {
    const Panel panel = plan_.panel(number);
    blocks += panel.rows.size() * panel.columns.size();
  }
  return blocks;
}

std::int64_t Product::bytes_written() const {
  std::int64_t elements = plan_.elements_written();
  for (const std::int64_t panel : left_out_) elements -= plan_.box_of(plan_.panel(panel)).size();
  return elements * element_bytes();
}

/// Returns the item at the cursor, and moves the cursor on, past panels that are left out. Returns nothing
/// after the last item. `get` returns an item of a panel by its number.
template <class Item>
std::optional<Item> Product::next(Cursor& cursor,
                                  std::optional<Item> (Plan::*get)(std::int64_t, std::int64_t) const) {
  for (; cursor.panel < plan_.panels(); cursor = {cursor.panel + 1, 0}) {
    if (left_out_.contains(cursor.panel)) continue;
    if (const auto found = (plan_.*get)(cursor.panel, cursor.item++)) return found;
  }
  return std::nullopt;
}

void Product::add_tasks(Graph& graph) { in_double_ ? add<double>(graph) : add<float>(graph); }

/// Adds the tasks that read A and B. Returns the blocks that have been read. The source takes the memory from
/// the pool, so blocks get it in the order in which they are needed.
template <class T>
auto Product::add_loads(Graph& graph) {
  const Pool<Buffer<T>> blocks =
      pool_of<T>(graph, "blocks", plan_.operand_buffers(), plan_.operand_elements());
  const auto order = graph.source(
      "order", {.rank = Task::every_rank},
      [this](std::int64_t, Memory<T> memory) -> std::optional<OperandItem<T>> {
        const auto block = next(next_load_, &Plan::load);
        if (!block) return std::nullopt;
        return OperandItem<T>{*block, std::move(memory)};
      },
      blocks);
  return graph.task(
      "load", {.on = Place::io()},
      [this](OperandItem<T> item) {
        (item.at.operand == Operand::a ? files_.a : files_.b)
            ->read(item.memory->file_block(plan_.box_of(item.at)));
        return item;
      },
      order);
}

/// Adds the tasks that begin the partial sum of each leaf of each block of C. Returns these sums.
template <class T>
auto Product::add_begins(Graph& graph) {
  const Pool<Buffer<T>> partials = pool_of<T>(graph, "partials", plan_.sum_buffers(), plan_.sum_elements());
  const auto begun = graph.source(
      "begin", {.rank = Task::every_rank},
      [this](std::int64_t, Memory<T> memory) -> std::optional<SumItem<T>> {
        const auto leaf = next(next_begin_, &Plan::begin);
        if (!leaf) return std::nullopt;
        return SumItem<T>{*leaf, leaf->leaf * plan_.cut().run, std::move(memory)};
      },
      partials);
  if (factors_.beta == 0) return begun;
  return graph.task(
      "load c", {.on = Place::io()},
      [this](SumItem<T> item) {
        if (item.step == 0)
          files_.c->read(item.memory->file_block(plan_.box_of(item.at.row, item.at.column)));
        return item;
      },
      begun);
}

/// Adds all tasks for elements of the type T. The README has a picture of the graph.
template <class T>
void Product::add(Graph& graph) {
  const auto loaded = add_loads<T>(graph);
  const auto begun = add_begins<T>(graph);
  const auto next_products = graph.feedback<SumItem<T>>("next products", {.most = plan_.cut().run});
  const auto products = graph.keeper<ProductItem<T>>("pair", {.order = Order::arrival}, Pair<T>(plan_),
                                                     loaded, begun, next_products);
  const auto [unfinished, leaves] =
      graph.task<SumItem<T>, TreeItem<T>>("multiply",
                                          {.on = multiplies_on_workers ? Place::threads() : Place::kernels(),
                                           .workers = gemm_ == Gemm::together ? 1 : 0},
                                          Multiply<T>{&plan_, factors_}, products);
  graph.close(next_products, unfinished);
  const auto sums = graph.feedback<TreeItem<T>>("sums", {.most = plan_.tree().most_alive()});
  const auto [partners, done] = graph.keeper<PairItem<T>, TreeItem<T>>("match", {.order = Order::arrival},
                                                                       Match<T>(plan_), leaves, sums);
  graph.close(sums, graph.task("accumulate", {}, Accumulate<T>{&plan_}, partners));
  graph.sink(
      "write", {.on = Place::io()},
      [this](const TreeItem<T>& item) {
        const auto block = item.memory->file_block(plan_.box_of(item.row, item.column));
        for (tessera::io::BlockWriter* const output : files_.outputs) output->write(block);
        files_.wrote(item.row, item.column);
      },
      done);
  // The buffers limit what is under way: a smaller window would stop reading while buffers are free.
  graph.configure({.window = plan_.operand_buffers() + plan_.sum_buffers()});
}

}  // namespace matmul
