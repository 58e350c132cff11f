// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/common_items.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/series.hpp"
#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/detail/series_images.hpp"
#include "tessera/app/detail/series_keys.hpp"
#include "tessera/app/detail/series_records.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/io/video.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// The files of a series.
class CommonFiles final : public CommonItems {
 public:
  CommonFiles(Session& session, const PipelineApplication& application, const deck::Deck& deck)
      : session_(session),
        application_(application),
        deck_(deck),
        names_(input_names(application, deck)),
        ledger_(application, deck, shared_files(application, deck)) {
    std::vector<SeriesItem> items;
    collectively(session.communicator(), [&] {
      if (session.rank() != 0) return;
      items = series_items(deck, shared_files(application, deck), listed_inputs(application, deck));
      ledger_.leave_out_whole(items);
    });
    items_ = broadcast(session.communicator(), items);
  }

  std::int64_t count() const override { return std::ssize(items_); }
  std::vector<std::string> files() const override { return files_of(items_); }
  std::string remark() const override { return ledger_.remark(); }

  bool next() override {
    inputs_.reset();
    return ++number_ < count();
  }
  std::string name() const override { return item().input; }
  bool may_skip() const override { return true; }
  deck::Deck deck() const override { return deck_of_item(application_, deck_, item()); }
  ImageInputs& inputs() override {
    if (!inputs_) inputs_.emplace(session_.communicator(), application_, deck());
    return *inputs_;
  }
  std::unique_ptr<BlockSink> create(const ArrayDeclaration& result,
                                    std::function<io::FileNotes()> notes) override {
    collectively(session_.communicator(), [&] {
      if (session_.rank() != 0) return;
      make_folder_of(deck_, "output.files", item().output);
      if (!std::exchange(has_begun_, true)) ledger_.begin(items_);
    });
    return create_result(session_.communicator(), deck_, item(), result.name, result.type, result.domain,
                         names_, std::move(notes));
  }
  void wrote() override {
    if (session_.rank() == 0) ledger_.add(item());
  }
  void finish(bool is_stopped) override {
    if (!is_stopped && session_.rank() == 0) ledger_.finish(items_);
  }

 private:
  const SeriesItem& item() const { return items_[static_cast<std::size_t>(number_)]; }

  Session& session_;
  const PipelineApplication& application_;
  const deck::Deck& deck_;
  std::vector<std::string> names_;
  SeriesLedger ledger_;
  std::vector<SeriesItem> items_;
  std::int64_t number_ = -1;
  std::optional<ImageInputs> inputs_;
  bool has_begun_ = false;
};

/// The frames of a video.
class CommonFrames final : public CommonItems {
 public:
  CommonFrames(Session& session, const PipelineApplication& application, const deck::Deck& deck)
      : session_(session),
        application_(application),
        deck_(deck),
        given_{"input.video", deck.get<std::string>("input.video"), {}},
        output_(deck.get<std::string>("output.video")) {
    std::unique_ptr<io::VideoReader> reader;
    const ImageInputs shared(session.communicator(), application, deck);
    collectively(session.communicator(), [&] {
      if (session.rank() == 0) reader = opened(shared);
    });
    given_.info = io::broadcast(session.communicator(), given_.info);
    inputs_.emplace(session.communicator(), application, deck, &given_);
    frames_.emplace(session.communicator(), given_.path, std::move(reader), given_.info);
  }

  std::int64_t count() const override { return count_; }
  std::vector<std::string> files() const override { return {given_.path, output_}; }

  bool next() override {
    ++number_;
    return frames_->next();
  }
  std::string name() const override { return fmt::format("{}: frame {}", given_.path, number_); }
  bool may_skip() const override { return false; }
  deck::Deck deck() const override { return deck_; }
  const GivenImage* given() const override { return &given_; }
  ImageInputs& inputs() override { return *inputs_; }
  void open(Bindings& bindings) override {
    inputs_->open(bindings);
    source_ = frames_->open();
    bindings.sources.emplace("input", source_.get());
  }
  std::unique_ptr<BlockSink> create(const ArrayDeclaration& result, std::function<io::FileNotes()>) override {
    collectively(session_.communicator(), [&] {
      if (session_.rank() != 0 || writer_ != nullptr) return;
      make_folder_of(deck_, "output.video", output_);
      io::remove_abandoned_files({output_});
      writer_ = std::make_unique<io::VideoWriter>(output_, result.domain, result.type, rate_);
    });
    return io::create_frame(session_.communicator(), output_, writer_.get(), result.domain, result.type);
  }
  void finish(bool) override {
    collectively(session_.communicator(), [&] {
      if (writer_ != nullptr) writer_->finish();
    });
  }

 private:
  /// Opens the video in a colour that the program accepts. Called on rank 0 only.
  std::unique_ptr<io::VideoReader> opened(const ImageInputs& shared) {
    std::vector<std::string> taken{given_.path};
    for (const NamedFile& file : shared.files()) taken.push_back(file.path);
    check_names(taken, {{"output.video", output_}});
    auto reader = open_video(given_.path, [&](const io::ImageInfo& info) {
      asked_pipeline(application_, deck_, &info, shared.different());
    });
    given_.info = info_of(*reader);
    count_ = reader->info().frames;
    rate_ = rate_of(*reader);
    return reader;
  }

  Session& session_;
  const PipelineApplication& application_;
  const deck::Deck& deck_;
  GivenImage given_;
  std::string output_;
  std::int64_t count_ = -1;
  io::FrameRate rate_;
  std::optional<ImageInputs> inputs_;
  std::optional<io::VideoFrames> frames_;
  std::unique_ptr<BlockSource> source_;
  std::unique_ptr<io::VideoWriter> writer_;
  std::int64_t number_ = -1;
};

}  // namespace

std::unique_ptr<CommonItems> common_items(Session& session, const PipelineApplication& application,
                                          const deck::Deck& deck) {
  if (is_video(deck)) return std::make_unique<CommonFrames>(session, application, deck);
  return std::make_unique<CommonFiles>(session, application, deck);
}

}  // namespace tessera::app
