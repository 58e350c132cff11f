// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include "tessera/app/detail/application_schema.hpp"
#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/detail/series_items.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/series_plan.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Returns whether one rank lacks the memory for the first image of a series that can be read, with its plan
/// for one thread.
bool lacks_memory(const PipelineApplication& application, const deck::Deck& deck, const ImageInputs& shared) {
  const auto needs_more = [&](const std::string& path, const io::ImageInfo& info) {
    SeriesNeeds needs(application, deck);
    needs.add(plan_series(application, deck.with(application.input_key, path, path), info, 1, shared.all()));
    return needs.bytes(1, 1) > memory_limit(deck);
  };
  if (reads_video(deck)) {
    const std::string path = deck.get<std::string>(series_input_key(deck));
    bool needs = false;
    open_video(path, [&](const io::ImageInfo& info) { needs = needs_more(path, info); });
    return needs;
  }
  for (const SeriesItem& item : series_items(deck, {}, listed_inputs(application, deck))) {
    try {
      return needs_more(item.input, inspect_in_series(application, deck, 0, item.input));
    } catch (const InputError&) {
      // The run says so, or leaves the image out.
    }
  }
  return false;
}

/// Returns whether all ranks compute each image together: if the deck says so, or if it leaves the choice and
/// gives bands, or if one rank does not have the memory for the first image that can be read. Collective.
bool goes_across(const PipelineJob& job) {
  const deck::Deck& deck = job.deck;
  const MPI_Comm communicator = job.session.communicator();
  if (deck.text_of("items.across") != "auto") return goes_across_ranks(deck);
  int across = deck.is_set("bands") ? 1 : 0;
  const bool is_whole = is_given(deck, series_input_key(deck)) && is_given(deck, series_output_key(deck));
  if (across == 0 && is_whole && deck.is_set("memory") && !is_program(deck)) {
    const ImageInputs shared(communicator, job.application, deck);
    collectively(communicator, [&] {
      if (job.session.rank() == 0) across = lacks_memory(job.application, deck, shared) ? 1 : 0;
    });
    MPI_Bcast(&across, 1, MPI_INT, 0, communicator);
  }
  return across != 0;
}

}  // namespace

ExitStatus run_series(const PipelineJob& job) {
  const bool across = goes_across(job);
  const std::string key = "items.across";
  const deck::Deck deck =
      job.deck.text_of(key) != "auto"
          ? job.deck
          : job.deck.with(key, std::string(across ? "ranks" : "rank"), job.deck.location(key));
  job.phases.begin(Phase::open);
  collectively(job.session.communicator(), [&] { check_series_keys(job.application, deck, job.options); });
  const PipelineJob chosen{job.session, job.application, job.build, job.options,
                           deck,        job.deck_files,  job.phases};
  return across ? run_across_ranks(chosen) : run_by_rank(chosen);
}

}  // namespace tessera::app
