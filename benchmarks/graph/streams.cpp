// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstring>

#include "apps/sobel/stages.hpp"
#include "graph/cases.hpp"
#include "synthetic_image.hpp"
#include "tessera/graph/pipeline_task.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace bench {
namespace {

using namespace tessera::graph;
using tessera::HostBlock;

constexpr int distinct = 16;
constexpr int frames = 200;

std::uint64_t joined(std::uint64_t total, std::uint64_t sum) {
  total = (total ^ sum) * 0x9E3779B97F4A7C15U;
  return total ^ total >> 32;
}

/// The checksum of the rows of an image as if they followed each other in memory: 32 polynomials, each of
/// every 32nd word of 32 bits. The width must be a multiple of 128 bytes.
std::uint64_t checksum(const HostBlock& image) {
  constexpr int lanes = 32;
  std::array<std::uint32_t, lanes> sums{};
  const std::int64_t width = image.box[0].size(), height = image.box[1].size();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; x += lanes * 4) {
      std::array<std::uint32_t, lanes> words;
      std::memcpy(words.data(), image.data + y * image.strides[1] + x, sizeof words);
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] = sums[lane] * 0x9E3779B1U + words[lane];
    }
  auto total = static_cast<std::uint64_t>(width * height);
  for (const std::uint32_t sum : sums) total = joined(total, sum);
  return total;
}

/// Images in memory that frames are copied from.
using Images = std::vector<std::vector<std::uint8_t>>;

Images make_images(Size size) {
  Images images(distinct);
  for (int image = 0; image < distinct; ++image)
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        images[static_cast<std::size_t>(image)].push_back(
            static_cast<std::uint8_t>(synthetic_sample(x, y, image) >> 8));
  return images;
}

std::shared_ptr<const PlannedPipeline> planned_sobel(Size size, int threads) {
  auto planned = std::make_shared<PlannedPipeline>();
  planned->algorithm = sobel::make_pipeline<std::uint8_t, 2>(tessera::Box{{0, size.width}, {0, size.height}});
  tessera::Target target;
  target.threads = threads;
  planned->plan = tessera::make_plan(planned->algorithm, {}, target, 1, 0);
  planned->output = "sobel";
  return planned;
}

std::uint64_t run_stream(const Images& images, const std::shared_ptr<const PlannedPipeline>& planned,
                         int workers) {
  std::uint64_t total = 0;
  Graph graph("sobel");
  graph.configure({.window = workers == 1 ? 1 : 2 * workers});
  const Pool<Image> buffers(graph, "images", {.count = workers == 1 ? 2 : 4 * workers, .per_item = 2},
                            [] { return std::make_shared<Image>(); });
  const auto read = graph.source(
      "read", {},
      [&](std::int64_t i, Lease<Image> to) -> std::optional<Lease<Image>> {
        if (i == frames) return std::nullopt;
        to->become_input(planned);
        const HostBlock points = to->points();
        const auto width = static_cast<std::size_t>(points.box[0].size());
        const std::uint8_t* from = images[static_cast<std::size_t>(i % distinct)].data();
        for (std::int64_t y = 0; y < points.box[1].size(); ++y)
          std::memcpy(points.data + y * points.strides[1], from + static_cast<std::size_t>(y) * width, width);
        return to;
      },
      buffers);
  graph.sink(
      "write", {.order = Order::stamp},
      [&](const Lease<Image>& image) { total = joined(total, checksum(image->points())); },
      pipeline(graph, "sobel", {}, read, buffers));
  graph.run({.workers = workers}).wait();
  return total;
}

/// Reads, computes and writes each frame on one thread: a pipeline of three stages cannot take less time.
std::uint64_t run_loop(const Images& images, const std::shared_ptr<const PlannedPipeline>& planned) {
  std::uint64_t total = 0;
  Image in, out;
  in.become_input(planned);
  out.become_output(planned);
  tessera::PlanInstance instance(planned->algorithm, planned->plan, MPI_COMM_SELF, {},
                                 tessera::HostMode::calling_thread);
  instance.bind("input", in.block());
  instance.bind("sobel", out.block());
  const HostBlock points = in.points();
  const auto width = static_cast<std::size_t>(points.box[0].size());
  for (int frame = 0; frame < frames; ++frame) {
    const std::uint8_t* from = images[static_cast<std::size_t>(frame % distinct)].data();
    for (std::int64_t y = 0; y < points.box[1].size(); ++y)
      std::memcpy(points.data + y * points.strides[1], from + static_cast<std::size_t>(y) * width, width);
    instance.compute();
    total = joined(total, checksum(out.points()));
  }
  return total;
}

}  // namespace

std::vector<GraphCase> stream_cases(Size size) {
  const auto images = std::make_shared<Images>(make_images(size));
  const auto planned = planned_sobel(size, 1);
  const double pixels = static_cast<double>(size.width) * size.height * frames;
  const auto rate = [](double ms) { return fmt::format("frames_s={:.1f}", frames / ms * 1e3); };
  const auto text = [](std::uint64_t total) { return fmt::format("check=ok checksum={:016x}", total); };
  return {{"tessera-graph", "stream_sobel", size, "u8", pixels, 2 * pixels,
           [=](int workers) { return text(run_stream(*images, planned, workers)); }, rate},
          {"tessera-loop", "stream_sobel", size, "u8", pixels, 2 * pixels,
           [=](int) { return text(run_loop(*images, planned)); }, rate}};
}

}  // namespace bench
