// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan_file/detail/plan_checker.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/pipeline/plan/step_names.hpp"
#include "tessera/view/host_threads.hpp"

namespace tessera::detail {
namespace {

/// Upper limits for the numbers in a plan. No real plan exceeds these limits. They are so low that
/// computations with numbers within the limits do not overflow.
constexpr std::int64_t most_points = std::int64_t{1} << 48;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
constexpr std::int64_t most_turns = std::int64_t{1} << 40;
constexpr int most_ranks = 1 << 24;
constexpr int most_plan_levels = 50;

constexpr std::int64_t lowest_coordinate = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t highest_coordinate = std::numeric_limits<std::int32_t>::max();

}  // namespace

void PlanChecker::fail(const std::string& problem) const {
  throw InputError(
      fmt::format("rank {}, {}: {}: save the plan again, or mend it", plan_.rank, where_, problem));
}

void PlanChecker::check() {
  where_ = "target";
  check_target();
  where_ = "stages";
  require(plan_.stages.size() == static_cast<std::size_t>(pipeline_.size()), "{} instead of {}",
          plan_.stages.size(), pipeline_.size());
  for (int id = 0; id < pipeline_.size(); ++id) check_stage(id);
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    where_ = fmt::format("buffer {}", i);
    check_buffer(plan_.buffers[i]);
  }
  check_root();
  where_ = "memory";
  check_memory();
  in_use_.assign(plan_.buffers.size(), false);
  check_node(plan_.root, 0);
  where_ = "steps";
  check_completeness();
}

void PlanChecker::check_completeness() const {
  std::vector<std::int64_t> read(plan_.stages.size(), 0), computed(read), written(read), reduced(read);
  walk(plan_.root, [&](const PlanNode& node) {
    if (const auto* input = std::get_if<plan::Read>(&node.step))
      read[static_cast<std::size_t>(input->array)] += input->box.size();
    if (const auto* output = std::get_if<plan::Write>(&node.step))
      written[static_cast<std::size_t>(output->array)] += output->box.size();
    if (const auto* reduction = std::get_if<plan::Reduce>(&node.step))
      ++reduced[static_cast<std::size_t>(reduction->stage)];
    if (const auto* step = std::get_if<plan::Compute>(&node.step))
      for (const Box& part : step->parts) {
        computed[static_cast<std::size_t>(step->stage)] += part.size();
        for (const plan::Contribution& contribution : step->contributions)
          computed[static_cast<std::size_t>(contribution.stage)] +=
              intersection(part, contribution.box).size();
      }
  });
  for (int id = 0; id < pipeline_.size(); ++id) {
    const ArrayDeclaration& declaration = pipeline_[id];
    const auto i = static_cast<std::size_t>(id);
    const auto expect = [&](const char* what, std::int64_t points, std::int64_t all) {
      require(points >= all, "of '{}' only {} of {} points are {}", declaration.name, points, all, what);
    };
    if (declaration.is_input()) expect("read", read[i], stage(id).owned.size());
    if (window_.is_written(pipeline_, id))
      expect("written", written[i], window_.written(pipeline_, id, stage(id).owned).size());
    if (window_.is_left_out(pipeline_, id)) continue;
    require(declaration.reduction == nullptr || reduced[i] > 0, "no step reduces '{}'", declaration.name);
    if (declaration.kernel != nullptr && !is_in_tiles(stage(id).placement))
      expect("computed", computed[i], stage(id).computed.size());
  }
}

void PlanChecker::check_target() {
  check_range(plan_.rank_count, 1, most_ranks, "rank_count");
  check_range(plan_.rank, 0, plan_.rank_count - 1, "rank");
  check_range(plan_.target.threads, 1, most_host_threads, "threads");
  check_range(plan_.target.memory_bytes, 0, std::numeric_limits<std::int64_t>::max(), "memory_bytes");
  check_range(plan_.target.team_scratch_bytes, 0, most_bytes, "team_scratch_bytes");
  check_range(plan_.target.cache_bytes, 0, std::numeric_limits<std::int64_t>::max(), "cache_bytes");
  for (int level : plan_.target.levels) check_range(level, 1, most_ranks, "a level");
}

void PlanChecker::check_grid(const ProcessorGrid& grid, int dimensions) const {
  check_range(grid.dimensions, 1, dimensions, "the number of dimensions of the grid");
  std::int64_t ranks = 1;
  std::int64_t by_digits[max_dimensions] = {1, 1, 1, 1};
  for (int d = 0; d < grid.dimensions; ++d) {
    check_range(grid.size[d], 1, most_ranks, "a size of the grid");
    ranks = std::min<std::int64_t>(ranks * grid.size[d], most_ranks + 1);
  }
  require(ranks <= plan_.rank_count, "the grid {} is of more than {} ranks", grid.text(), plan_.rank_count);
  for (const GridDigit& digit : grid.digits) {
    check_range(digit.dimension, 0, grid.dimensions - 1, "the dimension of a digit");
    check_range(digit.size, 1, most_ranks, "the size of a digit");
    by_digits[digit.dimension] =
        std::min<std::int64_t>(by_digits[digit.dimension] * digit.size, most_ranks + 1);
  }
  for (int d = 0; d < grid.dimensions && !grid.digits.empty(); ++d)
    require(by_digits[d] == grid.size[d], "the digits of the grid do not multiply to {}", grid.text());
}

