// SPDX-License-Identifier: BSD-3-Clause
#include "operators/beside.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

#include "synthetic_image.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/operators/expression.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "turns.hpp"

namespace bench {
namespace {

using namespace tessera;

/// Returns the type that OpenCV has for elements.
int depth_of(ElementType type) {
  return type == ElementType::uint8 ? CV_8U : type == ElementType::uint16 ? CV_16U : CV_32F;
}

template <class T>
void fill(cv::Mat& image) {
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x)
      for (int c = 0; c < image.channels(); ++c) {
        const std::uint16_t sample = synthetic_sample(x, y, c);
        T* const to = image.ptr<T>(y) + x * image.channels() + c;
        if constexpr (std::is_floating_point_v<T>)
          *to = static_cast<float>(sample) / 65535.0f;
        else
          *to = static_cast<T>(sizeof(T) == 1 ? sample >> 8 : sample);
      }
}

cv::Mat image_of(const OperatorCase& work, int size) {
  cv::Mat image(size, size, CV_MAKETYPE(depth_of(work.type), work.channels));
  if (work.type == ElementType::uint8) fill<std::uint8_t>(image);
  if (work.type == ElementType::uint16) fill<std::uint16_t>(image);
  if (work.type == ElementType::float32) fill<float>(image);
  return image;
}

/// Reads an input from an image of OpenCV, whose channels lie side by side.
class MatSource final : public BlockSource {
 public:
  explicit MatSource(const cv::Mat& image) : image_(image) {}
  void read(const HostBlock& block) override {
    const std::size_t size = size_of(block.type);
    const int channels = image_.channels();
    for (int y = 0; y < image_.rows; ++y)
      for (int c = 0; c < channels; ++c) {
        const uchar* const from = image_.ptr(y) + static_cast<std::size_t>(c) * size;
        std::byte* const to =
            block.data + (y * block.strides[1] + (channels > 1 ? c * block.strides[2] : 0)) *
                             static_cast<std::int64_t>(size);
        for (std::size_t x = 0; x < static_cast<std::size_t>(image_.cols); ++x)
          std::memcpy(to + x * size, from + x * static_cast<std::size_t>(channels) * size, size);
      }
  }

 private:
  const cv::Mat& image_;
};

/// Compares a result with that of the peer.
class Comparison final : public BlockSink {
 public:
  Comparison(const OperatorCase& work, const cv::Mat& expected) : work_(work) {
    expected.convertTo(expected_, CV_MAKETYPE(CV_64F, expected.channels()));
  }

  void write(const HostBlock& block) override {
    const bool is_list = block.box.dimensions == 1;
    const std::int64_t rows = is_list ? 1 : block.box[1].size(), columns = block.box[0].size();
    const std::int64_t channels = block.box.dimensions == 3 ? block.box[2].size() : 1;
    if (rows * columns * channels != static_cast<std::int64_t>(expected_.total()) * expected_.channels()) {
      difference_ = fmt::format("the sizes {} and {}", rows * columns * channels, expected_.total());
      return;
    }
    const std::int64_t margin = is_list ? 0 : work_.margin;
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = margin; y < rows - margin; ++y)
        for (std::int64_t x = margin; x < columns - margin; ++x) {
          const std::int64_t at =
              x + (is_list ? 0 : y * block.strides[1]) + (channels > 1 ? c * block.strides[2] : 0);
          compare(number_at(block.type, block.data + at * static_cast<std::int64_t>(size_of(block.type))),
                  expected_.ptr<double>()[(y * columns + x) * channels + c]);
        }
    if (static_cast<double>(differing_) > work_.share * static_cast<double>(compared_))
      difference_ = fmt::format("{:.2g} % of the points by more than {}, at most {:g}",
                                100.0 * static_cast<double>(differing_) / static_cast<double>(compared_),
                                work_.tolerance, greatest_);
  }

  const std::string& difference() const { return difference_; }

 private:
  void compare(double value, double expected) {
    const double difference = std::abs(value - expected);
    ++compared_;
    if (difference > work_.tolerance) ++differing_;
    greatest_ = std::max(greatest_, difference);
  }

  const OperatorCase& work_;
  cv::Mat expected_;
  std::int64_t compared_ = 0;
  std::int64_t differing_ = 0;
  double greatest_ = 0;
  std::string difference_;
};

PlanInstance make_instance(const Pipeline& pipeline, int threads) {
  Schedule schedule;
  for (const ArrayDeclaration& array : pipeline.arrays())
    if (array.kernel != nullptr) schedule.stages[array.name].placement = Placement::automatic;
  Target target;
  target.threads = threads;
  target.cache_bytes = cache_to_write_past(threads);
  return PlanInstance(pipeline, make_plan(pipeline, schedule, target, 1, 0), MPI_COMM_SELF);
}

double now_in_milliseconds(bool processor_time) {
  timespec now{};
  clock_gettime(processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

template <class Run>
double milliseconds_of(const Run& run, bool processor_time) {
  const double begin = now_in_milliseconds(processor_time);
  run();
  return now_in_milliseconds(processor_time) - begin;
}

/// Times a run after another one that is not timed, unless runs are long: the threads of who ran before may
/// still be waiting for work.
template <class Run>
double warm_milliseconds_of(const Run& run, bool processor_time) {
  constexpr double is_long = 60;
  const double first = milliseconds_of(run, processor_time);
  return first > is_long ? first : milliseconds_of(run, processor_time);
}

}  // namespace

Beside run_beside(const OperatorCase& work, const BesideSettings& settings) {
  const cv::Mat image = image_of(work, settings.size);
  Box domain{{0, settings.size}, {0, settings.size}};
  if (work.channels > 1) domain = {domain[0], domain[1], {0, work.channels}};
  Pipeline pipeline;
  const operators::Image result =
      work.build(pipeline, operators::input(pipeline, "image", work.type, domain));
  operators::output(pipeline, result);
  PlanInstance instance = make_instance(pipeline, settings.threads);
  MatSource source(image);
  instance.load("image", source);

  cv::Mat expected;
  std::vector<double> times, peer_times, ratios;
  for (int round = -1; round < settings.rounds; ++round) {
    const double time = warm_milliseconds_of([&] { instance.compute(); }, settings.processor_time);
    const double peer_time =
        warm_milliseconds_of([&] { work.peer(image, expected); }, settings.processor_time);
    if (round < 0) continue;
    times.push_back(time);
    peer_times.push_back(peer_time);
    ratios.push_back(time / peer_time);
  }
  Comparison comparison(work, expected);
  instance.store(pipeline[result.id].name, comparison);
  return {median(times), median(peer_times), median(ratios), comparison.difference()};
}

}  // namespace bench
