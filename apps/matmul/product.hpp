// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "plan.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/block_io.hpp"

namespace matmul {

/// How BLAS is called.
enum class Gemm : std::uint8_t {
  side_by_side,  ///< One thread per call, and several calls at once on the workers.
  together       ///< All threads in one call.
};
/// The names in decks, in the order of the enumeration.
inline constexpr const char* gemm_names[] = {"side-by-side", "together"};

/// The factors of the product alpha A B + beta C.
struct Factors {
  double alpha = 1;
  double beta = 0;
};

/// The files of a product. They must outlive the run of the graph. Each rank reads by itself.
struct Files {
  tessera::BlockSource* a = nullptr;
  tessera::BlockSource* b = nullptr;
  /// The old C, which is read only if beta is not 0.
  tessera::BlockSource* c = nullptr;
  std::vector<tessera::io::BlockWriter*> outputs = {};
  /// A function that is called when the block of C in a row and a column of blocks has been written.
  std::function<void(std::int64_t row, std::int64_t column)> wrote = [](std::int64_t, std::int64_t) {};
};

/// The graph that multiplies the blocks of a plan, as that of HTGS does (T. Blattner et al., 2017, section
/// 4). Partial sums go round two cycles: to their next product, and up a fixed tree to their next addition.
class Product {
 public:
  /// Prepares a product of matrices of float64 if `in_double` is true, and of float32 otherwise.
  Product(Plan plan, bool in_double, const Factors& factors, Gemm gemm);

  /// Adds the tasks to the graph, which must not outlive this object: order, load, begin, load c, pair,
  /// multiply, match, accumulate, write.
  void add_tasks(tessera::graph::Graph& graph);
  /// Says which files the next run of the graph reads and writes.
  void set_files(Files files) { files_ = std::move(files); }
  /// Says which panels the run leaves out, since their blocks of C are in the outputs already. Call it at
  /// most once, before the run.
  void leave_out(std::set<std::int64_t> panels) { left_out_ = std::move(panels); }
  /// Returns the number of blocks of C in the panels that are left out.
  std::int64_t blocks_left_out() const;

  const Plan& plan() const { return plan_; }
  /// The bytes of a buffer for a block of A or B, and of one for a partial sum.
  std::int64_t operand_bytes() const { return plan_.operand_elements() * element_bytes(); }
  std::int64_t sum_bytes() const { return plan_.sum_elements() * element_bytes(); }
  /// Returns the bytes that the run reads, and those that it writes, without the panels that are left out.
  std::int64_t bytes_read() const;
  std::int64_t bytes_written() const;

 private:
  std::int64_t element_bytes() const { return in_double_ ? sizeof(double) : sizeof(float); }
  /// A panel, and the number of its next item.
  struct Cursor {
    std::int64_t panel = 0;
    std::int64_t item = 0;
  };
  template <class Item>
  std::optional<Item> next(Cursor& cursor,
                           std::optional<Item> (Plan::*get)(std::int64_t, std::int64_t) const);
  template <class T>
  void add(tessera::graph::Graph& graph);
  template <class T>
  auto add_loads(tessera::graph::Graph& graph);
  template <class T>
  auto add_begins(tessera::graph::Graph& graph);

  Plan plan_;
  bool in_double_;
  Factors factors_;
  Gemm gemm_;
  Files files_;
  std::set<std::int64_t> left_out_;
  /// The next items of the sources `order` and `begin`.
  Cursor next_load_, next_begin_;
};

}  // namespace matmul