void PlanChecker::check_stage(int id) {
  const ArrayDeclaration& declaration = pipeline_[id];
  const ArrayRegions& regions = stage(id);
  where_ = fmt::format("stage '{}'", declaration.name);
  const bool reduces = declaration.reduction != nullptr;
  const Box& contributed = domains_[static_cast<std::size_t>(id)].domain;
  const int points = contributed.dimensions;
  check_grid(regions.grid, points);
  check_box(regions.domain, declaration.dimensions, "domain");
  check_box(regions.nominal, declaration.dimensions, "nominal");
  check_box(regions.owned, declaration.dimensions, "owned");
  check_box(regions.required, declaration.dimensions, "required");
  check_box(regions.required_within_domain, declaration.dimensions, "required_within_domain");
  check_box(regions.computed, points, "computed");
  check_range(regions.computed_points, 0, most_points, "computed_points");
  check_range(regions.redundant_points, 0, most_points, "redundant_points");
  const Box& domain = reduces ? declaration.domain : contributed;
  require(regions.domain == domain, "its domain is {}, not {}", to_string(domain), to_string(regions.domain));
  check_inside(reduces ? contributed : computable(id, regions.computed), regions.computed, "computed");
  check_inside(regions.domain, regions.nominal, "nominal");
  if (!declaration.is_everywhere()) check_owned(id);
  require(!declaration.is_value || declaration.is_spare || regions.computed == declaration.domain,
          "not all ranks compute all of it");
  for (int buffer : {regions.written_buffer, regions.read_buffer}) {
    check_range(buffer, -1, static_cast<std::int64_t>(plan_.buffers.size()) - 1, "a buffer");
    require(buffer < 0 || plan_.buffers[static_cast<std::size_t>(buffer)].array == id,
            "buffer {} is of another array", buffer);
  }
}

/// Checks that this rank owns its block of the distribution. If this holds on all ranks, the ranks together
/// own every point exactly once.
void PlanChecker::check_owned(int id) const {
  const ArrayRegions& regions = stage(id);
  require(regions.domain.empty() || !regions.nominal.empty(), "nominal is empty");
  const BlockDistribution distribution(regions.domain, regions.nominal, regions.grid, regions.slicing);
  const Box owned = distribution.owned(plan_.rank);
  require(owned == regions.owned, "this rank of the grid owns {}, not {}", to_string(owned),
          to_string(regions.owned));
}

void PlanChecker::check_buffer(const Buffer& buffer) const {
  check_array(buffer.array);
  check_box(buffer.box, pipeline_[buffer.array].dimensions, "box");
  check_range(buffer.aligned_x, lowest_coordinate, highest_coordinate, "aligned_x");
  check_range(buffer.bytes, 0, most_bytes, "bytes");
  check_range(buffer.offset, 0, most_bytes, "offset");
  require(buffer.offset % buffer_alignment == 0, "the offset {} is no multiple of {}", buffer.offset,
          buffer_alignment);
  const std::int64_t bytes = layout_of(buffer).bytes;
  require(bytes == buffer.bytes, "{} takes {} bytes, not {}", to_string(buffer.box), bytes, buffer.bytes);
}

void PlanChecker::check_memory() const {
  std::int64_t end = 0, scratch = 0;
  for (const Buffer& buffer : plan_.buffers) end = std::max(end, buffer.offset + buffer.bytes);
  check_range(plan_.array_bytes, end, end + buffer_alignment - 1, "array_bytes");
  walk(plan_.root, [&](const PlanNode& node) {
    if (const auto* step = std::get_if<plan::Compute>(&node.step))
      scratch = std::max(scratch, plan_.target.device ? 0 : step->scratch_bytes);
  });
  check_range(scratch, 0, most_bytes / most_host_threads, "scratch_bytes of a step");
  const std::int64_t all_threads = scratch * plan_.target.threads;
  // On devices, Plan::scratch_bytes only records the size of the tables of tiles, which follows from the
  // tiles.
  check_range(plan_.scratch_bytes, all_threads, plan_.target.device ? most_bytes : all_threads,
              "scratch_bytes");
  check_range(plan_.message_bytes, 0, most_bytes, "message_bytes");
  check_range(plan_.partial_bytes, 0, most_bytes, "partial_bytes");
  check_range(plan_.library_bytes, 0, most_bytes, "library_bytes");
}

