// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stream_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/image_inputs.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Tells the items of a series that a result is whole when its block has been written.
class NotingSink final : public BlockSink {
 public:
  NotingSink(const SeriesItems& items, SeriesItem item, std::unique_ptr<BlockSink> sink)
      : items_(items), item_(std::move(item)), sink_(std::move(sink)) {}

  void write(const HostBlock& block) override {
    sink_->write(block);
    items_.wrote(item_);
  }

 private:
  const SeriesItems& items_;
  SeriesItem item_;
  std::unique_ptr<BlockSink> sink_;
};

}  // namespace

StreamItems::StreamItems(Session& session, const PipelineApplication& application, const deck::Deck& deck)
    : session_(session),
      application_(application),
      deck_(deck),
      items_(session, application, deck, accepting(session, application, deck)) {
  if (items_.reads_video()) return;
  numbers_.resize(static_cast<std::size_t>(items_.count()));
  std::iota(numbers_.begin(), numbers_.end(), 0);
  collectively(session.communicator(), [&] {
    if (session.rank() == 0) look_at_files();
  });
  numbers_ = graph::broadcast(session.communicator(), numbers_);
}

void StreamItems::look_at_files() {
  std::vector<std::int64_t> good;
  io::ImageInfo first;
  for (const std::int64_t number : numbers_) {
    const SeriesItem one = items_.item(number);
    try {
      const io::ImageInfo info = inspected(one, good.empty());
      if (good.empty()) first = info;
      const std::string text = good.empty() ? ""
                                            : difference_text("the image of " + one.input, info,
                                                              items_.item(good.front()).input, first);
      if (!text.empty())
        throw InputError(text + ", or write program.allocation=whole, with which images may differ");
      good.push_back(number);
    } catch (const InputError& error) {
      if (fault_.empty()) fault_ = error.what();
      if (!skips()) return;
      left_out_.push_back({number, app::line_about(one.input, error.what())});
    }
  }
  // The error about the first image ends the program if there is no other.
  if (good.empty()) return;
  numbers_ = good;
  fault_.clear();
}

io::ImageInfo StreamItems::inspected(const SeriesItem& one, bool is_first) const {
  std::vector<std::string> files{one.input};
  files.insert(files.end(), one.listed.begin(), one.listed.end());
  io::ImageInfo first;
  for (std::size_t place = 0; place < files.size(); ++place) {
    const io::ImageInfo info = inspect_in_series(application_, deck_, place, files[place]);
    if (place == 0) first = info;
    // Listed images must be like that of the series in any case, and are like the first one if that is.
    if (place > 0) SeriesImages::check_alike(files[place], info, one.input, first);
    if (is_first && skips() && application_.needs_finite_images)
      check_finite(deck_, input_key_of(application_, deck_, place), files[place],
                   first_not_finite(MPI_COMM_SELF, files[place], info));
  }
  return first;
}

void StreamItems::check() const {
  collectively(session_.communicator(), [&] {
    if (!fault_.empty()) throw InputError(fault_);
  });
}

deck::Deck StreamItems::deck_of_first() const {
  return items_.reads_video() ? deck_ : deck_of_item(application_, deck_, item(0));
}

std::string StreamItems::line_about(std::int64_t number, const std::string& reason) const {
  const bool is_named = items_.reads_video() && reason.starts_with(items_.frame()->path);
  return is_named ? reason : app::line_about(item(number).input, reason);
}

std::string StreamItems::checked_text() const {
  if (!items_.reads_video())
    return app::checked_text(left_out_, count(), item(0).output, item(count() - 1).output);
  return fmt::format("{} images like {} would become {}\n", items_.count_text(), item(0).input,
                     item(0).output);
}

std::unique_ptr<BlockSource> StreamItems::open_frame(std::int64_t number) {
  const GivenImage& frame = *items_.frame();
  if (!frames_) {
    // The file may have been written anew since its header was looked at.
    auto reader = open_video(frame.path, [&](const io::ImageInfo& info) {
      SeriesImages::check_alike(frame.path, info, item(0).input, frame.info);
    });
    frames_.emplace(MPI_COMM_SELF, frame.path, std::move(reader), frame.info);
  }
  for (; read_ < number; ++read_)
    if (!frames_->next()) {
      read_end_ = std::min(read_end_, number);
      throw InputError(fmt::format("{}: there is no frame {}", frame.path, number));
    }
  return frames_->open();
}

std::unique_ptr<BlockSource> StreamItems::open(const RunSetup& first, std::int64_t number,
                                               const std::string& input) {
  const std::vector<std::string>& names = items_.names();
  const auto found = std::ranges::find(names, input);
  if (found == names.end()) {
    const auto further = std::ranges::find(application_.further_images, input, &FurtherImage::name);
    return io::open_image(MPI_COMM_SELF, deck_.get<std::string>(further->file_key()),
                          *first.inputs.image(input));
  }
  if (items_.reads_video()) return open_frame(number);
  const auto place = static_cast<std::size_t>(found - names.begin());
  const SeriesItem one = item(number);
  const std::string& path = place == 0 ? one.input : one.listed[place - 1];
  const io::ImageInfo info = inspect_in_series(application_, deck_, place, path);
  // The file may have been written anew since its header was looked at.
  SeriesImages::check_alike(path, info, item(0).input, *first.inputs.image());
  return open_in_series(application_, deck_, place, path, info);
}

std::unique_ptr<BlockSink> StreamItems::create(MPI_Comm communicator, std::int64_t number,
                                               const ArrayDeclaration& result,
                                               const std::vector<io::FileAttribute>& attributes) {
  const SeriesItem one = item(number);
  auto sink = items_.create(communicator, one, result, [attributes]() -> io::FileNotes {
    return {{}, attributes};
  });
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  if (rank != 0) return sink;
  return std::make_unique<NotingSink>(items_, one, std::move(sink));
}

}  // namespace tessera::app
