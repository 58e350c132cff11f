// SPDX-License-Identifier: BSD-3-Clause
#include "true_flows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "frame_series.hpp"
#include "program.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace flow {

using namespace tessera;

namespace {

using ErrorsOfPair = std::array<double, error_names.size()>;
using Row = std::vector<std::pair<std::string, std::variant<std::int64_t, double, std::string>>>;

Row named(const ErrorsOfPair& errors) {
  Row row;
  for (std::size_t i = 0; i < errors.size(); ++i) row.emplace_back(error_names[i], errors[i]);
  return row;
}

std::string text_of(const ErrorsOfPair& errors) {
  std::string text;
  for (std::size_t i = 0; i < errors.size(); ++i)
    text += fmt::format("{}{} {:.6g}", i == 0 ? "" : ", ", error_names[i], errors[i]);
  return text;
}

}  // namespace

TrueFlows::TrueFlows(const app::GraphSetting& setting, const Box& frame) : deck_(setting.deck) {
  const deck::Deck& deck = setting.deck;
  const MPI_Comm communicator = setting.session.communicator();
  if (!deck.is_set("truth.files")) {
    collectively(communicator, [&] {
      if (deck.is_set("truth.dataset"))
        deck.fail("truth.dataset", "there is no truth: give truth.files, too, or leave it out");
    });
    return;
  }
  files_ = app::matching_files(communicator, deck, "truth.files");
  collectively(communicator, [&] {
    for (const std::string& file : files_) {
      infos_.push_back(io::inspect_image(file, {.dataset = deck.text_of("truth.dataset")}));
      check_truth(infos_.back(), frame, deck, "truth.files", file);
    }
  });
  errors_.resize(files_.size());
}

void TrueFlows::check_count(std::int64_t pairs) const {
  if (!files_.empty() && std::ssize(files_) != pairs)
    deck_.fail("truth.files", fmt::format("{} for {} of frames: give a true flow for each pair",
                                          counted(std::ssize(files_), "file"), counted(pairs, "pair")));
}

bool TrueFlows::is_read_by_one() const { return std::ranges::any_of(infos_, is_for_one_thread); }

void TrueFlows::read(Pair& pair) const {
  if (files_.empty()) return;
  const auto place = static_cast<std::size_t>(pair.index);
  io::open_image(MPI_COMM_SELF, files_[place], infos_[place])->read(pair.truth.points());
}

void TrueFlows::keep(const Pair& pair) {
  if (!files_.empty()) errors_[static_cast<std::size_t>(pair.index)] = pair.errors;
}

void TrueFlows::report(app::GraphRunner& runner, MPI_Comm communicator) {
  if (files_.empty()) return;
  MPI_Allreduce(MPI_IN_PLACE, errors_.data(), static_cast<int>(errors_.size() * error_names.size()),
                MPI_DOUBLE, MPI_SUM, communicator);
  ErrorsOfPair means{};
  const auto is_known = [](const ErrorsOfPair& errors) { return !std::isnan(errors.front()); };
  const std::int64_t known = std::ranges::count_if(errors_, is_known);
  std::int64_t number = 0;
  for (const ErrorsOfPair& errors : errors_) {
    const std::string& file = files_[static_cast<std::size_t>(number)];
    Row row{{"pair", number}, {"truth", file}};
    for (auto& value : named(errors)) row.push_back(std::move(value));
    runner.add_row("pairs", row);
    const std::int64_t pair = number++;
    if (known == 0) continue;
    if (!is_known(errors)) {
      runner.say(fmt::format("pair {}: {} has no known displacement: left out of the means", pair, file));
      continue;
    }
    runner.say(fmt::format("pair {}: {}", pair, text_of(errors)));
    for (std::size_t i = 0; i < means.size(); ++i) means[i] += errors[i];
  }
  if (known == 0) return runner.say("no true flow has a known displacement: there are no errors");
  for (double& mean : means) mean /= static_cast<double>(known);
  runner.add("numbers", named(means));
  runner.say(fmt::format("mean of {}: {}", counted(known, "pair"), text_of(means)));
}

}  // namespace flow
