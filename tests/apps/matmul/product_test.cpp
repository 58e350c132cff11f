// SPDX-License-Identifier: BSD-3-Clause
// The graph of a product: exact for integers, within the bound of errors for reals, and the same bits in
// whichever order bodies run.
#include "apps/matmul/product.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "apps/matmul/block_product.hpp"
#include "matrices_in_memory.hpp"
#include "tessera/domain/error.hpp"

/// The product of BLAS, as Fortran has it.
extern "C" void dgemm_(const char* a_is, const char* b_is, const int* rows, const int* columns,
                       const int* depth, const double* alpha, const double* a, const int* a_stride,
                       const double* b, const int* b_stride, const double* beta, double* c,
                       const int* c_stride);

namespace matmul {
namespace {

using namespace test;
using tessera::Box;

/// How a product is run. Nothing of it may change a bit.
struct Way {
  /// 0 means the least memory.
  std::int64_t memory = 0;
  int workers = 1;
  /// The rows and columns of a grid of ranks, which run one after the other.
  int grid_rows = 1, grid_columns = 1;
  std::optional<std::uint64_t> seed = {};
  Gemm gemm = Gemm::side_by_side;
  std::int64_t window = 0;
};

/// Returns alpha A B + beta C by the graph.
template <class T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& c, const Cut& cut,
                  const Factors& factors, const Way& way) {
  set_blas_threads(way.gemm == Gemm::together ? way.workers : 1);
  const Shape shape{a.rows, b.columns, a.columns};
  MemorySource<T> of_a(a), of_b(b), of_c(c);
  Matrix<T> result(a.rows, b.columns, std::numeric_limits<T>::quiet_NaN());
  MemoryWriter<T> writer(result);
  const std::int64_t memory =
      way.memory > 0 ? way.memory : Plan::least_memory(shape, cut, static_cast<std::int64_t>(sizeof(T)));
  const std::int64_t rows = pieces(a.rows, cut.block), columns = pieces(b.columns, cut.block);
  for (int y = 0; y < way.grid_rows; ++y)
    for (int x = 0; x < way.grid_columns; ++x) {
      const Box blocks{{columns * x / way.grid_columns, columns * (x + 1) / way.grid_columns},
                       {rows * y / way.grid_rows, rows * (y + 1) / way.grid_rows}};
      const auto plan =
          Plan::make(shape, cut, blocks, {static_cast<std::int64_t>(sizeof(T)), memory, way.workers});
      EXPECT_TRUE(plan);
      Product graph_product(*plan, sizeof(T) == sizeof(double), factors, way.gemm);
      graph_product.set_files({&of_a, &of_b, &of_c, {&writer}});
      tessera::graph::Graph graph("product");
      graph_product.add_tasks(graph);
      if (way.window > 0) graph.configure({.window = way.window});
      if (way.seed)
        graph.rehearse(*way.seed, {.memory = memory});
      else
        graph.run({.workers = way.workers, .memory = memory}).wait();
    }
  EXPECT_EQ(writer.points, shape.rows * shape.columns);
  return result;
}

/// Expects that a product differs from a straightforward one, in the numbers of Wide, by no more than what
/// rounding gives: (k + 2) u times the sum of the magnitudes.
template <class T, class Wide>
void expect_close(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& c, const Factors& factors,
                  const Matrix<T>& found) {
  const Wide bound = static_cast<Wide>(a.columns + 2) * std::numeric_limits<T>::epsilon();
  int wrong = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < b.columns; ++j) {
      Wide sum = static_cast<Wide>(factors.beta) * c.at(i, j), magnitude = std::abs(sum);
      for (std::int64_t k = 0; k < a.columns; ++k) {
        const Wide one = static_cast<Wide>(factors.alpha) * a.at(i, k) * b.at(k, j);
        sum += one;
        magnitude += std::abs(one);
      }
      wrong += !(std::abs(found.at(i, j) - sum) <= bound * magnitude);
    }
  EXPECT_EQ(wrong, 0);
}

