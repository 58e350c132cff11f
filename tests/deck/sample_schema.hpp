// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/deck/schema.hpp"

namespace tessera::deck {

/// A schema with every type of key and three stages: `input` has only a grid, and `bv` is an output.
inline Schema sample_schema() {
  Schema schema;
  schema.names("stage", {"input", "bh", "bv"});
  schema
      .add({.name = "input.file",
            .type = ValueType::path,
            .group = "Files",
            .help = "The image.",
            .required = true})
      .add({.name = "input.dataset", .type = ValueType::text, .group = "Files", .help = "Its data set."})
      .add({.name = "output.file",
            .type = ValueType::path,
            .group = "Files",
            .help = "The result.",
            .default_text = "blurred.h5"})
      .add({.name = "threads",
            .type = ValueType::integer,
            .group = "Run",
            .help = "Threads of each rank.",
            .default_text = "1",
            .minimum = 1,
            .maximum = 4096})
      .add({.name = "size", .type = ValueType::integer, .group = "Run", .unit = "pixels", .minimum = 1})
      .add({.name = "sigma",
            .type = ValueType::real,
            .group = "Run",
            .default_text = "0.5",
            .minimum = 0,
            .maximum = 10})
      .add({.name = "overlap", .type = ValueType::boolean, .group = "Run", .default_text = "on"})
      .add({.name = "grid",
            .type = ValueType::grid,
            .group = "Schedule",
            .default_text = "[1, auto]",
            .max_entries = 2})
      .add({.name = "schedule.<stage>.grid", .type = ValueType::grid, .group = "Schedule", .max_entries = 2})
      .add({.name = "schedule.<stage>.compute",
            .type = ValueType::choice,
            .group = "Schedule",
            .help = "Where the stage is computed.",
            .default_text = "distributed",
            .choices = {"distributed", "rank", "replicated", "tile"},
            .only = {"bh"}})
      .add({.name = "schedule.<stage>.compute",
            .type = ValueType::choice,
            .group = "Schedule",
            .default_text = "distributed",
            .choices = {"distributed"},
            .only = {"bv"}})
      .add({.name = "schedule.<stage>.tile",
            .type = ValueType::tile,
            .group = "Schedule",
            .default_text = "auto",
            .max_entries = 2,
            .only = {"bh", "bv"}});
  return schema;
}

}  // namespace tessera::deck
