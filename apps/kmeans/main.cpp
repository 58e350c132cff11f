// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <map>
#include <string>

#include "pipeline.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/domain/text.hpp"

namespace {

using namespace tessera;

/// Returns whether the points are the rows of a data set, and not the pixels of a picture.
bool are_points_rows(const io::ImageInfo& image, const deck::Deck& deck) {
  const std::string& kind = deck.get<std::string>("points");
  if (kind != "auto") return kind == "rows";
  return image.domain.dimensions == 2 &&
         (image.format == io::ImageFormat::hdf5 || image.format == io::ImageFormat::raw);
}

/// Returns the settings of a deck, without given centres and names of files. Throws InputError if there are
/// too many clusters.
kmeans::Task task_of(const deck::Deck& deck, ElementType type, const kmeans::Layout& layout) {
  const std::int64_t points = layout.points.size();
  kmeans::Task task{.clusters = static_cast<int>(deck.get<std::int64_t>("clusters")),
                    .seed = deck.get<std::int64_t>("seed"),
                    .turns = deck.get<std::int64_t>("turns"),
                    .tolerance = deck.get<double>("tolerance"),
                    .bounds = deck.get<std::string>("bounds") == "hamerly" ? kmeans::Bounds::hamerly
                                                                           : kmeans::Bounds::none};
  if (task.clusters > points)
    deck.fail("clusters", fmt::format("there {} only {}: give at most that many", points == 1 ? "is" : "are",
                                      counted(points, "point")));
  const std::int64_t most = kmeans::most_clusters(type, points, layout.dimensions);
  if (task.clusters > most)
    deck.fail("clusters",
              fmt::format("the sums of {} of {} take 2 GiB or more: give at most {}",
                          counted(task.clusters, "cluster"), counted(layout.dimensions, "coordinate"), most));
  return task;
}

/// Returns the pipeline for an image of points. `further` has the image `start` if a file gives the first
/// centres. Throws InputError if an image does not fit the deck.
Pipeline build(const io::ImageInfo& image, const std::map<std::string, io::ImageInfo>& further,
               const deck::Deck& deck) {
  const bool are_rows = are_points_rows(image, deck);
  if (are_rows)
    app::check_image(image, deck, {.types = {ElementType::float32, ElementType::float64}, .planes = 0});
  else
    app::check_image(image, deck, {.types = {ElementType::uint8, ElementType::uint16}});
  const auto layout = kmeans::Layout::of(image.domain, are_rows);
  kmeans::Task task = task_of(deck, image.type, layout);
  task.points_file = deck.text_of("input.file");
  if (const auto start = further.find("start"); start != further.end()) {
    const io::ImageInfo& centres = start->second;
    if (!(centres.domain == Box{{0, layout.dimensions}, {0, task.clusters}}) ||
        (centres.type != ElementType::float32 && centres.type != ElementType::float64))
      deck.fail(
          "input.centres",
          fmt::format("the centres are {} of {}: give {} rows of {} coordinates of float32 or float64",
                      to_string(centres.domain), name_of(centres.type), task.clusters, layout.dimensions));
    task.given = centres.type;
    task.centres_file = deck.text_of("input.centres");
  }
  return are_rows ? kmeans::rows_pipeline(image.type, image.domain, task)
                  : kmeans::pixels_pipeline(image.type, image.domain, task);
}

const std::vector<deck::KeyDeclaration> parameters = {
    {.name = "clusters",
     .type = deck::ValueType::integer,
     .group = "Clusters",
     .help = "How many clusters",
     .default_text = "8",
     .minimum = 1,
     .maximum = 1 << 20},
    {.name = "points",
     .type = deck::ValueType::choice,
     .group = "Clusters",
     .help = "Whether a point is a row of a data set, or a pixel of a picture with its channels as "
             "coordinates; auto: rows of HDF5 and raw files of two dimensions, pixels of all others",
     .default_text = "auto",
     .choices = {"auto", "rows", "pixels"}},
    {.name = "bounds",
     .type = deck::ValueType::choice,
     .group = "Clusters",
     .help =
         "Which bounds of distances show that a point keeps its centre, so that it is not searched: none, "
         "or those of Hamerly, which take 16 bytes per point. The results are the same",
     .default_text = "none",
     .choices = {"none", "hamerly"}},
    {.name = "seed",
     .type = deck::ValueType::integer,
     .group = "Clusters",
     .help = "Chooses the first centres, which k-means++ takes at random unless input.centres has them",
     .default_text = "1",
     .minimum = 0},
    {.name = "turns",
     .type = deck::ValueType::integer,
     .group = "Clusters",
     .help = "How many turns at most",
     .default_text = "300",
     .minimum = 1,
     .maximum = 1 << 30},
    {.name = "tolerance",
     .type = deck::ValueType::real,
     .group = "Clusters",
     .help = "The turns end when no centre moves by more than this; 0: when all centres stand still",
     .default_text = "0",
     .minimum = 0}};

/// Returns pipelines for rows and for pixels, with and without given centres and bounds, as a deck may name
/// stages of any of them.
std::vector<Pipeline> samples(const io::ImageInfo&, const deck::Deck&) {
  kmeans::Task task{.clusters = 2};
  std::vector<Pipeline> pipelines;
  for (const auto bounds : {kmeans::Bounds::none, kmeans::Bounds::hamerly}) {
    task.bounds = bounds;
    for (const auto& given : {std::optional<ElementType>(), std::optional(ElementType::float32)}) {
      task.given = given;
      pipelines.push_back(kmeans::pixels_pipeline(ElementType::uint8, {{0, 8}, {0, 8}}, task));
      pipelines.push_back(kmeans::rows_pipeline(ElementType::float32, {{0, 2}, {0, 8}}, task));
    }
  }
  return pipelines;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_pipeline_application(
      argc, argv,
      {.program = "tessera-kmeans",
       .summary = "Divides points into clusters around means, and pictures into few colours.",
       .written_stages = {"labels", "centres", "counts", "inertia"},
       .further_images = {{.name = "start",
                           .help = "The first centres, a row for each",
                           .block = "centres",
                           .key = "input.centres",
                           .may_differ = true}},
       .may_end_by_turns = true,
       .parameters = parameters,
       .samples = samples,
       .turn_limits = {"turns"},
       .build = [](const io::ImageInfo& image, const deck::Deck& deck) { return build(image, {}, deck); },
       .build_with = build});
}
