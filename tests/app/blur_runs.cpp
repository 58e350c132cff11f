// SPDX-License-Identifier: BSD-3-Clause
#include "blur_runs.hpp"

namespace tessera::app_test {

ParallelEnding blur(int ranks, const Folder& folder, const std::vector<std::string>& words,
                    const Environment& environment) {
  return run_on_ranks(TESSERA_BLUR, ranks, folder, words, environment);
}

Ending blur_alone(const Folder& folder, const std::vector<std::string>& words,
                  const Environment& environment) {
  Command command{{TESSERA_BLUR}, folder.path(), environment};
  command.words.insert(command.words.end(), words.begin(), words.end());
  return run(command);
}

std::string deck(const std::string& name) { return std::string(TESSERA_BLUR_DECKS) + "/" + name + ".yaml"; }

}  // namespace tessera::app_test
