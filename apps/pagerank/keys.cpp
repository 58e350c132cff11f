// SPDX-License-Identifier: BSD-3-Clause
#include "links.hpp"
#include "program.hpp"

namespace pagerank {

using tessera::deck::KeyDeclaration, tessera::deck::ValueType;

std::vector<KeyDeclaration> keys() {
  return {{.name = "input.file",
           .type = ValueType::path,
           .group = "Files",
           .help = "The links: a Matrix Market file, or a list of links as HDF5, (links, 2) from 0 on",
           .required = true},
          {.name = "input.dataset",
           .type = ValueType::text,
           .group = "Files",
           .help = "The data set of an HDF5 file; without it, the only one"},
          {.name = "input.vertices",
           .type = ValueType::integer,
           .group = "Files",
           .help = "The number of vertices of a list of links; without it, as many as it names",
           .minimum = 1,
           .maximum = static_cast<double>(most_vertices)},
          {.name = "input.weights",
           .type = ValueType::choice,
           .group = "Files",
           .help = "Whether the numbers of a matrix weigh its links (use), or all links are alike (ignore)",
           .default_text = "use",
           .choices = {"use", "ignore"}},
          {.name = "input.repeated",
           .type = ValueType::choice,
           .group = "Files",
           .help = "Whether links that are given several times add up (add), or count once, as links without "
                   "weights (once)",
           .default_text = "add",
           .choices = {"add", "once"}},
          {.name = "output.file",
           .type = ValueType::path,
           .group = "Files",
           .help = "The ranks as HDF5, with the data set ranks",
           .required = true},
          {.name = "output.top",
           .type = ValueType::integer,
           .group = "Files",
           .help = "How many of the highest ranks are printed",
           .default_text = "0",
           .minimum = 0,
           .maximum = 1e6},
          {.name = "damping",
           .type = ValueType::real,
           .group = "Iteration",
           .help = "The part of a rank that follows the links",
           .default_text = "0.85",
           .minimum = 0,
           .maximum = 1},
          {.name = "tolerance",
           .type = ValueType::real,
           .group = "Iteration",
           .help = "The turns end when the sum of the absolute changes of a turn is not more",
           .default_text = "1e-10",
           .minimum = 0},
          {.name = "turns",
           .type = ValueType::integer,
           .group = "Iteration",
           .help = "The greatest number of turns: status 3 if more are needed",
           .default_text = "1000",
           .minimum = 1,
           .maximum = 1e9}};
}

}  // namespace pagerank
