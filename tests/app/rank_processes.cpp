// SPDX-License-Identifier: BSD-3-Clause
#include "rank_processes.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace tessera::app_test {
namespace {

/// The environment of a process, a variable after each NUL byte; empty when it is nobody's business.
std::string environment_of(const std::filesystem::path& process) {
  std::ifstream file(process / "environ", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The process of a rank of a run that has this mark in its environment, if it has started.
pid_t process_of_rank(const std::string& program, const std::string& mark, int rank) {
  const auto holds = [](const std::string& environment, const std::string& variable) {
    return environment.starts_with(variable + '\0') ||
           environment.find('\0' + variable + '\0') != std::string::npos;
  };
  const std::string marked = std::string(rank_mark).append("=").append(mark);
  const std::string ranked = std::string("PMI_RANK=").append(std::to_string(rank));
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string environment = environment_of(entry.path());
    if (!holds(environment, marked) || !holds(environment, ranked)) continue;
    std::error_code error;
    // The shell that started it has the same environment.
    if (std::filesystem::read_symlink(entry.path() / "exe", error) == std::filesystem::canonical(program))
      return std::stoi(entry.path().filename());
  }
  return 0;
}

}  // namespace

pid_t wait_for_rank(const std::string& program, const std::string& mark, int rank) {
  for (int i = 0; i < 600; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(50)))
    if (const pid_t found = process_of_rank(program, mark, rank)) return found;
  return 0;
}

}  // namespace tessera::app_test
