// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

// Matrices to multiply, for the tests of the graph and of the program.
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
  bool operator==(const Matrix& other) const {
    return values.size() == other.values.size() &&
           std::memcmp(values.data(), other.values.data(), values.size() * sizeof(T)) == 0;
  }

  std::int64_t rows, columns;
  std::vector<T> values;
};

/// A matrix of integers between -7 and 7.
template <class T>
Matrix<T> integers(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  Matrix<T> matrix(rows, columns);
  for (T& value : matrix.values) value = static_cast<T>(static_cast<int>(random() % 15) - 7);
  return matrix;
}

/// A matrix of reals between -1 and 1.
template <class T>
Matrix<T> reals(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  Matrix<T> matrix(rows, columns);
  for (T& value : matrix.values) value = static_cast<T>(static_cast<double>(random()) / 2147483648.0 - 1);
  return matrix;
}

/// The product of integers, which is exact.
template <class T>
Matrix<T> plain_product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.columns; ++k)
      for (std::int64_t j = 0; j < b.columns; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}

}  // namespace matmul::test
