// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <map>
#include <string>

#include "pipeline.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/domain/text.hpp"

namespace {

using namespace tessera;

/// The number of pixels or rows of an image.
std::int64_t number_of_points(const Box& domain, bool are_rows) {
  return are_rows ? domain[1].size() : domain[0].size() * domain[1].size();
}

/// Whether the points are the rows of a data set, and not the pixels of a picture.
bool has_rows(const io::ImageInfo& image, const deck::Deck& deck) {
  const std::string& points = deck.get<std::string>("points");
  if (points != "auto") return points == "rows";
  return image.domain.dimensions == 2 &&
         (image.format == io::ImageFormat::hdf5 || image.format == io::ImageFormat::raw);
}

/// Returns how distances are computed.
kmeans::Distances distances_of(const deck::Deck& deck, std::int64_t dimensions, std::int64_t clusters) {
  const std::string& asked = deck.get<std::string>("distances");
  if (asked == "gemm" && !kmeans::can_use_gemm())
    deck.fail("distances",
              "this program was built without Kokkos Kernels that call a BLAS of the host: "
              "give 'fused', or build it with them");
  const bool is_better = deck.get<std::string>("bounds") == "none" && kmeans::can_use_gemm() &&
                         kmeans::is_gemm_faster(dimensions, clusters);
  return asked == "gemm" || (asked == "auto" && is_better) ? kmeans::Distances::gemm
                                                           : kmeans::Distances::fused;
}

/// Checks that bounds are not asked for with products of matrices, which take all points.
void check_bounds(const deck::Deck& deck) {
  if (deck.get<std::string>("bounds") != "none" && deck.get<std::string>("distances") == "gemm")
    deck.fail("bounds",
              "products of matrices take all points, and bounds leave most of them out: give 'none', or "
              "distances=fused");
}

kmeans::Task task_of(const deck::Deck& deck, std::int64_t points) {
  kmeans::Task task{.clusters = static_cast<int>(deck.get<std::int64_t>("clusters")),
                    .seed = deck.get<std::int64_t>("seed"),
                    .turns = deck.get<std::int64_t>("turns"),
                    .tolerance = deck.get<double>("tolerance"),
                    .bounds = deck.get<std::string>("bounds") == "hamerly" ? kmeans::Bounds::hamerly
                                                                           : kmeans::Bounds::none};
  if (task.clusters > points)
    deck.fail("clusters", fmt::format("there {} only {}: give at most that many", points == 1 ? "is" : "are",
                                      counted(points, "point")));
  return task;
}

void check_size(const deck::Deck& deck, const kmeans::Task& task, ElementType type, std::int64_t points,
                std::int64_t dimensions) {
  if (const std::int64_t most = kmeans::most_clusters(type, points, dimensions, task.bounds);
      task.clusters > most)
    deck.fail("clusters",
              fmt::format("the sums of {} of {} take 2 GiB or more: give at most {}",
                          counted(task.clusters, "cluster"), counted(dimensions, "coordinate"), most));
}

Pipeline build(const io::ImageInfo& image, const std::map<std::string, io::ImageInfo>& further,
               const deck::Deck& deck) {
  const bool are_rows = has_rows(image, deck);
  if (are_rows)
    app::check_image(image, deck, {.types = {ElementType::float32, ElementType::float64}, .planes = 0});
  else
    app::check_image(image, deck, {.types = {ElementType::uint8, ElementType::uint16}});
  kmeans::Task task = task_of(deck, number_of_points(image.domain, are_rows));
  const std::int64_t dimensions = are_rows                       ? image.domain[0].size()
                                  : image.domain.dimensions == 2 ? 1
                                                                 : image.domain[2].size();
  check_size(deck, task, image.type, number_of_points(image.domain, are_rows), dimensions);
  check_bounds(deck);
  task.points_file = deck.text_of("input.file");
  task.distances = distances_of(deck, dimensions, task.clusters);
  if (const auto start = further.find("start"); start != further.end()) {
    const io::ImageInfo& centres = start->second;
    if (!(centres.domain == Box{{0, dimensions}, {0, task.clusters}}) ||
        (centres.type != ElementType::float32 && centres.type != ElementType::float64))
      deck.fail("input.centres",
                fmt::format("the centres are {} of {}: give {} rows of {} coordinates of float32 or float64",
                            to_string(centres.domain), name_of(centres.type), task.clusters, dimensions));
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
    {.name = "distances",
     .type = deck::ValueType::choice,
     .group = "Clusters",
     .help =
         "How distances are computed: by a fused loop; by products of matrices with KokkosBlas::gemm, where "
         "the program was built with Kokkos Kernels; auto: by what is expected to take less time for the "
         "numbers of coordinates and clusters",
     .default_text = "auto",
     .choices = {"auto", "fused", "gemm"}},
    {.name = "bounds",
     .type = deck::ValueType::choice,
     .group = "Clusters",
     .help =
         "Which bounds of distances tell that a point keeps its centre, so that it is not searched: none, "
         "or those of Hamerly, which take 16 bytes per point. The results are the same; distances=gemm "
         "has no bounds",
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

/// Returns pipelines for rows and for pixels, with and without given centres and bounds: one deck serves all.
std::vector<Pipeline> samples(const io::ImageInfo&, const deck::Deck&) {
  kmeans::Task task{.clusters = 2};
  std::vector<Pipeline> samples;
  for (const auto bounds : {kmeans::Bounds::none, kmeans::Bounds::hamerly}) {
    task.bounds = bounds;
    for (const auto& given : {std::optional<ElementType>(), std::optional(ElementType::float32)}) {
      task.given = given;
      samples.push_back(kmeans::pixels_pipeline(ElementType::uint8, {{0, 8}, {0, 8}}, task));
      samples.push_back(kmeans::rows_pipeline(ElementType::float32, {{0, 2}, {0, 8}}, task));
    }
  }
  return samples;
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
