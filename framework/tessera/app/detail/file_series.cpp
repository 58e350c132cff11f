// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series.hpp"

#include <algorithm>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/detail/series_records.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {
namespace {

class FileSeries final : public Series {
 public:
  FileSeries(const SeriesContext& context, std::vector<SeriesItem> items, SeriesLedger ledger)
      : context_(context), items_(std::move(items)), ledger_(std::move(ledger)) {}

  std::int64_t count() const override { return std::ssize(items_); }
  std::string check() override;
  void add_tasks(graph::Graph& graph) override;
  void begin() override {
    collectively(context_.session.communicator(), [&] {
      if (context_.session.rank() != 0) return;
      for (const SeriesItem& item : items_) make_folder_of(context_.deck, "output.files", item.output);
      ledger_.begin(items_);
    });
  }
  void end() override {
    // A signal has stopped all ranks, or none.
    int stopped = context_.is_stopped() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &stopped, 1, MPI_INT, MPI_MAX, context_.session.communicator());
    if (stopped == 0 && context_.session.rank() == 0) ledger_.finish(items_);
  }
  std::string remark() const override { return ledger_.remark(); }
  std::int64_t index_of(std::int64_t ordinal) const override {
    return ordinal * context_.session.rank_count() + context_.session.rank();
  }
  std::string file_of(std::int64_t index) const override { return item(index).input; }
  std::vector<std::string> files() const override { return files_of(items_); }

 private:
  const SeriesItem& item(std::int64_t index) const { return items_[static_cast<std::size_t>(index)]; }

  const SeriesContext& context_;
  std::vector<SeriesItem> items_;
  SeriesLedger ledger_;
};

std::string FileSeries::check() {
  std::vector<ImageLine> left_out;
  collectively(context_.session.communicator(), [&] {
    if (context_.session.rank() != 0) return;
    for (std::int64_t index = 0; index < count(); ++index) {
      const SeriesItem& one = item(index);
      try {
        const io::ImageInfo info = context_.images.inspect(0, one.input);
        context_.images.plan_for(one.input, info);
        for (std::size_t i = 0; i < one.listed.size(); ++i)
          SeriesImages::check_alike(one.listed[i], context_.images.inspect(i + 1, one.listed[i]), one.input,
                                    info);
      } catch (const InputError& error) {
        if (context_.on_error() == graph::OnError::stop) throw;
        left_out.push_back({index, line_about(one.input, error.what())});
      }
    }
  });
  return checked_text(left_out, count() - std::ssize(left_out), items_.front().output, items_.back().output);
}

/// Files of some formats, such as HDF5, are read and written on one thread, since their libraries are not
/// made for several.
void FileSeries::add_tasks(graph::Graph& graph) {
  using graph::Lease, graph::Image, graph::Place;
  const auto needs_one_thread = [](const SeriesItem& one) {
    const auto is_such = [](const std::string& file) {
      const auto format = io::image_format(file);
      return format && io::format_of(*format).traits.needs_one_thread;
    };
    return is_such(one.input) || std::ranges::any_of(one.listed, is_such);
  };
  const auto is_hdf5 = [](const SeriesItem& one) { return output_key_of(one.output) == "output.file"; };
  const auto place = [this](const char* key, bool on_one) {
    if (on_one && context_.deck.is_set(key) && context_.deck.text_of(key) == "threads")
      context_.deck.fail(key,
                         "HDF5 and FITS files are read and written by one thread: say io, or leave it out");
    return on_one ? Place::io() : Place::threads();
  };
  const graph::Pool<Image> pool = add_images(context_, graph);
  const auto files = graph.source("list", {.rank = graph::Task::every_rank}, [this](std::int64_t i) {
    const std::int64_t index = index_of(i);
    return index < count() && !context_.is_stopped() ? std::optional(index) : std::nullopt;
  });
  const graph::Task reading{.on = place("graph.read.on", std::ranges::any_of(items_, needs_one_thread)),
                            .on_error = context_.on_error()};
  auto read = graph.task(
      "read", reading,
      [this](std::int64_t index, Lease<Image> to) {
        return context_.images.read(item(index).input, index, std::move(to));
      },
      files, pool);
  const std::vector<std::string> names = input_names(context_.application, context_.deck);
  for (std::size_t i = 1; i < names.size(); ++i)
    read = graph.task(
        reading_task(names[i]), reading,
        [this, i](SeriesImage image, Lease<Image> to) {
          const SeriesItem& one = item(image.index);
          return context_.images.read_listed(one.listed[i - 1], one.input, std::move(image), std::move(to));
        },
        read, pool);
  graph.sink(
      "write",
      {.on = place("graph.write.on", std::ranges::any_of(items_, is_hdf5)),
       .workers = context_.threads,
       .on_error = context_.on_error()},
      [this](const SeriesImage& image) {
        context_.images.write(item(image.index), image);
        ledger_.add(item(image.index));
        context_.wrote(image);
      },
      add_computation(context_, graph, read, pool));
}

}  // namespace

std::unique_ptr<Series> file_series(const SeriesContext& context) {
  std::vector<SeriesItem> items;
  SeriesLedger ledger(context.application, context.deck, context.shared.inputs().files());
  collectively(context.session.communicator(), [&] {
    if (context.session.rank() != 0) return;
    items = series_items(context.deck, context.shared.inputs().files(),
                         listed_inputs(context.application, context.deck));
    ledger.leave_out_whole(items);
  });
  return std::make_unique<FileSeries>(context, broadcast(context.session.communicator(), items),
                                      std::move(ledger));
}

}  // namespace tessera::app
