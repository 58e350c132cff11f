// SPDX-License-Identifier: BSD-3-Clause
// Pyramid Horn-Schunck as a plain program of one thread, in the structure of the article by Meinhardt-Llopis,
// Sánchez and Kondermann (Image Processing On Line, 2013): one loop after the other over whole images, and
// over-relaxation in place. It uses nothing of Tessera, which is measured against it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// An image of floats, row after row.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<float> values = {};

  Image() = default;
  Image(int w, int h)
      : width(w), height(h), values(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  float* row(int y) { return values.data() + static_cast<std::ptrdiff_t>(y) * width; }
  const float* row(int y) const { return values.data() + static_cast<std::ptrdiff_t>(y) * width; }
  float clamped(int x, int y) const { return row(std::clamp(y, 0, height - 1))[std::clamp(x, 0, width - 1)]; }
};

struct Options {
  float alpha = 7;
  int levels = 5;
  float zoom = 0.5F;
  int warps = 10;
  int inner = 150;
  float tolerance = 1e-4F;
  float relaxation = 1.9F;
  float presmoothing = 0.8F;
  int repeats = 1;
};

void smooth(Image& image, float sigma) {
  const int radius = static_cast<int>(5 * sigma) + 1;
  std::vector<float> weights(static_cast<std::size_t>(2 * radius + 1));
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const float distance = static_cast<float>(i) / sigma;
    sum += weights[static_cast<std::size_t>(i + radius)] = std::exp(-distance * distance / 2);
  }
  for (float& weight : weights) weight /= sum;
  Image across(image.width, image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      float value = 0;
      for (int i = -radius; i <= radius; ++i)
        value += weights[static_cast<std::size_t>(i + radius)] *
                 image.row(y)[std::clamp(x + i, 0, image.width - 1)];
      across.row(y)[x] = value;
    }
  for (int y = 0; y < image.height; ++y) {
    float* const to = image.row(y);
    std::fill(to, to + image.width, 0.0F);
    for (int i = -radius; i <= radius; ++i) {
      const float* const from = across.row(std::clamp(y + i, 0, image.height - 1));
      const float weight = weights[static_cast<std::size_t>(i + radius)];
      for (int x = 0; x < image.width; ++x) to[x] += weight * from[x];
    }
  }
}

float cubic(const float p[4], float t) {
  return p[1] + 0.5F * t *
                    (p[2] - p[0] +
                     t * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] + t * (3 * (p[1] - p[2]) + p[3] - p[0])));
}

/// Returns the image between its points. Beyond its border it goes on with the values of the border.
float between(const Image& image, float x, float y) {
  const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
  float columns[4];
  for (int i = 0; i < 4; ++i) {
    float points[4];
    for (int j = 0; j < 4; ++j) points[j] = image.clamped(left - 1 + i, top - 1 + j);
    columns[i] = cubic(points, y - static_cast<float>(top));
  }
  return cubic(columns, x - static_cast<float>(left));
}

