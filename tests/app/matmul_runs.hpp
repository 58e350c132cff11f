// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/matmul/matrices.hpp"
#include "io/plain_hdf5.hpp"
#include "program_runs.hpp"

// Runs of tessera-matmul, and the matrices that it multiplies.
namespace tessera::app_test {

using Words = std::vector<std::string>;

inline ParallelEnding matmul(const Folder& folder, int ranks, const Words& words,
                             const Environment& environment = {}) {
  Words all{TESSERA_MATMUL_DECKS "/default.yaml"};
  all.insert(all.end(), words.begin(), words.end());
  return run_on_ranks(TESSERA_MATMUL, ranks, folder, all, environment);
}

inline void expect_done(const ParallelEnding& ending) { ASSERT_EQ(ending.status, 0) << ending.text(); }

/// A matrix that can be written to files.
template <class T>
struct Matrix : matmul::test::Matrix<T> {
  Matrix(const matmul::test::Matrix<T>& matrix) : matmul::test::Matrix<T>(matrix) {}
  Matrix(std::int64_t given_rows, std::int64_t given_columns, std::vector<T> given_values)
      : matmul::test::Matrix<T>(given_rows, given_columns) {
    this->values = std::move(given_values);
  }

  std::string bytes() const {
    return {reinterpret_cast<const char*>(this->values.data()), this->values.size() * sizeof(T)};
  }
  void write_hdf5(const std::string& path, const std::string& name = "matrix",
                  const io_test::PlainStorage& storage = {.type = native_type()}) const {
    io_test::write_plain_hdf5(path, name,
                              {static_cast<hsize_t>(this->rows), static_cast<hsize_t>(this->columns)},
                              this->values, native_type(), storage);
  }
  static hid_t native_type() { return std::is_same_v<T, float> ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE; }
};

template <class T>
Matrix<T> random_matrix(std::int64_t rows, std::int64_t columns, unsigned seed, bool is_integer) {
  return is_integer ? matmul::test::integers<T>(rows, columns, seed)
                    : matmul::test::reals<T>(rows, columns, seed);
}

template <class T>
Matrix<T> plain_product(const Matrix<T>& a, const Matrix<T>& b) {
  return matmul::test::plain_product<T>(a, b);
}

template <class T>
std::vector<long double> times(const Matrix<T>& matrix, const std::vector<long double>& vector) {
  std::vector<long double> result;
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    long double sum = 0;
    for (std::int64_t j = 0; j < matrix.columns; ++j)
      sum += static_cast<long double>(matrix.at(i, j)) * vector[static_cast<std::size_t>(j)];
    result.push_back(sum);
  }
  return result;
}

/// Expects C v = A (B v) for vectors v of random signs (R. Freivalds, 1977): a wrong element of C passes one
/// of them with a probability of at most 1/2.
template <class T>
void expect_probed(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& c, T epsilon) {
  std::mt19937 random(77);
  for (int probe = 0; probe < 10; ++probe) {
    std::vector<long double> v;
    for (std::int64_t j = 0; j < b.columns; ++j) v.push_back(random() % 2 == 0 ? 1 : -1);
    const auto expected = times(a, times(b, v)), found = times(c, v);
    const long double bound = static_cast<long double>(epsilon) * static_cast<long double>(a.columns) *
                              static_cast<long double>(b.columns);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_LE(std::abs(found[i] - expected[i]), bound) << "row " << i;
  }
}

template <class T>
Matrix<T> read_matrix(const std::string& path) {
  const auto read = io_test::read_plain_hdf5<T>(path, "c", Matrix<T>::native_type());
  EXPECT_TRUE(read.same_type && read.contiguous && read.extents.size() == 2);
  return {static_cast<std::int64_t>(read.extents.at(0)), static_cast<std::int64_t>(read.extents.at(1)),
          read.values};
}

}  // namespace tessera::app_test
