// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/program_ends.hpp"

#include <fmt/format.h>

#include "tessera/domain/error.hpp"
#include "tessera/group/detail/array_routes.hpp"
#include "tessera/view/host_copy.hpp"

namespace tessera::group {

void read_inputs(const Program& program, const RankMemory& memory, const ProgramBindings& bindings) {
  for (int number = 0; number < static_cast<int>(program.arrays().size()); ++number) {
    const ProgramArray& array = program.array(number);
    if (!array.is_input()) continue;
    const auto source = bindings.sources.find(array.name);
    if (source == bindings.sources.end())
      throw InternalError(fmt::format("the input '{}' of the program has no source", array.name));
    source->second->read(memory.held(number));
  }
}

void write_block(const Program& program, const RankMemory& memory, int array, const Box& box,
                 BlockSink& sink) {
  const HostBlock held = memory.held(array);
  if (held.box == box) return sink.write(held);
  std::vector<std::byte> points(static_cast<std::size_t>(box.size() * program.array(array).element_bytes()));
  const HostBlock block = packed_block(points.data(), program.array(array).type, box);
  memory.fill(array, block);
  sink.write(block);
}

void write_outputs(const Program& program, const ProgramPlan& plan, const RankMemory& memory,
                   const ProgramBindings& bindings) {
  for (int number = 0; number < static_cast<int>(program.arrays().size()); ++number) {
    const ProgramArray& array = program.array(number);
    const auto sink = bindings.sinks.find(array.output);
    if (array.output.empty() || sink == bindings.sinks.end()) continue;
    const Box box = plan.is_stream ? intersection(memory.held(number).box, array.written)
                                   : rows_of_rank(array.written, plan.rank_count, plan.rank);
    write_block(program, memory, number, box, *sink->second);
  }
}

}  // namespace tessera::group