Image resampled(const Image& image, int width, int height, float step_x, float step_y) {
  Image to(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      to.row(y)[x] = between(image, static_cast<float>(x) * step_x, static_cast<float>(y) * step_y);
  return to;
}

Image coarser(const Image& image, float zoom) {
  Image smoothed = image;
  smooth(smoothed, 0.6F * std::sqrt(1 / (zoom * zoom) - 1));
  const auto side = [&](int points) { return static_cast<int>(static_cast<float>(points) * zoom + 0.5F); };
  return resampled(smoothed, side(image.width), side(image.height), 1 / zoom, 1 / zoom);
}

Image finer(const Image& flow, int width, int height, float zoom) {
  Image to = resampled(flow, width, height, static_cast<float>(flow.width) / static_cast<float>(width),
                       static_cast<float>(flow.height) / static_cast<float>(height));
  for (float& value : to.values) value /= zoom;
  return to;
}

/// The central differences of an image.
struct Gradient {
  Image x, y;

  explicit Gradient(const Image& image) : x(image.width, image.height), y(image.width, image.height) {
    for (int j = 0; j < image.height; ++j)
      for (int i = 0; i < image.width; ++i) {
        x.row(j)[i] = 0.5F * (image.clamped(i + 1, j) - image.clamped(i - 1, j));
        y.row(j)[i] = 0.5F * (image.clamped(i, j + 1) - image.clamped(i, j - 1));
      }
  }
};

Image warped(const Image& image, const Image& u, const Image& v) {
  Image to(image.width, image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const float a = static_cast<float>(x) + u.row(y)[x], b = static_cast<float>(y) + v.row(y)[x];
      const bool inside = a >= 0 && b >= 0 && a <= static_cast<float>(image.width - 1) &&
                          b <= static_cast<float>(image.height - 1);
      to.row(y)[x] = inside ? between(image, a, b) : 0;
    }
  return to;
}

/// The linear system of one warp.
struct System {
  Image right_u, right_v, diagonal_u, diagonal_v, mixed;
};

System linearise(const Image& first, const Image& second, const Gradient& gradient, const Image& u,
                 const Image& v, float weight) {
  const Image value = warped(second, u, v), dx = warped(gradient.x, u, v), dy = warped(gradient.y, u, v);
  const int width = first.width, height = first.height;
  System system{Image(width, height), Image(width, height), Image(width, height), Image(width, height),
                Image(width, height)};
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    const float x = dx.values[i], y = dy.values[i];
    const float difference = first.values[i] - value.values[i] + x * u.values[i] + y * v.values[i];
    system.right_u.values[i] = difference * x;
    system.right_v.values[i] = difference * y;
    system.diagonal_u.values[i] = x * x + weight;
    system.diagonal_v.values[i] = y * y + weight;
    system.mixed.values[i] = x * y;
  }
  return system;
}

/// One point of a turn of over-relaxation, whose neighbours are at these columns of these rows. Returns the
/// square of its change.
float relax(const System& system, Image& u, Image& v, float weight, float relaxation, int x, int y, int left,
            int right, int above, int below) {
  const auto mean = [&](const Image& of) {
    const float *up = of.row(above), *here = of.row(y), *down = of.row(below);
    return (up[left] + up[right] + down[left] + down[right]) * (1.0F / 12) +
           (up[x] + here[left] + down[x] + here[right]) * (1.0F / 6);
  };
  const float mean_u = mean(u), mean_v = mean(v);
  const float old_u = u.row(y)[x], old_v = v.row(y)[x];
  const float new_u = (1 - relaxation) * old_u +
                      relaxation *
                          (system.right_u.row(y)[x] - system.mixed.row(y)[x] * old_v + weight * mean_u) /
                          system.diagonal_u.row(y)[x];
  const float new_v = (1 - relaxation) * old_v +
                      relaxation *
                          (system.right_v.row(y)[x] - system.mixed.row(y)[x] * new_u + weight * mean_v) /
                          system.diagonal_v.row(y)[x];
  u.row(y)[x] = new_u;
  v.row(y)[x] = new_v;
  return (new_u - old_u) * (new_u - old_u) + (new_v - old_v) * (new_v - old_v);
}

/// Turns of over-relaxation until the mean change is small. Returns their number.
int solve(const System& system, Image& u, Image& v, const Options& options) {
  const int width = u.width, height = u.height;
  const float weight = options.alpha * options.alpha;
  float error = 1000;
  int turn = 0;
  while (turn < options.inner && error > options.tolerance) {
    float sum = 0;
    for (int y = 0; y < height; ++y) {
      const int above = std::max(y - 1, 0), below = std::min(y + 1, height - 1);
      const auto point = [&](int x, int left, int right) {
        sum += relax(system, u, v, weight, options.relaxation, x, y, left, right, above, below);
      };
      point(0, 0, std::min(1, width - 1));
      for (int x = 1; x < width - 1; ++x) point(x, x - 1, x + 1);
      if (width > 1) point(width - 1, width - 2, width - 1);
    }
    error = std::sqrt(sum / (static_cast<float>(width) * static_cast<float>(height)));
    ++turn;
  }
  return turn;
}

/// The flow, and the number of inner turns of all warps.
struct Result {
  Image u, v;
  std::int64_t turns = 0;
};

