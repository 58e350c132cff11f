// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/series_images.hpp"

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/app/detail/written_files.hpp"
#include "tessera/app/finite_images.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::app {

SharedImages::Points::Points(ElementType type, const Box& box)
    : type_(type), box_(box), bytes_(static_cast<std::size_t>(box.size()) * size_of(type)) {}

void SharedImages::Points::read(const HostBlock& to) { copy_part(block(), to, to.box); }

HostBlock SharedImages::Points::block() { return packed_block(bytes_.data(), type_, box_); }

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

namespace {

SeriesImage image_in(std::int64_t index, std::shared_ptr<const SeriesPlan> plan,
                     graph::Lease<graph::Image> memory) {
  SeriesImage image{index, std::move(plan), {}};
  image.images.push_back(std::move(memory));
  return image;
}

}  // namespace

SeriesImage input_image(std::int64_t index, std::shared_ptr<const SeriesPlan> plan,
                        graph::Lease<graph::Image> memory) {
  memory->become_input(plan->parts.front().pipeline, plan->needed.front());
  return image_in(index, std::move(plan), std::move(memory));
}

SeriesImage result_image(std::int64_t index, std::shared_ptr<const SeriesPlan> plan,
                         graph::Lease<graph::Image> memory) {
  memory->become_output(plan->parts.back().pipeline);
  return image_in(index, std::move(plan), std::move(memory));
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

SeriesImage SeriesImages::read(const std::string& path, std::int64_t index, graph::Lease<graph::Image> to) {
  const io::ImageInfo info = inspect(0, path);
  SeriesImage image = input_image(index, plan_for(path, info), std::move(to));
  open_in_series(application_, deck_, 0, path, info)->read(image.last().points());
  return image;
}

void SeriesImages::check_alike(const std::string& path, const io::ImageInfo& image, const std::string& first,
                               const io::ImageInfo& first_image) {
  const std::string text = difference_text("the image of " + path, image, first, first_image);
  if (!text.empty()) throw InputError(text);
}

SeriesImage SeriesImages::read_listed(const std::string& path, const std::string& first, SeriesImage image,
                                      graph::Lease<graph::Image> to) const {
  const std::size_t place = image.images.size();
  const io::ImageInfo info = inspect(place, path);
  const HostBlock like = image.images.front()->points();
  check_alike(path, info, first, {.type = like.type, .domain = like.box});
  const HostBlock points = add_input(image, std::move(to));
  open_in_series(application_, deck_, place, path, info)->read(points);
  return image;
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
