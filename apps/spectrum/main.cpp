// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "pipelines.hpp"
#include "tessera/app/image_application.hpp"
#include "tessera/domain/boundary.hpp"
#include "tessera/view/block_io.hpp"

namespace {

using namespace tessera;

const std::vector<std::string> results = {"power", "amplitude", "complex",
                                          "image", "convolved", "deconvolved"};
const std::vector<std::string> shapes = {"ideal", "gaussian", "butterworth"};
const std::vector<std::string> methods = {"auto", "direct", "transform"};
constexpr Boundary border_modes[] = {Boundary::clamp, Boundary::mirror, Boundary::mirror_interior,
                                     Boundary::constant, Boundary::periodic};

/// Returns the names of border_modes, in the same order.
std::vector<std::string> border_names() {
  std::vector<std::string> names;
  for (const Boundary mode : border_modes) names.emplace_back(name_of(mode));
  return names;
}

/// Returns the enumerator with this name. `names` has the names of all enumerators, in their order.
template <class Choice>
Choice choice_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Choice>(std::ranges::find(names, name) - names.begin());
}

/// Returns the number of a key, or 0 if the deck does not have it.
double number_of(const deck::Deck& deck, const std::string& key) {
  return deck.is_set(key) ? deck.get<double>(key) : 0.0;
}

/// Returns the filter of a deck. Throws InputError if its keys do not fit each other.
spectrum::Filter filter_of(const deck::Deck& deck) {
  spectrum::Filter filter{.lowest = number_of(deck, "filter.lowest"),
                          .highest = number_of(deck, "filter.highest"),
                          .notch_x = number_of(deck, "filter.notch.x"),
                          .notch_y = number_of(deck, "filter.notch.y"),
                          .shape = choice_of<spectrum::Shape>(shapes, deck.get<std::string>("filter.shape")),
                          .order = static_cast<int>(deck.get<std::int64_t>("filter.order"))};
  if (filter.lowest > 0 && filter.highest > 0 && filter.lowest >= filter.highest)
    deck.fail("filter.lowest", "no frequency lies between it and 'filter.highest': make it less than that");
  if (deck.is_set("filter.notch.x") != deck.is_set("filter.notch.y"))
    deck.fail(deck.is_set("filter.notch.x") ? "filter.notch.x" : "filter.notch.y",
              "a notch needs x and y: give both 'filter.notch.x' and 'filter.notch.y'");
  if (deck.is_set("filter.notch.x")) filter.notch_width = deck.get<double>("filter.notch.width");
  return filter;
}

bool has_filter(const deck::Deck& deck) {
  return deck.is_set("filter.lowest") || deck.is_set("filter.highest") || deck.is_set("filter.notch.x");
}

/// Throws InputError if the deck gives a key that has no effect on the result.
void check_for_unused_keys(const deck::Deck& deck, const std::string& result) {
  const bool is_convolved = result == "convolved", has_kernel = is_convolved || result == "deconvolved";
  for (const char* key : {"kernel.file", "kernel.sigma", "kernel.normalise", "border"})
    if (!has_kernel && deck.is_set(key))
      deck.fail(key,
                fmt::format("the result '{}' has no kernel: leave it out, or ask for result=convolved or "
                            "result=deconvolved",
                            result));
  for (const char* key : {"filter.lowest", "filter.highest", "filter.notch.x", "filter.notch.y"})
    if (has_kernel && deck.is_set(key))
      deck.fail(key, fmt::format("the result '{}' has no filter: leave it out", result));
  if (deck.is_set("filter.notch.width") && !deck.is_set("filter.notch.x"))
    deck.fail("filter.notch.width", "there is no notch: leave it out, or give 'filter.notch.x', too");
  for (const char* key : {"filter.shape", "filter.order"})
    if (deck.is_set(key) && !has_filter(deck)) deck.fail(key, "there is no filter: leave it out");
  if (result != "deconvolved" && deck.is_set("noise"))
    deck.fail("noise", fmt::format("the result '{}' has no use for it: leave it out", result));
  if (is_convolved || !deck.is_set("method")) return;
  deck.fail("method",
            has_kernel ? "a deconvolution is computed by transforms only: leave it out"
                       : fmt::format("the result '{}' is computed by transforms only: leave it out", result));
}

