// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "chain.hpp"
#include "tessera/app/writable_stages.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/io/image_info.hpp"

namespace chain {

/// The results that a deck asks for.
struct AskedResults {
  /// The steps that have to be computed with all that they need.
  std::set<std::string> wanted;
  /// Those of them, besides the output, whose results are outputs of the pipeline, and so are whole.
  std::set<std::string> whole;
};

/// The names that the key `output.stages` may have in decks of a chain.
class ResultNames {
 public:
  /// `within` has the stages that belong to steps, with the names of these steps, and `numbers` the steps
  /// that are outputs because they are single numbers.
  ResultNames(Chain chain, std::map<std::string, std::string> within, std::vector<std::string> numbers);

  /// Returns what a deck asks for. A step of which the deck names an inner stage only, is no output of its
  /// own, unless no other output needs it.
  AskedResults asked_in(const tessera::deck::Deck& deck) const;

  /// Throws InputError, which says why, if the deck asks for something that cannot be written in a run with
  /// this image.
  void check(const tessera::deck::Deck& deck, const tessera::io::ImageInfo& image) const;

 private:
  const std::string& step_around(const std::string& stage) const;
  const Step* loop_around(const std::string& step) const;
  tessera::app::WritableStages writable(const tessera::io::ImageInfo& image) const;
  void add_stages(tessera::app::WritableStages& found, const tessera::io::ImageInfo& image) const;
  std::string reason_against(const std::string& stage,
                             const tessera::app::WritableStages& can_be_written) const;

  Chain chain_;
  std::map<std::string, std::string> within_;
  std::vector<std::string> numbers_;
};

/// Returns the names of all steps of a chain.
std::set<std::string> all_steps(const Chain& chain);

}  // namespace chain