template <class T>
void expect_exact(const Shape& shape, const Cut& cut, unsigned seed, const Way& way) {
  const auto a = integers<T>(shape.rows, shape.depth, seed),
             b = integers<T>(shape.depth, shape.columns, seed + 1),
             c = integers<T>(shape.rows, shape.columns, seed + 2);
  for (const Factors factors : {Factors{1, 0}, {-2, 3}, {0, 1}}) {
    Matrix<T> expected = plain_product(a, b);
    for (std::int64_t i = 0; i < shape.rows; ++i)
      for (std::int64_t j = 0; j < shape.columns; ++j)
        expected.at(i, j) =
            static_cast<T>(factors.alpha) * expected.at(i, j) + static_cast<T>(factors.beta) * c.at(i, j);
    const Matrix<T> found = product(a, b, c, cut, factors, way);
    EXPECT_TRUE(found.values == expected.values)
        << shape.rows << " x " << shape.columns << ", k = " << shape.depth << ", block " << cut.block
        << ", depth " << cut.depth << ", run " << cut.run << ", alpha " << factors.alpha;
  }
}

TEST(MatmulProduct, IntegersAreExactWhateverTheShape) {
  const Shape shapes[] = {{1, 1, 1},    {1, 9, 5},    {9, 1, 5},    {1, 1, 40},  {7, 11, 1},
                          {16, 16, 16}, {17, 15, 33}, {40, 3, 100}, {3, 40, 31}, {30, 30, 7}};
  const Cut cuts[] = {{8, 8, 1}, {8, 8, 3}, {5, 3, 2}, {100, 100, 1}, {1, 1, 1}, {3, 100, 1}, {100, 4, 2}};
  unsigned seed = 1;
  for (const Shape& shape : shapes)
    for (const Cut& cut : cuts) {
      const Way way{.memory = seed % 3 == 0 ? 0 : 150000,
                    .workers = 1 + static_cast<int>(seed % 3),
                    .grid_rows = 1 + static_cast<int>(seed % 2),
                    .grid_columns = 1 + static_cast<int>(seed / 2 % 3)};
      seed % 2 == 0 ? expect_exact<float>(shape, cut, seed, way)
                    : expect_exact<double>(shape, cut, seed, way);
      ++seed;
    }
}

TEST(MatmulProduct, RealsAreWithinTheBoundOfErrors) {
  for (const Factors factors : {Factors{1, 0}, {0.3, -1.7}}) {
    const Way way{.memory = 100000, .workers = 2};
    const Cut cut{16, 20, 4};
    const auto a = reals<double>(57, 301, 1), b = reals<double>(301, 43, 2), c = reals<double>(57, 43, 3);
    expect_close<double, long double>(a, b, c, factors, product(a, b, c, cut, factors, way));
    const auto d = reals<float>(57, 301, 4), e = reals<float>(301, 43, 5), f = reals<float>(57, 43, 6);
    expect_close<float, double>(d, e, f,
                                {static_cast<float>(factors.alpha), static_cast<float>(factors.beta)},
                                product(d, e, f, cut, factors, way));
  }
}

template <class T>
void expect_same_bits() {
  const auto a = reals<T>(45, 130, 7), b = reals<T>(130, 38, 8), c = reals<T>(45, 38, 9);
  for (const Cut cut : {Cut{16, 9, 2}, {16, 9, 1}, {10, 50, 1}}) {
    const Factors factors{0.7, cut.run == 1 ? 0 : -0.3};
    const Matrix<T> expected = product(a, b, c, cut, factors, {});
    std::vector<Way> ways;
    for (std::uint64_t seed = 0; seed < 40; ++seed)
      ways.push_back({.memory = seed % 2 == 0 ? 0 : 40000,
                      .grid_rows = 1 + static_cast<int>(seed % 3),
                      .grid_columns = 1 + static_cast<int>(seed % 2),
                      .seed = seed,
                      .window = static_cast<std::int64_t>(seed % 5)});
    for (const int workers : {1, 2, 3})
      for (const std::int64_t memory : {0, 20000, 1000000})
        for (const Gemm gemm : {Gemm::side_by_side, Gemm::together})
          ways.push_back({.memory = memory,
                          .workers = workers,
                          .grid_rows = workers,
                          .grid_columns = 1 + workers % 2,
                          .gemm = gemm,
                          .window = workers});
    for (std::size_t way = 0; way < ways.size(); ++way) {
      if (ways[way].memory > 0)
        ways[way].memory = std::max(
            ways[way].memory, Plan::least_memory({45, 38, 130}, cut, static_cast<std::int64_t>(sizeof(T))));
      EXPECT_TRUE(product(a, b, c, cut, factors, ways[way]) == expected) << way;
    }
  }
}

