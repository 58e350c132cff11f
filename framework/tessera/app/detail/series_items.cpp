// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

/// Returns the path of the ledger. It lies in the folder that the pattern of results names before its first
/// placeholder.
std::string ledger_path(const std::string& program, const std::string& pattern) {
  const auto folder = std::filesystem::path(pattern.substr(0, pattern.find('{'))).parent_path();
  return ((folder.empty() ? "." : folder) / ("." + program + ".ledger")).string();
}

std::vector<std::string> paths_of(const std::vector<NamedFile>& files) {
  std::vector<std::string> paths;
  for (const NamedFile& file : files) paths.push_back(file.path);
  return paths;
}

io::ImageInfo info_of(const io::VideoReader& reader) {
  return {.type = reader.info().type, .domain = reader.info().domain};
}

/// Returns the frame rate that the deck gives, in thousandths, or the usual one.
io::FrameRate rate_of(const deck::Deck& deck) {
  if (!is_given(deck, "output.frame_rate")) return {};
  constexpr std::int64_t parts = 1000;
  const std::int64_t rate = std::llround(deck.get<double>("output.frame_rate") * static_cast<double>(parts));
  const std::int64_t common = std::gcd(rate, parts);
  return {rate / common, parts / common};
}

/// Makes the folder of a result if it is missing.
void make_folder_of(const deck::Deck& deck, const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    deck.fail(series_output_key(deck),
              fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
}

/// Creates the output file of `item`, in the format of its ending, for the array `result`. HDF5 files hold
/// what `notes` returns when the result has been written, and the names of the files that were read. `inputs`
/// are the names of the images in the pipeline. Collective over `communicator`.
std::unique_ptr<BlockSink> create_result(MPI_Comm communicator, const deck::Deck& deck,
                                         const SeriesItem& item, const ArrayDeclaration& result,
                                         const std::vector<std::string>& inputs,
                                         std::function<io::FileNotes()> notes) {
  const std::string& path = item.output;
  const std::string key = output_key_of(path);
  if (key != "output.file")
    return io::create_image(communicator, format_of_key(key), path, result.domain, result.type);
  const auto all = [notes = std::move(notes), item, inputs] {
    io::FileNotes noted = notes();
    const std::vector<std::string> files = item.files();
    for (std::size_t i = 0; i < files.size(); ++i) noted.attributes.push_back({inputs[i], files[i]});
    return noted;
  };
  const io::FileArray array{result.name, result.type, result.domain};
  return std::move(io::create_hdf5(communicator, path, {array}, hdf5_storage(deck), all).front());
}

/// A frame of the video of the results. Its errors are kept in `error`.
class ResultFrame final : public BlockSink {
 public:
  ResultFrame(std::unique_ptr<BlockSink> sink, std::string& error) : sink_(std::move(sink)), error_(error) {}

  void write(const HostBlock& block) override {
    keeping_error(error_, [&] { sink_->write(block); });
  }
  void write_part(const HostBlock& block, const Box& part) override {
    keeping_error(error_, [&] { sink_->write_part(block, part); });
  }

 private:
  std::unique_ptr<BlockSink> sink_;
  std::string& error_;
};

}  // namespace

std::string ledger_key(const SeriesItem& item) {
  return fmt::format("{:016x} {}", item.made_from, Ledger::state_of({item.output}));
}

std::int64_t leave_out_whole(const Ledger& ledger, std::vector<SeriesItem>& items) {
  for (SeriesItem& item : items) item.made_from = io::text_digest(Ledger::state_of(item.files()));
  const auto lines = ledger.items();
  if (lines.empty()) return 0;
  const auto is_whole = [&](const SeriesItem& item) { return lines.contains(ledger_key(item)); };
  const auto last = std::find_if(items.rbegin(), items.rend(), is_whole);
  if (last == items.rend()) return 0;
  const SeriesItem stays = *last;
  return static_cast<std::int64_t>(
      std::erase_if(items, [&](const SeriesItem& item) { return is_whole(item) && item != stays; }));
}

