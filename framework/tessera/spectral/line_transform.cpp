// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/spectral/line_transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tessera/domain/error.hpp"
#include "tessera/spectral/detail/fftw_plan.hpp"
#include "tessera/spectral/plane_transform.hpp"

namespace tessera::spectral {
namespace detail {

/// The alignment of all memory that plans of FFTW are made for, in bytes.
constexpr std::size_t line_alignment = PlaneTransform<float>::alignment;

/// Memory for lines. Each line begins at a multiple of `line_alignment` bytes. The distance between lines is
/// not a multiple of 4096 bytes, because the elements of all lines at one index would then compete for one
/// cache set.
template <class T>
class Lines {
 public:
  Lines(std::int64_t lines, std::int64_t points)
      : distance_(distance_of(points)), memory_(static_cast<std::size_t>(lines * distance_)) {}
  /// Returns the bytes that `lines` lines of `points` points take.
  static std::int64_t bytes(std::int64_t lines, std::int64_t points) {
    return lines * distance_of(points) * static_cast<std::int64_t>(sizeof(T));
  }
  T* line(std::int64_t number) { return memory_.data() + number * distance_; }

 private:
  static std::int64_t distance_of(std::int64_t points) {
    constexpr std::int64_t unit = line_alignment / sizeof(T);
    const std::int64_t distance = (points + unit - 1) / unit * unit;
    return distance * static_cast<std::int64_t>(sizeof(T)) % 4096 == 0 ? distance + unit : distance;
  }

  std::int64_t distance_;
  Plane<T> memory_;
};

}  // namespace detail

namespace {

using detail::Lines, detail::line_alignment;
/// The largest number of bytes of lines along y or z that are transformed together, with their results. All
/// of them should stay in the nearest large cache.
constexpr std::int64_t group_bytes = std::int64_t{384} << 10;

template <class T>
bool is_aligned(const T* address) {
  return reinterpret_cast<std::uintptr_t>(address) % line_alignment == 0;
}

/// Calls use(input, output) with the addresses of the first points of both blocks for each position in the
/// dimensions other than x and `dimension`.
template <class In, class Out, class Use>
void for_each_plane(const LibraryBlock<const In>& input, const LibraryBlock<Out>& output, int dimension,
                    const Use& use) {
  Box positions = output.box;
  positions[0] = positions[dimension] = {0, 1};
  for (std::int64_t number = 0; number < positions.size(); ++number) {
    std::int64_t rest = number, from = 0, to = 0;
    for (int d = 1; d < positions.dimensions; ++d) {
      from += input.strides[d] * (rest % positions[d].size());
      to += output.strides[d] * (rest % positions[d].size());
      rest /= positions[d].size();
    }
    use(input.data + from, output.data + to);
  }
}

}  // namespace

std::unique_lock<std::mutex> lock_planner() {
  static std::mutex mutex;
  return std::unique_lock(mutex);
}

template <class In, class Out>
class LineTransform<In, Out>::Plan {
 public:
  const int input_points, output_points;

  Plan(int points, Direction direction)
      : input_points(ComplexNumber<In> && !ComplexNumber<Out> ? points / 2 + 1 : points),
        output_points(!ComplexNumber<In> ? points / 2 + 1 : points),
        points_(points),
        is_inverse_(direction == Direction::inverse),
        plan_({points}, direction, Lines<In>(1, input_points).line(0), Lines<Out>(1, output_points).line(0),
              detail::Input::preserved) {}

  std::int64_t scratch_bytes(const Box& output, int dimension) const {
    const std::int64_t lines = dimension == 0 ? 1 : group_of(output[0].size());
    return Lines<In>::bytes(lines, input_points) + Lines<Out>::bytes(lines, output_points);
  }

  void rows(const LibraryBlock<const In>& input, const LibraryBlock<Out>& output) const {
    Lines<In> from(1, input_points);
    Lines<Out> to(1, output_points);
    const std::int64_t count = output.box.dimensions > 1 ? output.box[1].size() : 1;
    for_each_plane(input, output, output.box.dimensions > 1 ? 1 : 0, [&](const In* in, Out* out) {
      for (std::int64_t y = 0; y < count; ++y)
        row(in + y * input.strides[1], out + y * output.strides[1], from, to);
    });
  }