/// Returns the sum of the magnitudes of the weights in the rows `rows`, which `source` reads. Throws
/// InputError if a weight is not finite.
double sum_of_magnitudes(const deck::Deck& deck, ElementType type, BlockSource& source, const Box& rows) {
  const std::size_t size = size_of(type);
  std::vector<std::byte> weights(static_cast<std::size_t>(rows.size()) * size);
  source.read(packed_block(weights.data(), type, rows));
  double sum = 0;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const double weight = number_at(type, weights.data() + static_cast<std::size_t>(i) * size);
    if (!std::isfinite(weight))
      deck.fail("kernel.file", fmt::format("the weight ({}, {}) is {}: give finite ones", i % rows[0].size(),
                                           rows[1].begin + i / rows[0].size(), weight));
    sum += std::abs(weight);
  }
  return sum;
}

/// Checks the image in the file that the key `kernel.file` names. Throws InputError unless it is a kernel:
/// finite weights without channels, not all of them 0, whose magnitudes have a finite sum.
void check_kernel(const deck::Deck& deck, const io::ImageInfo& file, BlockSource& source) {
  if (file.domain.dimensions != 2)
    deck.fail("kernel.file",
              fmt::format("the kernel is {}: give one without channels", to_string(file.domain)));
  constexpr ElementType types[] = {ElementType::uint8, ElementType::uint16, ElementType::float32,
                                   ElementType::float64};
  if (std::ranges::find(types, file.type) == std::end(types))
    deck.fail("kernel.file", fmt::format("the kernel is of {}: give one of uint8, uint16, float32 or float64",
                                         name_of(file.type)));
  // A kernel may be as large as the image. It is therefore read in bands of rows with some 2^20 weights each.
  const std::int64_t rows_at_a_time =
      std::max<std::int64_t>(1, (std::int64_t{1} << 20) / file.domain[0].size());
  double sum = 0;
  for (Box rows = file.domain; rows[1].begin < file.domain[1].end; rows[1].begin = rows[1].end) {
    rows[1].end = std::min(rows[1].begin + rows_at_a_time, file.domain[1].end);
    sum += sum_of_magnitudes(deck, file.type, source, rows);
  }
  if (sum == 0) deck.fail("kernel.file", "all weights are 0: give a kernel with weights other than 0");
  if (!std::isfinite(sum))
    deck.fail("kernel.file", "the sum of the weights is too large for numbers of 64 bits: give smaller ones");
}

/// Returns the kernel of a deck. `file` describes the image with the kernel, or is null if the kernel is a
/// Gaussian. Throws InputError if the deck gives both or neither, or if the kernel is larger than the image.
spectrum::Kernel kernel_of(const deck::Deck& deck, const Box& image, const io::ImageInfo* file) {
  if ((file != nullptr) == deck.is_set("kernel.sigma"))
    deck.fail(file != nullptr ? "kernel.sigma" : "result",
              "the kernel is an image or a Gaussian: give either 'kernel.file' or 'kernel.sigma'");
  const Box points =
      file != nullptr ? file->domain : spectrum::Kernel::gaussian(deck.get<double>("kernel.sigma")).box();
  if (points[0].size() > image[0].size() || points[1].size() > image[1].size())
    deck.fail(file != nullptr ? "kernel.file" : "kernel.sigma",
              fmt::format("the kernel has {} x {} points, but the image has {} x {}: give a smaller kernel",
                          points[0].size(), points[1].size(), image[0].size(), image[1].size()));
  spectrum::Kernel kernel{.width = static_cast<int>(points[0].size()),
                          .height = static_cast<int>(points[1].size()),
                          .is_normalised = deck.get<bool>("kernel.normalise")};
  if (file != nullptr)
    kernel.type = file->type;
  else
    kernel.sigma = deck.get<double>("kernel.sigma");
  return kernel;
}

/// Returns what a deck asks for. `kernel` describes the image with the kernel, or is null if there is none.
spectrum::Task task_of(const deck::Deck& deck, const Box& image, const io::ImageInfo* kernel) {
  const auto& result = deck.get<std::string>("result");
  spectrum::Task task{.result = choice_of<spectrum::Result>(results, result)};
  check_for_unused_keys(deck, result);
  task.filter = filter_of(deck);
  if (!task.has_kernel()) return task;
  task.kernel = kernel_of(deck, image, kernel);
  task.method = choice_of<spectrum::Method>(methods, deck.get<std::string>("method"));
  task.noise = deck.get<double>("noise");
  task.border = *std::ranges::find(border_modes, deck.get<std::string>("border"),
                                   [](Boundary mode) { return std::string(name_of(mode)); });
  return task;
}

