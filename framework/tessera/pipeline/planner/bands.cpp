// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "tessera/domain/text.hpp"
#include "tessera/pipeline/planner/array_domains.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace tessera {
namespace {

/// The dimension that bands cut: the rows of images and volumes, which are contiguous in files.
constexpr int cut_dimension = 1;

bool wants_something(const Algorithm& pipeline, const Window& window) {
  if (window.writes_values()) return true;
  for (ArrayId id : pipeline.ids())
    if (!pipeline[id].is_value() && !window.wanted(pipeline, id).empty()) return true;
  return false;
}

/// Returns the largest number of bytes that any of a few sampled ranks needs for one of the bands whose
/// numbers are in `indices`, in any pass.
std::int64_t most_bytes_of(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                           int rank_count, const Banding& bands, const std::set<std::int64_t>& indices) {
  std::int64_t most = 0;
  for (int pass = 0; pass < (bands.count == 1 ? 1 : passes_of(pipeline)); ++pass)
    for (const std::int64_t index : indices) {
      const Window window = bands.count == 1 ? Window() : Window(pipeline, bands.band(index, pass));
      const ScheduledPipeline scheduled(pipeline, schedule, target, rank_count, window);
      for (const int busy = scheduled.busy_rank_count(); int rank : std::set{0, busy / 3, busy / 2, busy - 1})
        most = std::max(most, peak_bytes_with_next_band(make_plan(scheduled, rank)));
    }
  return most;
}

/// Returns the largest number of bytes that a sampled rank needs for one of the bands. The band shown_band,
/// which is similar to most bands, is examined first. If this band needs no more than `limit`, up to
/// about 40 bands are examined, among them the first and the last band.
std::int64_t most_bytes(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                        int rank_count, const Banding& bands, std::int64_t limit) {
  constexpr std::int64_t most_examined = 40;
  const std::int64_t count = bands.count;
  const std::int64_t shown =
      most_bytes_of(pipeline, schedule, target, rank_count, bands, {shown_band(pipeline, bands)});
  if (count == 1 || shown > limit) return shown;
  std::set<std::int64_t> indices{count - 1};
  const std::int64_t examined = std::min(count, most_examined);
  for (std::int64_t i = 0; i < examined; ++i) indices.insert(count * i / examined);
  return most_bytes_of(pipeline, schedule, target, rank_count, bands, indices);
}

/// Bands with the bytes that a rank needs for one of them, and the bytes that it may use.
struct SizedBands {
  Banding bands;
  std::int64_t bytes = 0;
  std::int64_t limit = 0;

  bool fit() const { return bytes <= limit; }
};

/// The search for bands that fit into the memory of a target.
class BandSearch {
 public:
  BandSearch(const Algorithm& pipeline, const Schedule& schedule, const Target& target, int rank_count)
      : pipeline_(pipeline),
        schedule_(schedule),
        unlimited_(target),
        memory_bytes_(target.memory_bytes),
        rank_count_(rank_count) {
    unlimited_.memory_bytes = 0;
  }

  /// Returns these bands with the bytes that they need. Several bands may use only a part of the memory,
  /// because bands that are not examined may need more than those that are.
  SizedBands sized(const Banding& bands) const {
    const std::int64_t limit =
        bands.count == 1 ? memory_bytes_ : std::max<std::int64_t>(1, memory_bytes_ / 16 * 15);
    return {bands, most_bytes(pipeline_, schedule_, unlimited_, rank_count_, bands, limit), limit};
  }

  /// Returns bands of whole units that fit. If there are none, returns the smallest bands of whole units.
  /// The search begins with `tried`, which are bands that do not fit.
  SizedBands from(SizedBands tried, std::int64_t unit) const {
    const std::int64_t units = most_bands(pipeline_, cut_dimension, unit);
    tried.bands.unit = unit;
    while (!tried.fit() && tried.bands.count < units)
      tried = sized({cut_dimension, next_count(tried, units), unit});
    return tried;
  }

 private:
  /// Returns a number of bands greater than that of `tried`, which do not fit. It is the smallest number for
  /// the number of units that the largest band then has.
  static std::int64_t next_count(const SizedBands& tried, std::int64_t units) {
    // With n times as many bands, a rank needs more than 1/n of the memory, because halos and some arrays
    // keep their sizes.
    const double ratio = static_cast<double>(tried.bytes) / static_cast<double>(tried.limit);
    const double next = std::min(static_cast<double>(tried.bands.count) * std::max(ratio, 1.1) + 1,
                                 static_cast<double>(units));
    const auto units_over = [units](std::int64_t divisor) { return (units + divisor - 1) / divisor; };
    std::int64_t largest_band = units_over(static_cast<std::int64_t>(next));
    while (units_over(largest_band) <= tried.bands.count) --largest_band;
    return units_over(largest_band);
  }

