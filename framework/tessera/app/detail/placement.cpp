// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/placement.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

constexpr std::size_t most_lines = 4;

bool same_place(const RankPlacement& a, const RankPlacement& b) {
  return a.node == b.node && CPU_EQUAL(&a.affinity.processors, &b.affinity.processors) &&
         a.device == b.device;
}

std::vector<std::size_t> members(const cpu_set_t& processors) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &processors)) numbers.push_back(i);
  return numbers;
}

/// Returns whether two sets have a processor in common.
bool share(const Affinity& a, const Affinity& b) {
  cpu_set_t common;
  CPU_AND(&common, &a.processors, &b.processors);
  return CPU_COUNT(&common) > 0;
}

/// Returns a text such as "rank 7" or "ranks 0-3,8". The numbers must be in ascending order.
std::string named(const char* noun, const std::vector<std::size_t>& numbers) {
  std::string text = fmt::format("{}{} ", noun, numbers.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += fmt::format("{}{}", i == 0 ? "" : ",", numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

/// Returns a text such as ", device 0 (NVIDIA H100 at 0000:3B:00.0)". A name or an address that is not known
/// is left out. The text is empty if kernels run on the host.
std::string device_text(const Device& device) {
  if (device.number < 0) return "";
  std::vector<std::string> known;
  if (device.name.front() != '\0') known.emplace_back(device.name.data());
  if (device.address.front() != '\0') known.push_back(fmt::format("at {}", device.address.data()));
  return fmt::format(", device {}{}", device.number,
                     known.empty() ? "" : fmt::format(" ({})", fmt::join(known, " ")));
}

/// Returns the line about the ranks `here`, which run at the same place.
std::string line(const std::vector<RankPlacement>& ranks, const std::vector<std::size_t>& here) {
  const RankPlacement& place = ranks[here.front()];
  std::int64_t peak_bytes = 0;
  for (const std::size_t rank : here) peak_bytes = std::max(peak_bytes, ranks[rank].peak_bytes);
  return fmt::format("{}: node {}, {}{}, at most {}{}", named("rank", here), place.node.data(),
                     named("processor", members(place.affinity.processors)), device_text(place.device),
                     human_bytes(peak_bytes), here.size() == 1 ? "" : " each");
}

/// Returns a warning if `rank` and the ranks that share processors with it have more threads than processors,
/// and an empty text otherwise. `near` holds all ranks of the same machine node, including `rank`.
std::string thread_warning(const std::vector<RankPlacement>& ranks, std::size_t rank,
                           const std::vector<std::size_t>& near) {
  cpu_set_t shared = ranks[rank].affinity.processors;
  int threads = 0;
  std::vector<std::size_t> sharers;
  for (const std::size_t other : near) {
    if (!share(ranks[rank].affinity, ranks[other].affinity)) continue;
    sharers.push_back(other);
    threads += ranks[other].threads;
    CPU_OR(&shared, &shared, &ranks[other].affinity.processors);
  }
  if (threads <= CPU_COUNT(&shared)) return "";
  return fmt::format(
      "warning: {} of {} share {} of node {}: start fewer, or give each rank its own processors",
      counted(threads, "thread"), named("rank", sharers), named("processor", members(shared)),
      ranks[rank].node.data());
}

/// Returns a warning if other ranks of the same machine node, which are in `near`, use the same device as
/// `rank`, and an empty text otherwise. Devices are compared by their addresses, because the same device may
/// have different numbers on different ranks.
std::string device_warning(const std::vector<RankPlacement>& ranks, std::size_t rank,
                           const std::vector<std::size_t>& near) {
  const auto& address = ranks[rank].device.address;
  std::vector<std::size_t> sharers;
  for (const std::size_t other : near)
    if (ranks[other].device.address == address) sharers.push_back(other);
  if (address.front() == '\0' || sharers.size() < 2) return "";
  return fmt::format("warning: {} share the device at {} of node {}: start a rank for each device",
                     named("rank", sharers), address.data(), ranks[rank].node.data());
}

}  // namespace

RankPlacement own_placement(int threads, std::int64_t peak_bytes) {
  RankPlacement place{
      .affinity = own_affinity(), .threads = threads, .device = own_device(), .peak_bytes = peak_bytes};
  gethostname(place.node.data(), place.node.size() - 1);
  return place;
}

std::string placement_text(const std::vector<RankPlacement>& ranks, bool each_rank) {
  std::vector<std::string> lines;
  for (std::size_t first = 0; first < ranks.size();) {
    std::vector<std::size_t> here = {first};
    while (!each_rank && here.back() + 1 < ranks.size() && same_place(ranks[first], ranks[here.back() + 1]))
      here.push_back(here.back() + 1);
    lines.push_back(line(ranks, here));
    first = here.back() + 1;
  }
  if (!each_rank && lines.size() > most_lines) {
    const std::size_t more = lines.size() - most_lines;
    lines.resize(most_lines);
    lines.push_back(fmt::format("and {}: --verbose lists all ranks",
                                counted(static_cast<std::int64_t>(more), "more place")));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string overlap_warning(const std::vector<RankPlacement>& ranks) {
  std::map<std::string, std::vector<std::size_t>> by_node;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) by_node[ranks[rank].node.data()].push_back(rank);
  std::vector<std::string> lines;
  for (const auto warning : {thread_warning, device_warning}) {
    std::string text;
    for (std::size_t rank = 0; rank < ranks.size() && text.empty(); ++rank)
      text = warning(ranks, rank, by_node[ranks[rank].node.data()]);
    if (!text.empty()) lines.push_back(text);
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Affinity own_affinity() {
  Affinity affinity;
  CPU_ZERO(&affinity.processors);
  sched_getaffinity(0, sizeof affinity.processors, &affinity.processors);
  return affinity;
}

int default_threads(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const int ranks = ranks_of(node);
  const Affinity mine = own_affinity();
  std::vector<Affinity> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, node);
  MPI_Comm_free(&node);
  const auto sharers =
      static_cast<int>(std::ranges::count_if(all, [&](const Affinity& other) { return share(mine, other); }));
  return std::clamp(
      std::min(CPU_COUNT(&mine.processors) / std::max(1, sharers), allowed_processors() / ranks), 1,
      most_host_threads);
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

}  // namespace tessera::app
