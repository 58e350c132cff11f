// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/array_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/domain/box.hpp"
#include "tessera/domain/error.hpp"

namespace tessera {

SwapGroups::SwapGroups(const Algorithm& pipeline) : group_of_(pipeline.table<std::size_t>()) {
  for (const LoopDeclaration& loop : pipeline.loops())
    for (const auto& [from, to] : loop.feeds) join(from, to);
  for (std::vector<ArrayId>& members : groups_) std::ranges::sort(members);
}

void SwapGroups::join(ArrayId from, ArrayId to) {
  std::size_t& kept = group_of_[to];
  if (kept == 0) {
    kept = groups_.size();
    groups_.push_back({to});
  }
  const std::size_t other = group_of_[from];
  if (other == kept) return;
  std::vector<ArrayId> joining = {from};
  if (other > 0) joining.swap(groups_[other]);
  for (ArrayId member : joining) {
    group_of_[member] = kept;
    groups_[kept].push_back(member);
  }
}

namespace {

/// Returns the nominal points of an array that a consumer reads: from the middle of `first`, the points that
/// the first corner of the consumer's nominal box reads, to the middle of `last`, the points that its last
/// corner reads. Along some dimensions the corners tell nothing about the points between them, because the
/// consumer reads whole lines there, or opposite points. Along these dimensions, the result has all points
/// that the nominal box reads, `all`.
Box followed(const ArrayDeclaration& consumer, const Box& first, const Box& last, const Box& all) {
  Box points = hull(centre(first, false), centre(last, true));
  for (int d = 0; d < points.dimensions; ++d) {
    const bool reads_lines = d < consumer.dimensions &&
                             !consumer.whole[static_cast<std::size_t>(d)].empty() && first[d] == last[d];
    // The distance of the two middles if the corners read the two ends of `all`.
    const std::int64_t way = all[d].size() - std::max(first[d].size(), last[d].size());
    if (reads_lines || 2 * points[d].size() < way) points[d] = all[d];
  }
  return points;
}

/// Finds the domains of all arrays. It goes from the outputs to the inputs, and gives every array the points
/// that its consumers read.
class DomainFinder {
 public:
  DomainFinder(const Algorithm& pipeline, const Window& window)
      : pipeline_(pipeline),
        window_(window),
        groups_(pipeline),
        is_read_(pipeline.table<bool>()),
        domains_(pipeline.table<ArrayDomain>()) {
    for (const ArrayDeclaration& array : pipeline.arrays())
      for (ArrayId input : array.inputs) is_read_[input] = true;
  }

  IdVector<ArrayId, ArrayDomain> find() {
    settle_domains();
    check_fed();
    for (ArrayId id : pipeline_.ids()) domains_[id] = domains_[pipeline_[id].lead];
    return std::move(domains_);
  }

 private:
  void settle_domains() {
    for (ArrayId id : pipeline_.ids().descending()) {
      auto& [domain, nominal] = domains_[id];
      const ArrayDeclaration& declaration = pipeline_[id];
      check_domain(id, domain);
      settle_fed(id, domain, nominal);
      settle_kept(id, domain, nominal);
      if (declaration.is_input() || declaration.is_spare()) continue;
      if (declaration.is_further_output()) {
        // The first output of a stage stands for all its outputs. This loop reaches it after the
        // further outputs.
        ArrayDomain& lead = domains_[declaration.lead];
        lead = {hull(lead.domain, domain), hull(lead.nominal, nominal)};
        continue;
      }
      if (leads_nowhere(id))
        throw InternalError(fmt::format("stage '{}' leads to no output", declaration.name));
      if (declaration.is_reduction()) domain = nominal = window_.wanted(pipeline_, id);
      if (domain.empty()) {
        // No rank computes the array: its consumers have no points to compute, or read it only in another
        // pass.
        domain = nominal = no_points(domain.dimensions > 0 ? domain.dimensions : declaration.dimensions);
        continue;
      }
      domain = declaration.with_whole_lines(domain);
      nominal = declaration.with_whole_lines(nominal);
      settle_inputs(id);
    }
  }

  /// Settles the boxes of an array that has a domain of its own: an input, a bounded stage, a value or an
  /// output. For other arrays, this function does nothing.
  void settle_kept(ArrayId id, Box& domain, Box& nominal) const {
    const ArrayDeclaration& declaration = pipeline_[id];
    if (declaration.is_value() || (declaration.ends_at_domain() && window_.is_whole()))
      domain = nominal = declaration.domain;
    else if (declaration.ends_at_domain())
      settle_for_band(id, domain, nominal);
    if (!declaration.is_output || declaration.is_reduction()) return;
    if (const Box points = window_.wanted(pipeline_, id); !points.empty()) {
      nominal = points;
      domain = hull(domain, points);
    }
  }

