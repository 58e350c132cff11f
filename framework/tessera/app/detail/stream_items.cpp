// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stream_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/detail/series_plan.hpp"
#include "tessera/app/finite_images.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

StreamItems::StreamItems(MPI_Comm communicator, const PipelineApplication& application,
                         const deck::Deck& deck)
    : communicator_(communicator),
      application_(application),
      deck_(deck),
      shared_(shared_files(application, deck)),
      ledger_(application, deck, shared_),
      inputs_(input_names(application, deck)) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  collectively(communicator, [&] {
    if (rank != 0) return;
    items_ = series_items(deck, shared_, listed_inputs(application, deck));
    ledger_.leave_out_whole(items_);
    numbers_.resize(items_.size());
    std::iota(numbers_.begin(), numbers_.end(), 0);
    if (skips()) begin_with_readable();
  });
  items_ = broadcast(communicator, items_);
}

bool StreamItems::skips() const { return deck_.text_of("on_error") == "skip"; }

void StreamItems::check_readable(std::size_t place, const std::string& path) const {
  const io::ImageInfo info = inspect_in_series(application_, deck_, place, path);
  if (application_.needs_finite_images)
    check_finite(deck_, input_key_of(application_, deck_, place), path,
                 first_not_finite(MPI_COMM_SELF, path, info));
}

void StreamItems::begin_with_readable() {
  for (std::int64_t number = 0; number < count(); ++number) {
    try {
      check_readable(0, item(number).input);
      for (std::size_t i = 0; i < item(number).listed.size(); ++i)
        check_readable(i + 1, item(number).listed[i]);
      items_.erase(items_.begin(), items_.begin() + number);
      numbers_.erase(numbers_.begin(), numbers_.begin() + number);
      return;
    } catch (const InputError& error) {
      left_out_.push_back({number, line_about(item(number).input, error.what())});
    }
  }
  // The error about the first image ends the program.
  left_out_.clear();
}

deck::Deck StreamItems::deck_of_first() const { return deck_of_item(application_, deck_, items_.front()); }

void StreamItems::look_at(const RunSetup& first, const SeriesItem& one) const {
  const io::ImageInfo info = inspect_in_series(application_, deck_, 0, one.input);
  // Listed images must be like that of the series in any case, and are like the first one if that is.
  for (std::size_t i = 0; i < one.listed.size(); ++i)
    SeriesImages::check_alike(one.listed[i], inspect_in_series(application_, deck_, i + 1, one.listed[i]),
                              one.input, info);
  const std::string text =
      difference_text("the image of " + one.input, info, items_.front().input, *first.inputs.image());
  if (!text.empty())
    throw InputError(text + ", or write program.allocation=whole, with which images may differ");
}

/// Looks at the headers of all files. `good` gets the images that are not left out.
void StreamItems::look_at_all(const RunSetup& first, std::vector<SeriesItem>& good) {
  const std::vector<std::int64_t> numbers = std::exchange(numbers_, {});
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const SeriesItem& one = items_[i];
    try {
      look_at(first, one);
      good.push_back(one);
      numbers_.push_back(numbers[i]);
    } catch (const InputError& error) {
      if (!skips()) throw;
      left_out_.push_back({numbers[i], line_about(one.input, error.what())});
    }
  }
}

void StreamItems::check(const RunSetup& first) {
  std::vector<SeriesItem> good;
  collectively(communicator_, [&] {
    if (first.session.rank() == 0) look_at_all(first, good);
  });
  items_ = broadcast(communicator_, good);
}

std::unique_ptr<BlockSource> StreamItems::open(const RunSetup& first, std::int64_t number,
                                               const std::string& input) const {
  const auto found = std::ranges::find(inputs_, input);
  if (found == inputs_.end()) {
    const auto further = std::ranges::find(application_.further_images, input, &FurtherImage::name);
    return io::open_image(MPI_COMM_SELF, deck_.get<std::string>(further->file_key()),
                          *first.inputs.image(input));
  }
  const auto place = static_cast<std::size_t>(found - inputs_.begin());
  const std::string& path = place == 0 ? item(number).input : item(number).listed[place - 1];
  const io::ImageInfo info = inspect_in_series(application_, deck_, place, path);
  // The file may have been written anew since its header was looked at.
  SeriesImages::check_alike(path, info, items_.front().input, *first.inputs.image());
  return open_in_series(application_, deck_, place, path, info);
}

std::unique_ptr<BlockSink> StreamItems::create(MPI_Comm communicator, std::int64_t number,
                                               const ArrayDeclaration& result,
                                               const std::vector<io::FileAttribute>& attributes) const {
  return ledger_.noting(communicator, item(number),
                        create_result(communicator, deck_, item(number), result.name, result.type,
                                      result.domain, inputs_, [attributes]() -> io::FileNotes {
                                        return {{}, attributes};
                                      }));
}

}  // namespace tessera::app