  const Algorithm& pipeline_;
  const Schedule& schedule_;
  Target unlimited_;
  std::int64_t memory_bytes_;
  int rank_count_;
};

/// Whether bands of whole units read or write whole chunks of a file. Bands that read rows of their
/// neighbours do not.
bool can_follow(const Algorithm& pipeline, const ChunkRows& chunk, std::int64_t unit) {
  const Banding bands{cut_dimension, most_bands(pipeline, cut_dimension, unit), unit};
  const ArrayDeclaration& declaration = pipeline[chunk.array];
  for (int pass = 0; declaration.is_input() && pass < passes_of(pipeline); ++pass) {
    const Window window(pipeline, bands.band(bands.count / 2, pass));
    const Box read = array_domains(pipeline, window)[chunk.array].domain;
    if (read.empty()) continue;
    const int dimension = std::min(cut_dimension, read.dimensions - 1);
    const Range& all = declaration.domain[dimension];
    for (const std::int64_t border : {read[dimension].begin, read[dimension].end})
      if ((border - all.begin) % chunk.rows != 0 && border != all.end) return false;
  }
  return true;
}

[[noreturn]] void fail_for_memory(const Target& target, int rank_count, std::int64_t bands,
                                  std::int64_t bytes) {
  throw ScheduleError("memory",
                      fmt::format("a rank of {} needs {} even in {} bands, but may use {}: use more "
                                  "ranks, or a schedule that keeps less",
                                  rank_count, human_bytes(bytes), bands, human_bytes(target.memory_bytes)));
}

[[noreturn]] void fail_for_loops(const Algorithm& pipeline, const char* key, const std::string& problem) {
  throw ScheduleError(key,
                      fmt::format("{}; bands do not help, as the loop '{}' goes over all points in every "
                                  "turn: use more ranks",
                                  problem, pipeline.loops().front().name));
}

/// Appends the steps of the plan `pass`, and the buffers that they use, to `plan`. The regions and the memory
/// that `plan` lists are taken from `pass` where `pass` computes or needs more.
void append_pass(Plan& plan, Plan pass) {
  const int first_buffer = plan.buffers.size();
  // The nodes of the pass below its root follow the nodes of the plan, which keep their numbers.
  const int nodes = number_nodes(plan.root) - 1;
  for (Buffer& buffer : pass.buffers) {
    buffer.first_node += nodes;
    buffer.last_node += nodes;
    plan.buffers.push_back(buffer);
  }
  auto& steps = std::get<plan::Sequence>(pass.root.step).children;
  auto& all = std::get<plan::Sequence>(plan.root.step).children;
  all.insert(all.end(), std::make_move_iterator(steps.begin()), std::make_move_iterator(steps.end()));
  for (const ArrayId id : plan.stages.ids()) {
    if (pass.stages[id].computed_points <= plan.stages[id].computed_points) continue;
    plan.stages[id] = pass.stages[id];
    for (BufferId* buffer : {&plan.stages[id].written_buffer, &plan.stages[id].read_buffer})
      if (*buffer != no_buffer) *buffer = BufferId{to_int(*buffer) + first_buffer};
  }
  if (pass.peak_bytes() <= plan.peak_bytes()) return;
  plan.array_bytes = pass.array_bytes;
  plan.message_bytes = pass.message_bytes;
  plan.scratch_bytes = pass.scratch_bytes;
  plan.partial_bytes = pass.partial_bytes;
  plan.library_bytes = pass.library_bytes;
}

}  // namespace

std::vector<Band> in_order(const Algorithm& pipeline, const Banding& bands) {
  std::vector<Band> order;
  const int passes = passes_of(pipeline);
  for (int pass = 0; pass < passes; ++pass)
    for (std::int64_t index = 0; index < bands.count; ++index) {
      const Band band = bands.band(index, pass);
      if (wants_something(pipeline, Window(pipeline, band))) order.push_back(band);
    }
  return order;
}

std::int64_t shown_band(const Algorithm& pipeline, const Banding& bands) {
  const std::int64_t units = most_bands(pipeline, bands.dimension, bands.unit);
  const auto border = [&](std::int64_t index) { return units * index / bands.count; };
  // The first band, from the middle on, that has at least as many units as the last band.
  std::int64_t shown = bands.count / 2;
  while (shown < bands.count - 1 &&
         border(shown + 1) - border(shown) < border(bands.count) - border(bands.count - 1))
    ++shown;
  return shown;
}

Plan plan_with_bands(const Algorithm& pipeline, const Banding& bands,
                     const std::function<Plan(const Band&)>& plan_of) {
  const std::int64_t shown = shown_band(pipeline, bands);
  Plan plan = plan_of(bands.band(shown));
  for (int pass = 1; pass < passes_of(pipeline); ++pass) append_pass(plan, plan_of(bands.band(shown, pass)));
  number_nodes(plan.root);
  return plan;
}

Banding bands_that_fit(const Algorithm& pipeline, const Schedule& schedule, const Target& target,
                       int rank_count, const std::vector<ChunkRows>& chunks) {
  const Banding whole{cut_dimension, 1};
  if (target.memory_bytes == 0) return whole;
  const BandSearch search(pipeline, schedule, target, rank_count);
  const SizedBands all = search.sized(whole);
  if (all.fit()) return whole;
  if (!pipeline.loops().empty())
    fail_for_loops(pipeline, "memory",
                   fmt::format("a rank of {} needs {}, but may use {}", rank_count, human_bytes(all.bytes),
                               human_bytes(target.memory_bytes)));
  std::optional<SizedBands> found;
  for (const ChunkRows& chunk : chunks) {
    const std::int64_t unit = std::lcm(found ? found->bands.unit : 1, chunk.rows);
    if (unit == 1 || !can_follow(pipeline, chunk, unit)) continue;
    if (const SizedBands bands = search.from(all, unit); bands.fit()) found = bands;
  }
  if (!found) found = search.from(all, 1);
  if (!found->fit()) fail_for_memory(target, rank_count, found->bands.count, found->bytes);
  return found->bands;
}

Banding bands_asked_for(const Algorithm& pipeline, std::int64_t count) {
  if (count > 1 && !pipeline.loops().empty()) fail_for_loops(pipeline, "bands", "loops have no bands");
  return {cut_dimension, std::min(count, most_bands(pipeline, cut_dimension))};
}

}  // namespace tessera