AcceptImage accepting(Session& session, const PipelineApplication& application, const deck::Deck& deck) {
  std::map<std::string, io::ImageInfo> different;
  if (reads_video(deck)) different = ImageInputs(session.communicator(), application, deck).different();
  return [&, different](const io::ImageInfo& info) { asked_pipeline(application, deck, &info, different); };
}

std::unique_ptr<io::VideoReader> open_video(const std::string& path, const AcceptImage& accept) {
  auto reader = io::open_video(path);
  try {
    accept(info_of(*reader));
    return reader;
  } catch (const InputError&) {
    if (reader->info().domain.dimensions == 2) throw;
    const auto colour_error = std::current_exception();
    try {
      reader = io::open_video(path, io::VideoColour::grey);
      accept(info_of(*reader));
      return reader;
    } catch (const InputError&) {
      std::rethrow_exception(colour_error);
    }
  }
}

SeriesItems::SeriesItems(Session& session, const PipelineApplication& application, const deck::Deck& deck,
                         const AcceptImage& accept)
    : session_(session),
      application_(application),
      deck_(deck),
      names_(input_names(application, deck)),
      shared_(shared_files(application, deck)),
      rate_(rate_of(deck)) {
  const MPI_Comm communicator = session.communicator();
  if (app::reads_video(deck))
    frame_ = GivenImage{series_input_key(deck), deck.get<std::string>(series_input_key(deck)), {}};
  else if (!writes_video())
    ledger_.emplace(ledger_path(application.program, series_output(deck)), deck, paths_of(shared_));
  collectively(communicator, [&] {
    if (session.rank() != 0) return;
    if (reads_video()) return open(accept);
    items_ = series_items(deck, shared_, listed_inputs(application, deck));
    if (ledger_) left_out_ = leave_out_whole(*ledger_, items_);
  });
  if (reads_video()) {
    frame_->info = io::broadcast(communicator, frame_->info);
    rate_ = graph::broadcast(communicator, rate_);
  } else {
    items_ = graph::broadcast(communicator, items_);
    count_ = std::ssize(items_);
  }
}

void SeriesItems::open(const AcceptImage& accept) {
  if (writes_video()) {
    check_names(joined(paths_of(shared_), {frame_->path}),
                {{series_output_key(deck_), series_output(deck_)}});
  } else {
    check_frame_item(deck_, item(0), shared_);
  }
  reader_ = open_video(frame_->path, accept);
  frame_->info = info_of(*reader_);
  if (reader_->info().rate.numerator > 0) rate_ = reader_->info().rate;
  count_ = reader_->info().frames;
  // Each frame goes with the next one if the pipeline reads two images.
  if (count_ > 0 && names_.size() > 1) --count_;
}

std::vector<std::string> SeriesItems::files() const {
  std::vector<std::string> files = joined(results(), paths_of(shared_));
  for (const SeriesItem& item : items_) files = joined(std::move(files), item.files());
  if (reads_video()) files.push_back(frame_->path);
  if (writes_video()) files.push_back(series_output(deck_));
  return files;
}

void SeriesItems::say_start(Progress& progress, const std::string& how) const {
  progress.line(fmt::format("{} on {} images, {}", application_.program, count_text(), how));
  if (left_out_ > 0) progress.line(ledger_->remark(left_out_, "result"));
}

io::ImageInfo SeriesItems::inspect(const SeriesItem& item, const LookAtFile& look) const {
  io::ImageInfo first;
  const std::vector<std::string> files = item.files();
  for (std::size_t place = 0; place < files.size(); ++place) {
    const io::ImageInfo info = inspect_in_series(application_, deck_, place, files[place]);
    if (place == 0)
      first = info;
    else
      check_alike(files[place], info, item.input, first);
    look(place, files[place], info);
  }
  return first;
}

std::vector<ImageLine> SeriesItems::left_out_by(const std::function<void(std::int64_t)>& look) const {
  std::vector<ImageLine> left_out;
  for (std::int64_t index = 0; index < count_; ++index) {
    try {
      look(index);
    } catch (const InputError& error) {
      if (!skips()) throw;
      left_out.push_back({index, line_about(item(index).input, error.what())});
    }
  }
  return left_out;
}