Pipeline build(const io::ImageInfo& image, const std::map<std::string, io::ImageInfo>& further,
               const deck::Deck& deck) {
  const auto kernel = further.find("kernel");
  return app::pipeline_for<std::uint8_t, std::uint16_t, float, double>(
      image, deck, [&]<class In, int N>(const Box& domain) {
        using T = std::conditional_t<std::is_same_v<In, double>, double, float>;
        return spectrum::make_pipeline<In, T, N>(
            domain, task_of(deck, domain, kernel == further.end() ? nullptr : &kernel->second));
      });
}

/// Returns a key for a frequency.
deck::KeyDeclaration frequency(const char* name, const char* help, double minimum) {
  return {.name = name,
          .type = deck::ValueType::real,
          .group = "Spectrum",
          .help = help,
          .minimum = minimum,
          .maximum = 1};
}

/// Returns the keys of the result and of filters.
std::vector<deck::KeyDeclaration> keys() {
  auto width = frequency("filter.notch.width",
                         "The distance from the notch at which a half of the amplitude passes", 1e-6);
  width.default_text = "0.01";
  return {
      {.name = "result",
       .type = deck::ValueType::choice,
       .group = "Spectrum",
       .help = "The power or amplitude of all frequencies, 0 in the middle; the complex half spectrum; the "
               "image of the filtered spectrum; the image convolved with a kernel; or the image that was "
               "convolved with a kernel, by Wiener's filter",
       .default_text = "power",
       .choices = results},
      frequency("filter.lowest",
                "The limit in cycles per pixel: little passes below it; without it, all low frequencies pass",
                1e-6),
      frequency(
          "filter.highest",
          "The limit in cycles per pixel: little passes above it; without it, all high frequencies pass",
          1e-6),
      frequency("filter.notch.x",
                "The frequency along x, in cycles per pixel, of a pattern that is taken out", -1),
      frequency("filter.notch.y", "The frequency along y of this pattern", -1),
      width,
      {.name = "filter.shape",
       .type = deck::ValueType::choice,
       .group = "Spectrum",
       .help = "How the filter ends; each shape passes a half of the amplitude at its limits, except ideal, "
               "which ends there",
       .default_text = "butterworth",
       .choices = shapes},
      {.name = "filter.order",
       .type = deck::ValueType::integer,
       .group = "Spectrum",
       .help = "The order of butterworth: the higher, the steeper",
       .default_text = "2",
       .minimum = 1,
       .maximum = 16}};
}

/// Returns the keys of convolutions and deconvolutions.
std::vector<deck::KeyDeclaration> kernel_keys() {
  return {
      {.name = "kernel.sigma",
       .type = deck::ValueType::real,
       .help = "A Gaussian of this standard deviation instead of kernel.file; it ends after 4 of them",
       .unit = "pixels",
       .minimum = 0.1,
       .maximum = 10000},
      {.name = "kernel.normalise",
       .type = deck::ValueType::boolean,
       .help = "Whether the weights are divided by their sum, unless that is 0 up to roundings",
       .default_text = "true"},
      {.name = "border",
       .type = deck::ValueType::choice,
       .help = "The values beyond the borders of the image; constant is 0; transforms need a larger, padded "
               "image unless this is periodic",
       .default_text = "mirror",
       .choices = border_names()},
      {.name = "method",
       .type = deck::ValueType::choice,
       .help = "How a convolution is computed: by sums (direct), by transforms, or by the method that is "
               "estimated to be cheaper",
       .default_text = "auto",
       .choices = methods},
      {.name = "noise",
       .type = deck::ValueType::real,
       .help = "For deconvolutions, the power of the noise divided by that of the image: the less, the "
               "sharper and the noisier is the result",
       .default_text = "0.01",
       .minimum = 1e-20,
       .maximum = 1e6}};
}

}  // namespace

int main(int argc, char** argv) {
  app::PipelineApplication application{
      .program = "tessera-spectrum",
      .summary =
          "The Fourier spectrum of an image, the image of its filtered spectrum, and convolutions and "
          "deconvolutions with large kernels.",
      .further_images = {{.name = "kernel",
                          .help =
                              "The kernel of a convolution: the point spread function that blurred an image",
                          .may_differ = true,
                          .check = check_kernel}},
      .parameters = keys(),
      .build = [](const io::ImageInfo& image, const deck::Deck& deck) { return build(image, {}, deck); },
      .build_with = build};
  for (deck::KeyDeclaration& key : kernel_keys()) {
    key.group = "Kernel";
    application.parameters.push_back(key);
  }
  return app::run_pipeline_application(argc, argv, application);
}