  void columns(const LibraryBlock<const In>& input, const LibraryBlock<Out>& output, int dimension) const {
    const std::int64_t width = output.box[0].size(), group = group_of(width);
    Lines<In> from(group, input_points);
    Lines<Out> to(group, output_points);
    for_each_plane(input, output, dimension, [&](const In* in, Out* out) {
      for (std::int64_t x = 0; x < width; x += group) {
        const std::int64_t lines = std::min(group, width - x);
        gather(in + x, input.strides[dimension], lines, from);
        for (std::int64_t line = 0; line < lines; ++line) plan_.execute(from.line(line), to.line(line));
        scatter(to, lines, out + x, output.strides[dimension]);
      }
    });
  }

 private:
  /// Returns how many lines along y or z, of `width` lines side by side, are transformed together.
  std::int64_t group_of(std::int64_t width) const {
    // The elements of a row that lie between two aligned addresses.
    const std::int64_t unit = static_cast<std::int64_t>(line_alignment / std::min(sizeof(In), sizeof(Out)));
    constexpr std::int64_t most_units = 8;
    const std::int64_t line_bytes = input_points * static_cast<std::int64_t>(sizeof(In)) +
                                    output_points * static_cast<std::int64_t>(sizeof(Out));
    return std::min(width, std::clamp(group_bytes / line_bytes / unit, std::int64_t{1}, most_units) * unit);
  }
  /// Transforms one row, without copies if both rows have the alignment that FFTW has planned for.
  void row(const In* in, Out* out, Lines<In>& from, Lines<Out>& to) const {
    const In* const source = is_aligned(in) ? in : from.line(0);
    Out* const target = is_aligned(out) ? out : to.line(0);
    if (source != in) std::copy(in, in + input_points, from.line(0));
    plan_.execute(source, target);
    if (target != out || is_inverse_)
      for (int k = 0; k < output_points; ++k) out[k] = scaled(target[k]);
  }
  void gather(const In* in, std::int64_t stride, std::int64_t lines, Lines<In>& to) const {
    for (int k = 0; k < input_points; ++k)
      for (std::int64_t line = 0; line < lines; ++line) to.line(line)[k] = in[k * stride + line];
  }
  void scatter(Lines<Out>& from, std::int64_t lines, Out* out, std::int64_t stride) const {
    for (int k = 0; k < output_points; ++k)
      for (std::int64_t line = 0; line < lines; ++line) out[k * stride + line] = scaled(from.line(line)[k]);
  }
  Out scaled(const Out& value) const {
    using Part = typename detail::PartOf<Out>::type;
    return is_inverse_ ? value / static_cast<Part>(points_) : value;
  }

  int points_;
  bool is_inverse_;
  detail::FftwPlan<In, Out> plan_;
};

template <class In, class Out>
LineTransform<In, Out>::LineTransform(int points, Direction direction) {
  if (points < 1)
    throw InternalError(fmt::format("a Fourier transform of {} points: at least 1 is needed", points));
  const bool is_legal = ComplexNumber<In> == ComplexNumber<Out> ||
                        (direction == Direction::forward ? ComplexNumber<Out> : ComplexNumber<In>);
  if (!is_legal) throw InternalError("forward transforms give complex numbers, and inverse ones take them");
  plan_ = std::make_shared<const Plan>(points, direction);
}

template <class In, class Out>
int LineTransform<In, Out>::input_points() const {
  return plan_->input_points;
}

template <class In, class Out>
int LineTransform<In, Out>::output_points() const {
  return plan_->output_points;
}

template <class In, class Out>
void LineTransform<In, Out>::operator()(const LibraryBlock<const In>& input, const LibraryBlock<Out>& output,
                                        int dimension) const {
  if (output.box.empty()) return;
  if (dimension == 0)
    plan_->rows(input, output);
  else
    plan_->columns(input, output, dimension);
}

template <class In, class Out>
std::int64_t LineTransform<In, Out>::scratch_bytes(const Box& output, int dimension) const {
  return plan_->scratch_bytes(output, dimension);
}

template class LineTransform<Kokkos::complex<float>, Kokkos::complex<float>>;
template class LineTransform<Kokkos::complex<double>, Kokkos::complex<double>>;
template class LineTransform<float, Kokkos::complex<float>>;
template class LineTransform<double, Kokkos::complex<double>>;
template class LineTransform<Kokkos::complex<float>, float>;
template class LineTransform<Kokkos::complex<double>, double>;

}  // namespace tessera::spectral
