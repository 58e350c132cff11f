// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/matmul/product.hpp"
#include "matrices.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/block_io.hpp"

// Matrices in memory, which stand for files.
namespace matmul::test {

/// Returns the elements of a matrix for files.
template <class T>
tessera::HostBlock block_of(Matrix<T>& matrix) {
  return tessera::packed_block(reinterpret_cast<std::byte*>(matrix.values.data()),
                               tessera::element_type_of<T>(), {{0, matrix.columns}, {0, matrix.rows}});
}

template <class T>
class MemorySource final : public tessera::BlockSource {
 public:
  explicit MemorySource(const Matrix<T>& matrix) : matrix_(matrix) {}
  void read(const tessera::HostBlock& block) override {
    ++reads;
    elements += block.box.size();
    tessera::copy_part(block_of(matrix_), block, block.box);
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
    tessera::copy_part(block, block_of(matrix_), block.box);
    points += block.box.size();
  }
  void complete() override {}
  std::int64_t points = 0;

 private:
  Matrix<T>& matrix_;
};

}  // namespace matmul::test
