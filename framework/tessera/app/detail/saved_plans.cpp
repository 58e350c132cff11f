// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/saved_plans.hpp"

#include <fmt/format.h>

#include "tessera/domain/counted.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::app {

std::unique_ptr<Plans> read_saved_plans(const Algorithm& pipeline, const std::string& path, int ranks) {
  const std::string text = io::read_text_file(path, "a plan, which --save-plan writes");
  std::unique_ptr<Plans> plans;
  try {
    plans = std::make_unique<Plans>(pipeline, text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  if (const Target target = plans->of(0).target; target.device == runs_on_host)
    throw InputError(fmt::format("{}: plans for {}, but this program computes on {}: save other plans", path,
                                 target.device ? "devices" : "hosts", runs_on_host ? "hosts" : "devices"));
  const int saved = plans->rank_count();
  if (ranks > 0 && saved != ranks)
    throw InputError(fmt::format("{}: plans for {}, but {} run: start as many, or save other plans", path,
                                 counted(saved, "rank"), ranks));
  return plans;
}

}  // namespace tessera::app
