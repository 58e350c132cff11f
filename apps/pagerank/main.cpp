// SPDX-License-Identifier: BSD-3-Clause
#include "power_iteration.hpp"
#include "program.hpp"

namespace {

using namespace pagerank;
using tessera::deck::KeyDeclaration, tessera::deck::ValueType;

/// The keys of tessera-pagerank.
std::vector<KeyDeclaration> keys() {
  KeyDeclaration product{.name = "product",
                         .type = ValueType::choice,
                         .help =
                             "How the links of a vertex are summed: in the pass that computes its rank "
                             "(fused), or before that pass by KokkosSparse::spmv (kokkos-kernels)",
                         .default_text = "fused",
                         .choices = {product_names[0], product_names[1]}};
  if (!has_kernels) {
    product.choices.pop_back();
    product.refusals = {{product_names[1], "this program is built without Kokkos Kernels: choose fused"}};
  }
  std::vector<KeyDeclaration> keys{
      product,
      {.name = "input.file",
       .type = ValueType::path,
       .help = "The links: a Matrix Market file, or a list of links in HDF5 of the shape (links, 2), with "
               "vertices counted from 0",
       .required = true},
      {.name = "input.dataset",
       .type = ValueType::text,
       .help = "The data set of an HDF5 file; without it, the only one"},
      {.name = "input.vertices",
       .type = ValueType::integer,
       .help = "The number of vertices of a list of links; without it, one more than the greatest vertex of "
               "the list",
       .minimum = 1,
       .maximum = static_cast<double>(most_vertices)},
      {.name = "input.weights",
       .type = ValueType::choice,
       .help = "Whether the numbers of a matrix weigh its links (use), or all links are alike (ignore)",
       .default_text = "use",
       .choices = {"use", "ignore"}},
      {.name = "input.repeated",
       .type = ValueType::choice,
       .help = "Whether links that are given several times add up (add), or count once, as links without "
               "weights (once)",
       .default_text = "add",
       .choices = {"add", "once"}},
      {.name = "output.file",
       .type = ValueType::path,
       .help = "The ranks as HDF5, with the data set ranks",
       .required = true},
      {.name = "output.top",
       .type = ValueType::integer,
       .help = "How many of the highest ranks are printed",
       .default_text = "0",
       .minimum = 0,
       .maximum = 1e4},
      {.name = "damping",
       .type = ValueType::real,
       .help = "The share of the rank of a vertex that follows its links",
       .default_text = "0.85",
       .minimum = 0,
       .maximum = 1},
      {.name = "tolerance",
       .type = ValueType::real,
       .help = "The turns end when the absolute changes of all ranks in a turn add up to at most this number",
       .default_text = "1e-10",
       .minimum = 0},
      {.name = "turns",
       .type = ValueType::integer,
       .help = "The greatest number of turns; the exit status is 3 if more are needed",
       .default_text = "1000",
       .minimum = 1,
       .maximum = 1e9}};
  for (KeyDeclaration& key : keys)
    key.group = key.name.starts_with("input.") || key.name.starts_with("output.") ? "Files" : "Iteration";
  return keys;
}

}  // namespace

int main(int argc, char** argv) {
  return tessera::app::run_iteration_application(
      argc, argv,
      {.program = "tessera-pagerank",
       .summary = "Ranks the vertices of a graph by the links that lead to them.",
       .keys = keys(),
       .loop = "rank",
       .residual = "change",
       .turn_limits = {"tolerance"},
       .make = make_program});
}
