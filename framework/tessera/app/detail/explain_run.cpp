// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/explain_run.hpp"

#include <fmt/format.h>

#include <optional>

#include "tessera/app/detail/checkpoints.hpp"
#include "tessera/app/detail/chosen_transport.hpp"
#include "tessera/app/detail/explain_plans.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/app/file_names.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/pipeline/plan_file/plan_json.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

std::string explanation(const RunSetup& setup, const Plans& plans) {
  const Options& options = setup.options;
  if (options.dot) return dot_text(*setup.pipeline, plans);
  if (options.rank < 0)
    return explain_text(*setup.pipeline, plans, exchange_text(setup.deck), options.verbose);
  if (options.rank >= plans.rank_count())
    throw InputError(fmt::format("command line: --rank {}: there are ranks 0 to {}", options.rank,
                                 plans.rank_count() - 1));
  return explain_text(*setup.pipeline, plans, options.rank);
}

std::string saved_text(const Algorithm& pipeline, const Plans& all) {
  std::vector<Plan> plans;
  for (int rank = 0; rank < all.rank_count(); ++rank) plans.push_back(all.of(rank));
  return to_json(pipeline, plans);
}

}  // namespace

void explain_run(const RunSetup& setup, const RunPlans& plans) {
  const std::string& path = setup.options.save_plan;
  std::optional<io::TextFile> file;
  check_names(setup.read_files(), {{"command line: --save-plan", path}});
  if (const Plans* made = plans.by_deck(); !path.empty() && made != nullptr && made->has_bands())
    throw InputError(fmt::format(
        "command line: --save-plan: plans of {} bands are not saved: give more memory", made->bands().count));
  if (!path.empty()) file.emplace(setup.session.communicator(), path);
  std::string text, saved;
  collectively(setup.session.communicator(), [&] {
    if (setup.session.rank() != 0) return;
    setup.blame_deck([&] {
      text = explanation(setup, plans.all());
      if (file) saved = saved_text(*setup.pipeline, plans.all());
    });
  });
  if (file) file->write(saved);
  setup.session.print(text);
}

void check_run(const RunSetup& setup, const RunPlans& plans) {
  check_comparison(setup, plans.mine());
  LoopHistory none(*setup.pipeline, setup.session.rank());
  const WrittenFiles files(setup, none, 1);
  Progress progress(setup.session.rank(), setup.options.quiet);
  if (setup.session.rank_count() == plans.mine().rank_count)
    Checkpoints(
        CheckpointedRun::of(setup.session, setup.application, setup.deck, *setup.pipeline, plans.mine()),
        none, progress);
  std::string text;
  collectively(setup.session.communicator(), [&] {
    if (setup.session.rank() != 0) return;
    setup.blame_deck([&] { text = check_text(*setup.pipeline, plans.all()); });
  });
  if (!setup.options.quiet) setup.session.print(text);
}

}  // namespace tessera::app