void PlanChecker::check_root() const {
  const auto* root = std::get_if<plan::Sequence>(&plan_.root.step);
  const std::vector<PlanNode>* phases = root == nullptr ? nullptr : &root->children;
  // The sequences 'read', 'compute' and 'write' are children of the root. If the only child of the root is an
  // Items or Bands node, the sequences are children of that node.
  if (phases != nullptr && phases->size() == 1) {
    const PlanNode& only = phases->front();
    if (std::holds_alternative<plan::Items>(only.step) || std::holds_alternative<plan::Bands>(only.step))
      phases = children_of(only);
  }
  for (const char* name : {"read", "compute", "write"}) {
    const auto is_phase = [&](const PlanNode& child) {
      const auto* sequence = std::get_if<plan::Sequence>(&child.step);
      return sequence != nullptr && sequence->name == name;
    };
    if (phases == nullptr || std::none_of(phases->begin(), phases->end(), is_phase))
      throw InputError(fmt::format("rank {}: the root has no sequence '{}': save the plan again, or mend it",
                                   plan_.rank, name));
  }
}

void PlanChecker::check_node(const PlanNode& node, int level) {
  where_ = fmt::format("step {} ({})", node.id, step_kind(node));
  require(node.id == next_id_, "its id should be {}", next_id_);
  require(level < most_plan_levels, "steps are nested too deeply");
  ++next_id_;
  std::visit([this](const auto& step) { check_step(step); }, node.step);
  const auto* children = children_of(node);
  if (children == nullptr) return;
  const std::string where = where_;
  const std::vector<bool> before = in_use_;
  for (const PlanNode& child : *children) check_node(child, level + 1);
  where_ = where;
  require(std::holds_alternative<plan::Sequence>(node.step) || in_use_ == before,
          "after one turn other buffers are in use than before");
  check_overlaps(*children);
}

/// Checks that every overlapped exchange is finished exactly once, in the sequence in which it was started.
void PlanChecker::check_overlaps(const std::vector<PlanNode>& children) {
  std::set<int> started;
  for (const PlanNode& child : children) {
    if (const auto* exchange = std::get_if<plan::Exchange>(&child.step);
        exchange != nullptr && exchange->overlapped)
      started.insert(child.id);
    if (const auto* finish = std::get_if<plan::FinishExchange>(&child.step))
      require(started.erase(finish->exchange) == 1, "step {} waits for {}, which is no exchange under way",
              child.id, finish->exchange);
  }
  require(started.empty(), "no step waits for exchange {}", started.empty() ? 0 : *started.begin());
}

void PlanChecker::check_step(const plan::Repeat& step) {
  check_range(step.maximum, step.loop < 0 ? 0 : 1, most_turns, "maximum");
  const auto last = static_cast<std::int64_t>(pipeline_.loops().size()) - 1;
  check_range(step.loop, -1, last, "loop");
  check_range(step.rounds_of, -1, last, "rounds_of");
  check_range(step.turns, 1, most_turns, "turns");
  require(step.residuals.empty() || step.loop >= 0, "a residual of no loop");
  require(step.residuals.empty() || step.residuals.size() == static_cast<std::size_t>(step.turns),
          "{} residuals for {} turns", step.residuals.size(), step.turns);
  const bool is_continued = std::ranges::any_of(pipeline_.loops(), [&](const LoopDeclaration& loop) {
    return step.loop >= 0 && loop.rounds_of == step.loop;
  });
  const LoopDeclaration no_loop;
  const LoopDeclaration& loop = step.loop < 0 ? no_loop : loop_of(step);
  require(step.loop < 0 || (loop.turns == step.turns && loop.rounds_of == step.rounds_of &&
                            is_continued == step.continues && step.maximum % step.turns == 0),
          "other rounds than those of the loop '{}'", loop.name);
  require(step.loop < 0 || loop.overlaps_test == step.overlaps_test,
          "the loop '{}' waits for its test, or overlaps it, as the step does not", loop.name);
  require(step.loop >= 0 || (step.rounds_of == -1 && !step.continues && !step.overlaps_test),
          "rounds of no loop");
  check_feeds(step, loop);
  std::vector<int> values = step.residuals;
  if (step.condition != -1) values.push_back(step.condition);
  for (int value : values) {
    check_array(value);
    const int buffer = stage(value).written_buffer;
    require(pipeline_[value].is_everywhere() && buffer >= 0 &&
                !plan_.buffers[static_cast<std::size_t>(buffer)].box.empty(),
            "'{}', by which a loop ends, is neither a value nor a global reduction", pipeline_[value].name);
  }
}

void PlanChecker::check_step(const plan::Bands& step) {
  require(!window_.is_whole() && step.band == window_.band(), "only the root has a band");
}