graph::Lease<graph::PackedImage> SeriesItems::next_frame() {
  const io::ImageInfo& info = frame_->info;
  graph::PackedImage frame;
  frame.samples.resize(static_cast<std::size_t>(info.domain.size()) * size_of(info.type));
  if (!reader_->read(packed_block(frame.samples.data(), info.type, info.domain))) return {};
  return graph::Lease<graph::PackedImage>::of(std::move(frame));
}

std::unique_ptr<io::VideoFrames> SeriesItems::common_frames() {
  return std::make_unique<io::VideoFrames>(session_.communicator(), frame_->path, std::move(reader_),
                                           frame_->info);
}

void SeriesItems::expect(const SeriesItem& item, const ArrayDeclaration& result) {
  if (!writes_video()) return;
  const io::ImageInfo info{.type = result.type, .domain = result.domain};
  if (!result_) result_ = info;
  const std::string text =
      difference_text(item.input + ": the result", info, "the other frames of " + item.output, *result_);
  if (!text.empty()) throw InputError(text);
}

std::unique_ptr<io::VideoWriter> SeriesItems::created_video() const {
  const std::string path = series_output(deck_);
  if (!result_) deck_.fail(series_input_key(deck_), "there is no image that can be read: name others");
  make_folder_of(deck_, path);
  io::remove_abandoned_files({path});
  return io::create_video(path, result_->domain, result_->type, rate_);
}

void SeriesItems::begin(bool makes_video) {
  if (has_begun_) return;
  const MPI_Comm communicator = session_.communicator();
  if (writes_video() && makes_video) {
    keeping_error(video_error_, [&] {
      collectively(communicator, [&] {
        if (session_.rank() == 0) writer_ = created_video();
      });
    });
    result_ = io::broadcast(communicator, result_.value_or(io::ImageInfo()));
  }
  collectively(communicator, [&] {
    if (session_.rank() != 0 || writes_video()) return;
    for (const SeriesItem& item : items_) make_folder_of(deck_, item.output);
    if (ledger_) ledger_->begin(results());
  });
  has_begun_ = true;
}

std::unique_ptr<BlockSink> SeriesItems::create(MPI_Comm communicator, const SeriesItem& item,
                                               const ArrayDeclaration& result,
                                               std::function<io::FileNotes()> notes) {
  // Several threads may create files for this rank alone, so MPI is not called for MPI_COMM_SELF.
  const bool is_first = communicator == MPI_COMM_SELF || rank_in(communicator) == 0;
  collectively(communicator, [&] {
    if (!is_first) return;
    if (reads_video() && !writes_video()) {
      check_frame_item(deck_, item, shared_);
      make_folder_of(deck_, item.output);
    }
    expect(item, result);
    if (writes_video() && writer_ == nullptr)
      writer_ = keeping_error(video_error_, [this] { return created_video(); });
  });
  if (writes_video())
    return keeping_error(video_error_, [&] {
      return std::make_unique<ResultFrame>(
          io::create_frame(communicator, item.output, writer_.get(), result.domain, result.type),
          video_error_);
    });
  return create_result(communicator, deck_, item, result, names_, std::move(notes));
}

void SeriesItems::write_frame(graph::PackedImage frame) {
  writer_->write(packed_block(frame.samples.data(), result_->type, result_->domain));
}

std::vector<std::string> SeriesItems::results() const {
  std::vector<std::string> results;
  for (const SeriesItem& item : items_) results.push_back(item.output);
  return results;
}

std::vector<std::string> SeriesItems::results_of_frames() const {
  // The number of frames is known of some videos only, and may be an estimate.
  std::vector<std::string> results{item(0).output};
  while (std::ssize(results) < count_ || std::filesystem::exists(results.back()))
    results.push_back(item(std::ssize(results)).output);
  return results;
}

void SeriesItems::end(bool is_stopped) {
  collectively(session_.communicator(), [&] {
    if (writer_ != nullptr && writer_->frames() > 0) writer_->finish();
    if (session_.rank() != 0) return;
    if (ledger_ && !is_stopped) ledger_->finish(results());
    if (reads_video() && !writes_video()) io::remove_abandoned_files(results_of_frames());
  });
  writer_.reset();
}

}  // namespace tessera::app
