// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_images.hpp"

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

SharedImages::SharedImages(Session& session, const PipelineApplication& application, const deck::Deck& deck)
    : inputs_(session.communicator(), application, deck) {
  Bindings files;
  inputs_.open(files);
  collectively(session.communicator(), [&] {
    for (const auto& file : files.sources) {
      const io::ImageInfo& info = *inputs_.image(file.first);
      images_.emplace(file.first, std::make_unique<Points>(info.type, info.domain));
    }
  });
  for (const auto& [name, points] : images_) files.sources.at(name)->read(points->block());
}

std::int64_t SharedImages::bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [name, points] : images_) bytes += points->bytes();
  return bytes;
}

void SharedImages::bind(Bindings& bindings) const {
  for (const auto& [name, points] : images_) bindings.sources.emplace(name, points.get());
}

HostBlock add_input(SeriesImage& image, graph::Lease<graph::Image> memory) {
  const SeriesPlan& plan = *image.plan;
  const std::size_t place = image.images.size();
  memory->become_array(plan.parts.front().pipeline, plan.inputs[place], plan.needed[place]);
  image.images.push_back(std::move(memory));
  return image.last().points();
}

io::ImageInfo inspect_in_series(const PipelineApplication& application, const deck::Deck& deck,
                                std::size_t place, const std::string& path) {
  const std::string block = place == 0 ? "input" : listed_inputs(application, deck)[place - 1].block;
  io::ImageChoice choice{.dataset = deck.text_of(block + ".dataset")};
  if (const std::string page = block + ".page"; deck.is_set(page))
    choice.page = static_cast<int>(deck.get<std::int64_t>(page));
  return io::inspect_image(path, choice);
}

std::unique_ptr<BlockSource> open_in_series(const PipelineApplication& application, const deck::Deck& deck,
                                            std::size_t place, const std::string& path,
                                            const io::ImageInfo& info) {
  std::unique_ptr<BlockSource> source = io::open_image(MPI_COMM_SELF, path, info);
  return application.needs_finite_images
             ? finite_source(std::move(source), deck, input_key_of(application, deck, place), path)
             : std::move(source);
}

std::unique_ptr<BlockSink> create_result(MPI_Comm communicator, const deck::Deck& deck,
                                         const SeriesItem& item, const std::string& name, ElementType type,
                                         const Box& box, const std::vector<std::string>& inputs,
                                         std::function<io::FileNotes()> notes) {
  const std::string& path = item.output;
  const std::string key = output_key_of(path);
  if (key != "output.file") return io::create_image(communicator, format_of_key(key), path, box, type);
  const auto all = [notes = std::move(notes), item, inputs] {
    io::FileNotes noted = notes();
    noted.attributes.push_back({"input", item.input});
    for (std::size_t i = 0; i < item.listed.size(); ++i)
      noted.attributes.push_back({inputs[i + 1], item.listed[i]});
    return noted;
  };
  return std::move(io::create_hdf5(communicator, path, {{name, type, box}}, hdf5_storage(deck), all).front());
}

SeriesImages::SeriesImages(const PipelineApplication& application, const deck::Deck& deck,
                           const SharedImages& shared, int threads)
    : application_(application), deck_(deck), shared_(shared), threads_(threads) {}

std::shared_ptr<const SeriesPlan> SeriesImages::plan_for(const std::string& path, const io::ImageInfo& info) {
  return plans_.get(info.domain, info.type, [&] {
    SeriesPlan plan = plan_series(application_, deck_.with(application_.input_key, path, path), info,
                                  threads_, shared_.inputs().all());
    const graph::PlannedPipeline& last = *plan.parts.back().pipeline;
    plan.attributes = result_attributes(application_, deck_, last.algorithm, last.output, last.plan);
    return plan;
  });
}

void SeriesImages::check_alike(const std::string& path, const io::ImageInfo& image, const std::string& first,
                               const io::ImageInfo& first_image) {
  const std::string text = difference_text("the image of " + path, image, first, first_image);
  if (!text.empty()) throw InputError(text);
}

void SeriesImages::read(const SeriesItem& item, SeriesImage& image, graph::Lease<graph::Image> to) {
  const std::size_t place = image.images.size();
  const std::string& path = place == 0 ? item.input : item.listed[place - 1];
  const io::ImageInfo info = inspect(place, path);
  if (place == 0) {
    image.plan = plan_for(path, info);
  } else {
    const HostBlock first = image.images.front()->points();
    check_alike(path, info, item.input, {.type = first.type, .domain = first.box});
  }
  open_in_series(application_, deck_, place, path, info)->read(add_input(image, std::move(to)));
}

void SeriesImages::write(const SeriesItem& item, const SeriesImage& image) const {
  const HostBlock points = image.last().points();
  create_result(MPI_COMM_SELF, deck_, item, image.plan->result().name, points.type, points.box,
                image.plan->inputs,
                [&image]() -> io::FileNotes {
                  return {image.history, image.plan->attributes};
                })
      ->write(points);
}

}  // namespace tessera::app
