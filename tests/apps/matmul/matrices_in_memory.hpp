// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "apps/matmul/product.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/block_writer.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/host_copy.hpp"

// Matrices in memory, which stand for files, and products of them without any blocks.
namespace matmul::test {

/// A matrix in C order.
template <class T>
struct Matrix {
  Matrix(std::int64_t given_rows, std::int64_t given_columns, T value = 0)
      : rows(given_rows), columns(given_columns), values(static_cast<std::size_t>(rows * columns), value) {}

  T& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  T at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  tessera::HostBlock block() {
    return tessera::packed_block(reinterpret_cast<std::byte*>(values.data()), tessera::element_type_of<T>(),
                                 {{0, columns}, {0, rows}});
  }
  bool operator==(const Matrix& other) const {
    return values.size() == other.values.size() &&
           std::memcmp(values.data(), other.values.data(), values.size() * sizeof(T)) == 0;
  }

  std::int64_t rows, columns;
  std::vector<T> values;
};

template <class T>
Matrix<T> integers(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  Matrix<T> matrix(rows, columns);
  for (T& value : matrix.values) value = static_cast<T>(static_cast<int>(random() % 15) - 7);
  return matrix;
}

template <class T>
Matrix<T> reals(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  Matrix<T> matrix(rows, columns);
  for (T& value : matrix.values) value = static_cast<T>(static_cast<double>(random()) / 2147483648.0 - 1);
  return matrix;
}

template <class T>
class MemorySource final : public tessera::BlockSource {
 public:
  explicit MemorySource(const Matrix<T>& matrix) : matrix_(matrix) {}
  void read(const tessera::HostBlock& block) override {
    ++reads;
    elements += block.box.size();
    tessera::copy_part(matrix_.block(), block, block.box);
  }
  std::int64_t reads = 0, elements = 0;

 private:
  Matrix<T> matrix_;
};

template <class T>
class MemoryWriter final : public tessera::io::BlockWriter {
 public:
  explicit MemoryWriter(Matrix<T>& matrix) : matrix_(matrix) {}
  void write(const tessera::HostBlock& block) override {
    tessera::copy_part(block, matrix_.block(), block.box);
    points += block.box.size();
  }
  void complete() override {}
  std::int64_t points = 0;

 private:
  Matrix<T>& matrix_;
};

}  // namespace matmul::test