void PlanChecker::check_step(const plan::Allocate& step) {
  check_range(step.buffer, 0, static_cast<std::int64_t>(plan_.buffers.size()) - 1, "buffer");
  const auto place = static_cast<std::size_t>(step.buffer);
  require(!in_use_[place], "buffer {} is in use already", step.buffer);
  const Buffer& mine = plan_.buffers[place];
  for (std::size_t i = 0; i < in_use_.size(); ++i) {
    const Buffer& other = plan_.buffers[i];
    require(
        !in_use_[i] || mine.offset + mine.bytes <= other.offset || other.offset + other.bytes <= mine.offset,
        "buffer {} overlaps buffer {}, which is in use", step.buffer, i);
  }
  in_use_[place] = true;
}

void PlanChecker::check_step(const plan::Free& step) {
  check_range(step.buffer, 0, static_cast<std::int64_t>(plan_.buffers.size()) - 1, "buffer");
  require(in_use_[static_cast<std::size_t>(step.buffer)], "buffer {} is not in use", step.buffer);
  in_use_[static_cast<std::size_t>(step.buffer)] = false;
}

void PlanChecker::check_step(const plan::Read& step) {
  check_array(step.array);
  require(pipeline_[step.array].is_input(), "'{}' is no input", pipeline_[step.array].name);
  check_box(step.box, pipeline_[step.array].dimensions, "box");
  check_inside(buffer_in_use(step.array, &ArrayRegions::written_buffer).box, step.box, "box");
  check_inside(stage(step.array).domain, step.box, "box");
}

void PlanChecker::check_step(const plan::Write& step) {
  check_array(step.array);
  const ArrayDeclaration& declaration = pipeline_[step.array];
  require(declaration.is_output, "'{}' is no output", declaration.name);
  check_box(step.box, declaration.dimensions, "box");
  check_inside(buffer_in_use(step.array, &ArrayRegions::written_buffer).box, step.box, "box");
  const Box owned = window_.written(pipeline_, step.array, stage(step.array).owned);
  require(step.box == owned, "this rank writes {}, not {}", to_string(owned), to_string(step.box));
}

void PlanChecker::check_step(const plan::FillBoundary& step) {
  check_array(step.array);
  const ArrayDeclaration& declaration = pipeline_[step.array];
  require(declaration.ends_at_domain(), "'{}' has no border", declaration.name);
  check_box(step.box, declaration.dimensions, "box");
  const Box& buffer = buffer_in_use(step.array, &ArrayRegions::read_buffer).box;
  check_inside(buffer, step.box, "box");
  if (!step.box.empty())
    check_inside(buffer, with_boundary_sources(step.box, declaration.domain, declaration.boundary),
                 "what the border is copied from");
}

void PlanChecker::check_step(const plan::Reduce& step) {
  check_array(step.stage);
  require(pipeline_[step.stage].reduction != nullptr, "'{}' is no global reduction",
          pipeline_[step.stage].name);
  check_inside(buffer_in_use(step.stage, &ArrayRegions::written_buffer).box, pipeline_[step.stage].domain,
               "the result");
}

void PlanChecker::check_array(int array) const {
  check_range(array, 0, pipeline_.size() - 1, "the number of an array");
}

void PlanChecker::check_box(const Box& box, int dimensions, const char* what) const {
  require(box.dimensions == dimensions || box.dimensions == 0, "{} has {} dimensions instead of {}", what,
          box.dimensions, dimensions);
  double points = 1;
  for (int d = 0; d < box.dimensions; ++d) {
    check_range(box[d].begin, lowest_coordinate, highest_coordinate, what);
    check_range(box[d].end, lowest_coordinate, highest_coordinate, what);
    points *= static_cast<double>(box[d].size());
  }
  require(points <= static_cast<double>(most_points), "{} is larger than any array", what);
}

void PlanChecker::check_inside(const Box& outer, const Box& box, const char* what) const {
  require(outer.contains(box), "{} is {}, which does not lie in {}", what, to_string(box), to_string(outer));
}

void PlanChecker::check_range(std::int64_t number, std::int64_t least, std::int64_t most,
                              const char* what) const {
  require(number >= least && number <= most, "{} is {}, and may be {} to {}", what, number, least, most);
}

const Buffer& PlanChecker::buffer_in_use(int array, int ArrayRegions::*side) const {
  const int buffer = stage(array).*side;
  require(buffer >= 0 && in_use_[static_cast<std::size_t>(std::max(buffer, 0))],
          "no buffer in use holds '{}'", pipeline_[array].name);
  return plan_.buffers[static_cast<std::size_t>(buffer)];
}

BlockLayout PlanChecker::layout_of(const Buffer& buffer) const {
  return padded_layout(buffer.box, buffer.aligned_x, pipeline_[buffer.array].element_bytes());
}

}  // namespace tessera::detail
