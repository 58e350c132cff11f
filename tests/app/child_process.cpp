// SPDX-License-Identifier: BSD-3-Clause
#include "child_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "capture.hpp"

namespace tessera::app_test {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds longest{100};
constexpr std::chrono::seconds to_clean_up{5};

/// The child's side: never returns.
[[noreturn]] void become(const Command& command, int output, int errors) {
  for (const char* name :
       {"OMP_NUM_THREADS", "TESSERA_INSTRUCTIONS", "PMI_SIZE", "PMI_RANK", "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"})
    unsetenv(name);
  // More threads than cores must not wait by turning.
  setenv("OMP_WAIT_POLICY", "passive", 1);
  // Kokkos warns of them on every rank.
  setenv("KOKKOS_DISABLE_WARNINGS", "1", 1);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  if (chdir(command.folder.c_str()) == 0) execvp(words[0], words.data());
  std::perror(words[0]);
  _exit(127);
}

/// True when the child has ended by then.
bool ended(pid_t child, steady_clock::time_point deadline, int& status) {
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace

Ending run(const Command& command) {
  const Capture output;
  const Capture errors;
  const pid_t child = fork();
  if (child == 0) become(command, output.descriptor(), errors.descriptor());
  Ending ending;
  int status = 0;
  ending.hung = !ended(child, steady_clock::now() + longest, status);
  if (ending.hung) {
    // A launcher ends its processes when it is asked to end, not when it is killed.
    kill(child, SIGTERM);
    if (!ended(child, steady_clock::now() + to_clean_up, status)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
    }
  }
  ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  ending.output = output.text();
  ending.errors = errors.text();
  return ending;
}

}  // namespace tessera::app_test
