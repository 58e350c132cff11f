// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stream_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/detail/series_plan.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

StreamItems::StreamItems(MPI_Comm communicator, const PipelineApplication& application,
                         const deck::Deck& deck)
    : communicator_(communicator),
      application_(application),
      deck_(deck),
      inputs_(input_names(application, deck)) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  collectively(communicator, [&] {
    std::vector<NamedFile> shared;
    for (const FurtherImage& further : application.further_images)
      if (const std::string key = further.keys() + ".file"; deck.is_set(key))
        shared.push_back({key, deck.get<std::string>(key)});
    if (rank == 0) items_ = series_items(deck, shared, application.image_lists);
  });
  items_ = broadcast(communicator, items_);
  numbers_.resize(items_.size());
  std::iota(numbers_.begin(), numbers_.end(), 0);
}

deck::Deck StreamItems::deck_of_first() const {
  const SeriesItem& first = items_.front();
  deck::Deck deck = deck_.with(application_.input_key, first.input, first.input);
  auto listed = first.listed.begin();
  for (const ImageList& list : application_.image_lists) {
    const auto count = std::ssize(deck_.get<std::vector<std::string>>(list.key));
    deck = deck.with(list.key, std::vector<std::string>(listed, listed + count), deck_.location(list.key));
    listed += count;
  }
  return deck;
}

io::ImageInfo StreamItems::inspect(const RunSetup& first, const std::string& path) const {
  const io::ImageInfo info = inspect_in_series(deck_, path);
  const std::string text =
      difference_text("the image of " + path, info, items_.front().input, *first.inputs.image());
  if (!text.empty())
    throw InputError(text + ", or write program.allocation=whole, with which images may differ");
  return info;
}

/// Looks at the headers of all files. `good` gets the images that are not left out.
void StreamItems::look_at_all(const RunSetup& first, std::vector<SeriesItem>& good) {
  numbers_.clear();
  for (std::int64_t number = 0; number < count(); ++number) {
    const SeriesItem& one = item(number);
    try {
      static_cast<void>(inspect(first, one.input));
      for (const std::string& file : one.listed) static_cast<void>(inspect(first, file));
      good.push_back(one);
      numbers_.push_back(number);
    } catch (const InputError& error) {
      if (deck_.text_of("on_error") != "skip") throw;
      left_out_.push_back({number, error.what()});
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
    return io::open_image(MPI_COMM_SELF, deck_.get<std::string>(further->keys() + ".file"),
                          *first.inputs.image(input));
  }
  const auto place = static_cast<std::size_t>(found - inputs_.begin());
  const std::string& path = place == 0 ? item(number).input : item(number).listed[place - 1];
  return io::open_image(MPI_COMM_SELF, path, inspect(first, path));
}

std::unique_ptr<BlockSink> StreamItems::create(MPI_Comm communicator, std::int64_t number,
                                               const ArrayDeclaration& result,
                                               const std::vector<io::FileAttribute>& attributes) const {
  return create_result(communicator, deck_, item(number), application_.output, result.type, result.domain,
                       inputs_, {{}, attributes});
}

}  // namespace tessera::app