/// Scales the values of both images so that together they go from 0 to 255.
void normalise(Image& first, Image& second) {
  const auto [least_1, greatest_1] = std::minmax_element(first.values.begin(), first.values.end());
  const auto [least_2, greatest_2] = std::minmax_element(second.values.begin(), second.values.end());
  const float least = std::min(*least_1, *least_2), range = std::max(*greatest_1, *greatest_2) - least;
  if (range == 0) return;
  for (Image* const image : {&first, &second})
    for (float& value : image->values) value = (value - least) * (255 / range);
}

Result flow_of(Image first, Image second, const Options& options) {
  normalise(first, second);
  if (options.presmoothing > 0) {
    smooth(first, options.presmoothing);
    smooth(second, options.presmoothing);
  }
  std::vector<Image> firsts{std::move(first)}, seconds{std::move(second)};
  for (int level = 1; level < options.levels; ++level) {
    firsts.push_back(coarser(firsts.back(), options.zoom));
    seconds.push_back(coarser(seconds.back(), options.zoom));
  }
  Result result;
  result.u = result.v = Image(firsts.back().width, firsts.back().height);
  for (std::size_t level = firsts.size(); level-- > 0;) {
    const Image& one = firsts[level];
    if (level + 1 < firsts.size()) {
      result.u = finer(result.u, one.width, one.height, options.zoom);
      result.v = finer(result.v, one.width, one.height, options.zoom);
    }
    const Gradient gradient(seconds[level]);
    for (int warp = 0; warp < options.warps; ++warp) {
      const System system =
          linearise(one, seconds[level], gradient, result.u, result.v, options.alpha * options.alpha);
      result.turns += solve(system, result.u, result.v, options);
    }
  }
  return result;
}

Image read_raw(const std::string& path, int width, int height) {
  Image image(width, height);
  std::ifstream file(path, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(image.values.size() * sizeof(float));
  if (!file.read(reinterpret_cast<char*>(image.values.data()), bytes))
    throw std::runtime_error(path + ": it has no " + std::to_string(width) + " x " + std::to_string(height) +
                             " floats");
  return image;
}

void write_flo(const std::string& path, const Result& result) {
  std::ofstream file(path, std::ios::binary);
  const std::int32_t extent[2] = {result.u.width, result.u.height};
  file.write("PIEH", 4);
  file.write(reinterpret_cast<const char*>(extent), sizeof(extent));
  for (std::size_t i = 0; i < result.u.values.size(); ++i) {
    const float flow[2] = {result.u.values[i], result.v.values[i]};
    file.write(reinterpret_cast<const char*>(flow), sizeof(flow));
  }
  if (!file) throw std::runtime_error(path + ": it cannot be written");
}

/// Returns the numbers of words such as alpha=15.
std::map<std::string, float> numbers(const std::vector<std::string>& words) {
  std::map<std::string, float> found;
  for (const std::string& word : words) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos) throw std::runtime_error(word + ": NAME=NUMBER is expected");
    found[word.substr(0, sign)] = std::strtof(word.c_str() + sign + 1, nullptr);
  }
  return found;
}

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (const auto& [name, value] : numbers(words)) {
    const int whole = static_cast<int>(value);
    if (name == "alpha")
      options.alpha = value;
    else if (name == "levels")
      options.levels = whole;
    else if (name == "zoom")
      options.zoom = value;
    else if (name == "warps")
      options.warps = whole;
    else if (name == "inner")
      options.inner = whole;
    else if (name == "tolerance")
      options.tolerance = value;
    else if (name == "relaxation")
      options.relaxation = value;
    else if (name == "presmoothing")
      options.presmoothing = value;
    else if (name == "repeats")
      options.repeats = whole;
    else
      throw std::runtime_error(name + ": there is no such option");
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::cerr << "usage: tessera-bench-flow-plain FIRST SECOND WIDTH HEIGHT FLOW.flo [NAME=NUMBER]...\n"
                 "The images are files of floats, row after row. Prints the seconds of each of the\n"
                 "repeats, without reading and writing, and the number of inner turns of all warps.\n";
    return 2;
  }
  try {
    const int width = std::atoi(argv[3]), height = std::atoi(argv[4]);
    const Image first = read_raw(argv[1], width, height), second = read_raw(argv[2], width, height);
    const Options options = options_of({argv + 6, argv + argc});
    Result result;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      result = flow_of(first, second, options);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      std::cout << seconds.count() << ' ' << result.turns << '\n';
    }
    write_flo(argv[5], result);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