  /// Settles the boxes of an input or a bounded stage for one band, from the points that stages read.
  void settle_for_band(ArrayId id, Box& domain, Box& nominal) const {
    const ArrayDeclaration& declaration = pipeline_[id];
    const Box& all = declaration.domain;
    const Box sources = with_boundary_sources(domain, all, declaration.boundary);
    domain = domain.empty() ? no_points(declaration.dimensions) : intersection(sources, all);
    for (int d = 0; d < all.dimensions && !sources.empty(); ++d) {
      if (!declaration.boundary.is_periodic(d)) continue;
      // An input also holds the points beyond its periodic sides, which are read from its other end. A
      // bounded stage computes all points within its domain and no others: the ranks send each other the
      // points beyond the sides. They do the same for an input if stages read all of its points, or if a
      // bounded stage that is periodic reads it.
      const bool is_read_beyond =
          declaration.is_input() && sources[d].size() < all[d].size() && !is_read_by_periodic_stage(id, d);
      domain[d] = is_read_beyond ? sources[d] : all[d];
      if (!is_read_beyond) nominal[d] = all[d];
    }
    nominal = intersection(nominal, domain);
    if (nominal.empty()) nominal = domain;
  }

  /// Whether a bounded stage that is periodic in `dimension` reads the array.
  bool is_read_by_periodic_stage(ArrayId id, int dimension) const {
    for (const ArrayDeclaration& output : pipeline_.arrays())
      if (output.is_bounded() && output.boundary.is_periodic(dimension) &&
          std::ranges::find(pipeline_[output.lead].inputs, id) != pipeline_[output.lead].inputs.end())
        return true;
    return false;
  }

  /// Adds the points that stage `id` reads to the domains of its inputs. The domain of the stage must be
  /// known.
  void settle_inputs(ArrayId id) {
    const ArrayDeclaration& declaration = pipeline_[id];
    const auto& [domain, nominal] = domains_[id];
    const auto whole = required_boxes(pipeline_, id, domain);
    const auto first = required_boxes(pipeline_, id, corner(nominal, false));
    const auto last = required_boxes(pipeline_, id, corner(nominal, true));
    const auto nominal_needs = required_boxes(pipeline_, id, nominal);
    for (std::size_t k = 0; k < whole.size(); ++k) {
      ArrayDomain& input = domains_[declaration.inputs[k]];
      input.domain = hull(input.domain, whole[k]);
      // The blocks of a producer follow the blocks of its consumers. Each corner of the producer's nominal
      // box lies in the middle of the points that a corner of the consumer's nominal box reads.
      if (!first[k].empty() && !last[k].empty())
        input.nominal = hull(input.nominal, followed(declaration, first[k], last[k], nominal_needs[k]));
      else
        input.nominal = hull(input.nominal, whole[k]);
    }
  }

  /// Settles the boxes of an array in a swap group (see SwapGroups). The boxes contain the domain of the
  /// first array of the group. For values and for other arrays, this function does nothing.
  void settle_fed(ArrayId id, Box& domain, Box& nominal) const {
    if (groups_.of(id).empty() || pipeline_[id].is_value()) return;
    // The first array of a group is an input or a bounded stage.
    const Box& next = pipeline_[groups_.of(id).front()].domain;
    domain = hull(domain, next);
    nominal = next;
  }

