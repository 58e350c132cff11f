// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/stream_items.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    : SeriesItems(session, application, deck, accepting(session, application, deck)) {
  if (reads_video()) return;
  std::vector<std::int64_t> good;
  collectively(session.communicator(), [&] {
    if (session.rank() == 0) good = good_items();
  });
  good = graph::broadcast(session.communicator(), good);
  // If no image is good, the error about the first one ends the program.
  if (!good.empty()) keep(good);
}

std::vector<std::int64_t> StreamItems::good_items() {
  std::vector<std::int64_t> good;
  io::ImageInfo first;
  const auto look = [&](std::int64_t number) {
    const SeriesItem one = item(number);
    const io::ImageInfo info =
        inspect(one, [&](std::size_t place, const std::string& path, const io::ImageInfo& image) {
          // All ranks read the first image in the run, when it can no longer be left out.
          if (good.empty() && skips() && application_.needs_finite_images)
            check_finite(deck_, input_key_of(application_, deck_, place), path,
                         first_not_finite(MPI_COMM_SELF, path, image));
        });
    if (good.empty()) first = info;
    const std::string text = difference_text("the image of " + one.input, info,
                                             item(good.empty() ? number : good.front()).input, first);
    if (!text.empty())
      throw InputError(text + ", or write program.allocation=whole, with which images may differ");
    good.push_back(number);
  };
  try {
    left_out_ = left_out_by([&](std::int64_t number) { keeping_error(fault_, [&] { look(number); }); });
  } catch (const InputError&) {
    return {};
  }
  if (!good.empty()) fault_.clear();
  return good;
}

void StreamItems::check() const {
  collectively(session_.communicator(), [&] {
    if (!fault_.empty()) throw InputError(fault_);
  });
}

deck::Deck StreamItems::deck_of_first() const {
  return reads_video() ? deck_ : deck_of_item(application_, deck_, item(0));
}

std::string StreamItems::line_about(std::int64_t number, const std::string& reason) const {
  const bool is_named = reads_video() && reason.starts_with(frame()->path);
  return is_named ? reason : app::line_about(item(number).input, reason);
}

std::string StreamItems::checked_text() const {
  if (!reads_video()) return app::checked_text(left_out_, count(), item(0).output, item(count() - 1).output);
  return fmt::format("{} images like {} would become {}\n", count_text(), item(0).input, item(0).output);
}

std::unique_ptr<BlockSource> StreamItems::open_frame(std::int64_t number) {
  const GivenImage& video = *frame();
  if (!frames_) {
    // The file may have been written anew since its header was looked at.
    auto reader = open_video(video.path, [&](const io::ImageInfo& info) {
      check_alike(video.path, info, item(0).input, video.info);
    });
    frames_.emplace(MPI_COMM_SELF, video.path, std::move(reader), video.info);
  }
  for (; read_ < number; ++read_)
    if (!frames_->next()) {
      read_end_ = std::min(read_end_, number);
      throw InputError(fmt::format("{}: there is no frame {}", video.path, number));
    }
  return frames_->open();
}

std::unique_ptr<BlockSource> StreamItems::open(const RunSetup& first, std::int64_t number,
                                               const std::string& input) {
  const auto found = std::ranges::find(names(), input);
  if (found == names().end()) {
    const auto further = std::ranges::find(application_.further_images, input, &FurtherImage::name);
    return io::open_image(MPI_COMM_SELF, deck_.get<std::string>(further->file_key()),
                          *first.inputs.image(input));
  }
  if (reads_video()) return open_frame(number);
  const auto place = static_cast<std::size_t>(found - names().begin());
  const SeriesItem one = item(number);
  const std::string path = one.files()[place];
  const io::ImageInfo info = inspect_in_series(application_, deck_, place, path);
  // The file may have been written anew since its header was looked at.
  check_alike(path, info, item(0).input, *first.inputs.image());
  return open_in_series(application_, deck_, place, path, info);
}

std::unique_ptr<BlockSink> StreamItems::create_result(MPI_Comm communicator, std::int64_t number,
                                                      const ArrayDeclaration& result,
                                                      const std::vector<io::FileAttribute>& attributes) {
  const SeriesItem one = item(number);
  auto sink = SeriesItems::create(communicator, one, result, [attributes]() -> io::FileNotes {
    return {{}, attributes};
  });
  if (rank_in(communicator) != 0) return sink;
  return std::make_unique<NotingSink>(*this, one, std::move(sink));
}

}  // namespace tessera::app
