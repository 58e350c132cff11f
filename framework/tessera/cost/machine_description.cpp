// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/machine_description.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tessera/domain/text.hpp"

namespace tessera::cost {
namespace {

std::string quoted_or_unnamed(const std::string& processor) {
  return processor.empty() ? "an unnamed processor" : fmt::format("'{}'", processor);
}

}  // namespace

NodeShare::NodeShare(const MachineDescription& machine, std::int64_t ranks, int threads)
    : machine_(machine),
      ranks_(static_cast<double>(ranks)),
      threads_(std::min(static_cast<double>(threads),
                        static_cast<double>(std::max(machine.threads, machine.node_cores())) / ranks_)) {}

double NodeShare::of(const Speed& speed) const {
  return std::min(threads_ * speed.thread, std::max(speed.all, speed.thread) / ranks_);
}

double NodeShare::launch_seconds() const {
  if (threads_ <= 1 || machine_.threads <= 1) return machine_.launch_thread_seconds;
  // The seconds are taken to grow with the logarithm of the number of threads.
  const double share = std::log2(threads_) / std::log2(static_cast<double>(machine_.threads));
  const double difference = machine_.launch_all_seconds - machine_.launch_thread_seconds;
  // The seconds of more threads than were measured may be negative, if the measured threads together started
  // faster than one thread.
  return std::max(0.0, machine_.launch_thread_seconds + share * difference);
}

std::int64_t ranks_per_node(const MachineDescription& machine, int threads) {
  return std::max<std::int64_t>(1, std::max(machine.threads, machine.node_cores()) / threads);
}

MachineDescription generic_machine() {
  MachineDescription machine;
  machine.name = "laptop";
  machine.cores = 4;
  machine.threads = 4;
  machine.memory = {12e9, 24e9};
  machine.last_cache_bytes = std::int64_t{8} << 20;
  machine.last_cache = {20e9, 60e9};
  machine.near_cache_thread = 60e9;
  machine.arithmetic = {25e9, 100e9};
  machine.launch_thread_seconds = 0.2e-6;
  machine.launch_all_seconds = 3e-6;
  machine.within_node = {1e-6, 0.2e-9};
  return machine;
}

std::string own_processor() {
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::int64_t own_cores() { return std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN)); }

std::string difference_from_own(const MachineDescription& machine) {
  const std::string processor = own_processor();
  if (machine.processor == processor && machine.node_cores() == own_cores()) return {};
  return fmt::format("it describes {} of {}, and this machine has {} of {}",
                     counted(machine.node_cores(), "core"), quoted_or_unnamed(machine.processor),
                     counted(own_cores(), "core"), quoted_or_unnamed(processor));
}

}  // namespace tessera::cost
