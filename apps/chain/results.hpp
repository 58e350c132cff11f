// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "chain.hpp"
#include "tessera/app/writable_stages.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/io/image_source.hpp"

namespace chain {

/// The results that a deck asks for.
struct AskedResults {
  /// The steps that have to be computed with all that they need.
  std::set<std::string> wanted;
  /// Those of them, besides the output, whose results are outputs of the pipeline, and so are whole.
  std::set<std::string> whole;
};

/// The names that the key `output.stages` may have in a deck of a chain, for an image.
class ResultNames {
 public:
  /// All arguments must outlive this object.
  ResultNames(const Chain& chain, const tessera::deck::Deck& deck, const tessera::io::ImageInfo& image);

  /// Returns the results that the deck asks for. The deck may name only an inner stage of a step. The step is
  /// then no output of its own, unless no other output needs it. Throws InputError, which says why, if the
  /// deck asks for something that cannot be written in a run with this image.
  AskedResults asked() const;

  /// The steps that are outputs because they are single numbers, which nothing reads.
  const std::vector<std::string>& numbers() const { return numbers_; }

 private:
  void check() const;
  std::string step_around(const std::string& stage) const;
  const Step* loop_around(const std::string& step) const;
  tessera::app::WritableStages writable() const;
  void add_stages(tessera::app::WritableStages& found) const;
  std::string reason_against(const std::string& stage,
                             const tessera::app::WritableStages& can_be_written) const;

  const Chain& chain_;
  const tessera::deck::Deck& deck_;
  const tessera::io::ImageInfo& image_;
  std::vector<std::string> stages_;
  std::vector<std::string> numbers_;
};

/// Returns the names of all steps of a chain, and of the steps of its loops.
std::vector<std::string> names_of_steps(const Chain& chain);

/// Returns the names of all steps of a chain.
std::set<std::string> all_steps(const Chain& chain);

}  // namespace chain
