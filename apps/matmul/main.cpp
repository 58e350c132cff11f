// SPDX-License-Identifier: BSD-3-Clause
#include "product.hpp"
#include "program.hpp"
#include "tessera/app/image_inputs.hpp"

namespace matmul {
namespace {

using tessera::deck::KeyDeclaration, tessera::deck::ValueType;

constexpr const char* group = "Product";

/// Adds the keys of a matrix. `name` is the first word of their names.
void add_matrix(std::vector<KeyDeclaration>& keys, const std::string& name, const std::string& help,
                bool required) {
  keys.push_back({.name = name + ".file",
                  .type = ValueType::path,
                  .group = "Files",
                  .help = help + ": HDF5, or raw numbers without a header",
                  .required = required});
  keys.push_back({.name = name + ".dataset",
                  .type = ValueType::text,
                  .group = "Files",
                  .help = "The data set of an HDF5 file; without it, the only one"});
  for (KeyDeclaration& key : tessera::app::raw_keys(name)) {
    if (key.name == name + ".raw.shape") {
      key.help = "The shape [rows, columns] of a file without a header";
      key.max_entries = 2;
    }
    if (key.name == name + ".raw.type") key.choices = {"float32", "float64"};
    key.group = "Files";
    keys.push_back(std::move(key));
  }
}

KeyDeclaration number(const char* name, const char* help) {
  return {.name = name,
          .type = ValueType::integer,
          .group = group,
          .help = help,
          .minimum = 1,
          .maximum = 1 << 24};
}

KeyDeclaration factor(const char* name, const char* help, const char* default_text) {
  return {.name = name, .type = ValueType::real, .group = group, .help = help, .default_text = default_text};
}

/// Returns the declarations of the keys of tessera-matmul.
std::vector<KeyDeclaration> keys() {
  std::vector<KeyDeclaration> keys;
  add_matrix(keys, "a", "The left matrix", true);
  add_matrix(keys, "b", "The right matrix", true);
  add_matrix(keys, "c", "The old C, if beta is not 0", false);
  keys.insert(
      keys.end(),
      {{.name = "output.file",
        .type = ValueType::path,
        .group = "Files",
        .help = "The new C as HDF5, with the data set c"},
       {.name = "output.raw",
        .type = ValueType::path,
        .group = "Files",
        .help = "The new C as raw numbers, without a header"},
       factor("alpha", "The factor of A B", "1"),
       factor("beta", "The factor of the old C", "0"),
       number("block",
              "The edge of the blocks of C; without it, the program chooses one by memory, threads, ranks "
              "and measured speeds, and the last bits of C depend on these"),
       number("depth",
              "The depth in k of the products of blocks; without it 1024, or all of k if that is less"),
       number("leaf",
              "Products are added in place up to this depth in k, and these sums are then added in a tree; "
              "without it 8192"),
       {.name = "gemm",
        .type = ValueType::choice,
        .group = group,
        .help = "How BLAS is called: several times at once with one thread each (side-by-side), or once with "
                "all threads (together)",
        .default_text = gemm_names[0],
        .choices = {gemm_names[0], gemm_names[1]}},
       {.name = "grid",
        .type = ValueType::grid,
        .group = "Machine",
        .help =
            "The numbers of ranks along the columns and along the rows of C; ranks without blocks are idle",
        .default_text = "[auto, auto]",
        .max_entries = 2}});
  return keys;
}

}  // namespace
}  // namespace matmul

int main(int argc, char** argv) {
  return tessera::app::run_graph_application(
      argc, argv,
      {.program = "tessera-matmul",
       .summary = "Multiplies matrices that are larger than memory: C = alpha A B + beta C.",
       .keys = matmul::keys(),
       .graphs = {{{"multiply", "accumulate"}, {"blocks", "partials"}}},
       .default_window = "as many as the pools have buffers",
       .default_memory = "half of the memory of the machine node, shared by the ranks on it",
       .make = matmul::make_program});
}