// BLAS in one shot differs by no more than both sums may be wrong.
TEST(MatmulProduct, IsWithinRoundingOfOneCallOfBlas) {
  const int rows = 211, columns = 187, depth = 700, one = 1;
  const auto a = reals<double>(rows, depth, 21), b = reals<double>(depth, columns, 22);
  const Matrix<double> none(rows, columns);
  const auto found = product(a, b, none, {64, 96, 2}, {1, 0}, {.memory = 2000000, .workers = 2});
  Matrix<double> expected(rows, columns);
  const double factor = one, zero = 0;
  set_blas_threads(1);
  // Its matrices are in Fortran order: it computes the transpose of C from those of B and A.
  dgemm_("N", "N", &columns, &rows, &depth, &factor, b.values.data(), &columns, a.values.data(), &depth,
         &zero, expected.values.data(), &columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      double magnitude = 0;
      for (std::int64_t k = 0; k < depth; ++k) magnitude += std::abs(a.at(i, k) * b.at(k, j));
      ASSERT_NEAR(found.at(i, j), expected.at(i, j),
                  (depth + 2) * std::numeric_limits<double>::epsilon() * magnitude);
    }
}

TEST(MatmulProduct, SameBitsInAnyOrderOfBodiesDouble) { expect_same_bits<double>(); }
TEST(MatmulProduct, SameBitsInAnyOrderOfBodiesFloat) { expect_same_bits<float>(); }

TEST(MatmulProduct, NotANumberStaysWhereItBelongs) {
  auto a = integers<double>(20, 30, 1), b = integers<double>(30, 20, 2);
  const Matrix<double> c(20, 20, std::numeric_limits<double>::quiet_NaN());
  a.at(3, 17) = std::numeric_limits<double>::quiet_NaN();
  const auto found = product(a, b, c, {8, 8, 2}, {1, 0}, {.workers = 2});
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 20; ++j) EXPECT_EQ(std::isnan(found.at(i, j)), i == 3) << i << " " << j;
}

TEST(MatmulProduct, ReadsWhatThePlanSays) {
  const auto a = integers<double>(64, 64, 1), b = integers<double>(64, 64, 2);
  const Cut cut{8, 16, 4};
  for (const std::int64_t memory : {12000, 20000, 100000, 1000000}) {
    const auto plan = Plan::make({64, 64, 64}, cut, {{0, 8}, {0, 8}}, {8, memory, 1});
    ASSERT_TRUE(plan);
    MemorySource<double> of_a(a), of_b(b);
    Matrix<double> result(64, 64);
    MemoryWriter<double> writer(result);
    Product graph_product(*plan, true, {}, Gemm::side_by_side);
    graph_product.set_files({&of_a, &of_b, nullptr, {&writer}});
    tessera::graph::Graph graph("product");
    graph_product.add_tasks(graph);
    tessera::graph::Run run = graph.run({.workers = 2});
    run.wait();
    EXPECT_EQ(of_a.elements + of_b.elements, plan->elements_read());
    EXPECT_EQ((of_a.elements + of_b.elements) * 8, graph_product.bytes_read());
    // There are more steps than are in memory at once: none is released before all sums of a panel are there.
    const std::int64_t bands = 2 * std::min(plan->panel_rows(), plan->panel_columns()),
                       sums = plan->panel_rows() * plan->panel_columns();
    ASSERT_EQ(run.report().pools.size(), 2U);
    for (const auto& pool : run.report().pools) {
      EXPECT_GE(pool.high_water, pool.name == "blocks" ? bands : sums) << pool.name;
      EXPECT_EQ(pool.count, pool.name == "blocks" ? plan->operand_buffers() : plan->sum_buffers());
    }
  }
}

TEST(MatmulProduct, APoolThatIsTooSmallIsTold) {
  const auto a = integers<double>(64, 64, 1), b = integers<double>(64, 64, 2);
  const auto plan = Plan::make({64, 64, 64}, {8, 16, 1}, {{0, 8}, {0, 8}}, {8, 1000000, 1});
  MemorySource<double> of_a(a), of_b(b);
  Matrix<double> result(64, 64);
  MemoryWriter<double> writer(result);
  for (const char* pool : {"blocks", "partials"}) {
    Product graph_product(*plan, true, {}, Gemm::side_by_side);
    graph_product.set_files({&of_a, &of_b, nullptr, {&writer}});
    tessera::graph::Graph graph("product");
    graph_product.add_tasks(graph);
    graph.configure({.pools = {{pool, 9}}});
    try {
      graph.run({.workers = 2}).wait();
      ADD_FAILURE() << pool;
    } catch (const tessera::InputError& error) {
      EXPECT_NE(std::string(error.what()).find(std::string("pool '") + pool + "' is too small"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace matmul