  void check_domain(ArrayId id, const Box& required) const {
    const ArrayDeclaration& array = pipeline_[id];
    for (int d = 0; d < required.dimensions && !required.empty(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      const auto& side = array.boundary.side[i];
      if (array.ends_at_domain() &&
          ((side[0] == Boundary::none && required[d].begin < array.domain[d].begin) ||
           (side[1] == Boundary::none && required[d].end > array.domain[d].end)))
        throw InternalError(
            fmt::format("the {} '{}' is {} and has no boundary condition in dimension {}, but "
                        "stages read {}",
                        array.is_input() ? "input" : "stage", array.name, to_string(array.domain), d,
                        to_string(required)));
      if (!array.ends_at_domain() && !array.whole[i].empty() &&
          !(intersection(array.whole[i], required[d]) == required[d]))
        throw InternalError(
            fmt::format("'{}' has the points [{}, {}) in dimension {}, but stages read {}: "
                        "limit the index with clamp",
                        array.name, array.whole[i].begin, array.whole[i].end, d, to_string(required)));
    }
  }

  void check_fed() const {
    for (const LoopDeclaration& loop : pipeline_.loops())
      for (const auto& [from, to] : loop.feeds) {
        const ArrayDeclaration &source = pipeline_[from], &target = pipeline_[to];
        const Box& domain = domains_[source.lead].domain;
        if (!(domain == domains_[to].domain))
          throw InternalError(
              fmt::format("the loop '{}' feeds '{}', which is computed on {}, to '{}', which has the points "
                          "{}: both must have the same points",
                          loop.name, source.name, to_string(domain), target.name, to_string(target.domain)));
      }
  }

  bool leads_nowhere(ArrayId id) const {
    const auto is_used = [this](ArrayId part) {
      const ArrayDeclaration& array = pipeline_[part];
      return array.is_output || is_read_[part] || !groups_.of(part).empty() ||
             std::ranges::any_of(pipeline_.loops(), [part](const LoopDeclaration& loop) {
               return loop.condition == part ||
                      std::ranges::find(loop.residuals, part) != loop.residuals.end();
             });
    };
    for (ArrayId part : pipeline_.parts(id))
      if (is_used(part)) return false;
    return true;
  }

  const Algorithm& pipeline_;
  const Window& window_;
  SwapGroups groups_;
  /// For each array, whether a stage reads the array.
  IdVector<ArrayId, bool> is_read_;
  IdVector<ArrayId, ArrayDomain> domains_;
};

}  // namespace

IdVector<ArrayId, ArrayDomain> array_domains(const Algorithm& pipeline, const Window& window) {
  return DomainFinder(pipeline, window).find();
}

namespace {

bool is_bounded(const Box& box) {
  for (int d = 0; d < box.dimensions; ++d)
    if (box[d].begin <= std::numeric_limits<int>::lowest() || box[d].end > std::numeric_limits<int>::max())
      return false;
  return true;
}

}  // namespace

void required_boxes(const Algorithm& pipeline, ArrayId stage, const Box& box, std::vector<Box>& needs) {
  const ArrayDeclaration& declaration = pipeline[stage];
  needs.resize(declaration.inputs.size());
  if (box.empty()) {
    for (std::size_t i = 0; i < declaration.inputs.size(); ++i)
      needs[i] = no_points(pipeline[declaration.inputs[i]].dimensions);
    return;
  }
  try {
    declaration.kernel->required(box, needs.data());
  } catch (const InternalError& error) {
    throw InternalError(fmt::format("stage '{}': {}", declaration.name, error.what()));
  }
  for (std::size_t i = 0; i < declaration.inputs.size(); ++i)
    if (!needs[i].empty() && !is_bounded(needs[i]))
      throw InternalError(
          fmt::format("stage '{}' reads '{}' at an index without bounds, {}: limit it with clamp, min or max",
                      declaration.name, pipeline[declaration.inputs[i]].name, to_string(needs[i])));
}

std::vector<Box> required_boxes(const Algorithm& pipeline, ArrayId stage, const Box& box) {
  std::vector<Box> needs;
  required_boxes(pipeline, stage, box, needs);
  return needs;
}

namespace {

/// A line is written if a plan needs memory for at least this many points for each point that is read.
constexpr double worth_a_line = 100;

/// Returns the dimension along which `all` is the most times as long as `one`.
int farthest_dimension(const Box& all, const Box& one) {
  int farthest = 0;
  const auto times = [&](int d) { return all[d].size() / one[d].size(); };
  for (int d = 1; d < all.dimensions; ++d)
    if (times(d) > times(farthest)) farthest = d;
  return farthest;
}

}  // namespace

std::vector<std::string> scattered_reads(const Algorithm& pipeline, const Plan& plan) {
  std::vector<std::string> lines;
  for (ArrayId stage : pipeline.ids()) {
    const ArrayDeclaration& declaration = pipeline[stage];
    const Box& domain = plan.stages[stage].domain;
    if (declaration.kernel == nullptr || declaration.lead != stage || domain.empty()) continue;
    if (declaration.is_reduction()) continue;  // its domain holds its results, not the points that it reads
    const std::vector<Box> all = required_boxes(pipeline, stage, domain);
    const std::vector<Box> one = required_boxes(pipeline, stage, centre(domain, false));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].empty() || one[i].empty()) continue;
      const double read = static_cast<double>(domain.size()) * static_cast<double>(one[i].size());
      const double times = static_cast<double>(all[i].size()) / read;
      if (times < worth_a_line) continue;
      lines.push_back(fmt::format(
          "warning: stage '{}' needs memory for {} points of '{}', {:.0f} times as many as it reads, because "
          "index {} of '{}' in its body grows faster than a coordinate",
          declaration.name, all[i].size(), pipeline[declaration.inputs[i]].name, times,
          farthest_dimension(all[i], one[i]), pipeline[declaration.inputs[i]].name));
    }
  }
  return lines;
}

}  // namespace tessera
