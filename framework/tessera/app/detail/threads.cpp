// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/view/host_threads.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::app {

Affinity own_affinity() {
  Affinity affinity;
  CPU_ZERO(&affinity.processors);
  sched_getaffinity(0, sizeof affinity.processors, &affinity.processors);
  return affinity;
}

int default_threads(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int ranks = 1;
  MPI_Comm_size(node, &ranks);
  const Affinity mine = own_affinity();
  std::vector<Affinity> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, node);
  MPI_Comm_free(&node);
  int sharers = 0;
  for (const Affinity& other : all) {
    cpu_set_t common;
    CPU_AND(&common, &mine.processors, &other.processors);
    if (CPU_COUNT(&common) > 0) ++sharers;
  }
  return std::clamp(CPU_COUNT(&mine.processors) / std::max(1, sharers), 1, most_host_threads);
}

int threads_from_environment() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr || *text == '\0') return 0;
  // A list such as "4,2" has a number for each level of nested parallel regions. The first number is used.
  const std::string_view word = std::string_view(text).substr(0, std::string_view(text).find(','));
  int threads = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), threads);
  if (error != std::errc() || end != word.data() + word.size() || threads < 1 || threads > most_host_threads)
    throw InputError(fmt::format(
        "the environment variable OMP_NUM_THREADS is '{}': give a number of threads, from 1 to {}", text,
        most_host_threads));
  return threads;
}

void limit_instructions_from_environment() {
  const char* text = std::getenv("TESSERA_INSTRUCTIONS");
  if (text == nullptr || *text == '\0') return;
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (text == to_string(set)) return limit_instruction_set(set);
  throw InputError(fmt::format(
      "the environment variable TESSERA_INSTRUCTIONS is '{}': give baseline, avx2 or avx512", text));
}

}  // namespace tessera::app
