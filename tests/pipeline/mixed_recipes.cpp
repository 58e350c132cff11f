// SPDX-License-Identifier: BSD-3-Clause
#include <typeinfo>

#include "pipeline/mixed_builder.hpp"
#include "pipeline/mixed_stages.hpp"
#include "pipeline/random_bodies.hpp"

namespace tessera::test {
namespace {

/// Adds a stage of one kind; false when there is nothing that it could read.
using Recipe = bool (*)(MixedBuilder&);

template <class Body, Form out, Form... in>
bool point(MixedBuilder& builder) {
  if (!(builder.has(in) && ...)) return false;
  const auto inputs = std::tuple{builder.read<in>()...};
  std::apply([&](const auto&... arrays) { builder.add_stage<out>(Body{builder.weight()}, arrays...); },
             inputs);
  return true;
}

template <class Body, int D, int extent, Form out, Form in>
bool columns(MixedBuilder& builder) {
  if (!builder.has(in)) return false;
  builder.add_columns<out, D>(Body{builder.weight()}, extent, builder.read<in>());
  return true;
}

/// Over some box, or over the whole of an input.
template <class Reduction, Form out, Form in>
bool reduction(MixedBuilder& builder) {
  if (!builder.has(in)) return false;
  const auto array = builder.read<in>();
  const bool whole = builder.graph.pipeline[array.id].is_input() && builder.random.chance(40);
  builder.add_reduction<out>(Reduction(), whole ? Box() : builder.some_points(array.id), array);
  return true;
}

bool weighted_mean(MixedBuilder& builder) {
  if (!builder.has(Form::levels)) return false;
  const auto image = builder.read<Form::image>();
  builder.add_reduction<Form::mean>(WeightedMean(), builder.some_points(image.id), image,
                                    builder.read<Form::levels>());
  return true;
}

bool counts_of_keys(MixedBuilder& builder) {
  if (!builder.has(Form::levels)) return false;
  const auto keys = builder.read<Form::levels>();
  builder.add_reduction_by_key<Form::counts>(Count<std::uint8_t>(), 16, builder.some_points(keys.id), keys,
                                             keys);
  return true;
}

/// Levels from 9 on are left out.
bool sums_by_key(MixedBuilder& builder) {
  if (!builder.has(Form::levels)) return false;
  const auto keys = builder.read<Form::levels>();
  builder.add_reduction_by_key<Form::sums>(Sum<float>(), 9, builder.some_points(keys.id), keys,
                                           builder.read<Form::image>());
  return true;
}

template <class Body, int X, Form form>
bool phases(MixedBuilder& builder) {
  if (!builder.has(form)) return false;
  builder.add_phases<form, X>(Body{builder.weight()}, builder.read<form>());
  return true;
}

template <class Body, int Planes, int X, Form out, Form in>
bool planes(MixedBuilder& builder) {
  if (!builder.has(in)) return false;
  builder.add_planes<out, Planes, X>(Body{builder.weight()}, builder.read<in>());
  return true;
}

template <class Body, int D, int extent, Form out, Form in>
bool known_lines(MixedBuilder& builder) {
  if (!builder.has(in)) return false;
  builder.add_columns<out, D, extent>(Body{builder.weight()}, extent, builder.read<in>());
  return true;
}

bool two_values(MixedBuilder& builder) {
  if (!builder.has(Form::image)) return false;
  builder.add_stages<Form::image, Form::levels>(TwoValues{builder.weight()}, builder.read<Form::image>());
  return true;
}

bool three_values(MixedBuilder& builder) {
  if (!builder.has(Form::image) || !builder.has(Form::levels)) return false;
  const auto image = builder.read<Form::image>();
  builder.add_stages<Form::image, Form::levels, Form::image>(ThreeValues{builder.weight()}, image,
                                                             builder.read<Form::levels>());
  return true;
}

constexpr Recipe of_points[] = {point<Skewed, Form::image, Form::image>,
                                point<Down, Form::image, Form::image>,
                                point<Up, Form::image, Form::image>,
                                point<Transposed, Form::image, Form::image>,
                                point<Displaced, Form::image, Form::image>,
                                point<Branching, Form::image, Form::image>,
                                point<Mixed, Form::image, Form::image, Form::image>,
                                point<Sided, Form::image, Form::image, Form::image>,
                                point<Line1, Form::row, Form::row>,
                                point<Half1, Form::row, Form::row>,
                                point<ColumnSum, Form::row, Form::image>,
                                point<Spread, Form::image, Form::row>,
                                point<Lift, Form::volume, Form::image>,
                                point<Drop, Form::image, Form::volume>,
                                point<Skewed3, Form::volume, Form::volume>,
                                point<Turned3, Form::volume, Form::volume>,
                                point<WithRow, Form::image, Form::image, Form::row>,
                                point<Ramp1, Form::row>,
                                point<Ramp2, Form::image>,
                                point<Ramp3, Form::volume>,
                                point<Quantise, Form::levels, Form::image>,
                                point<ByteBlur, Form::levels, Form::levels>,
                                point<ByteMixed, Form::image, Form::image, Form::levels>,
                                point<TurnedBytes, Form::levels, Form::levels>,
                                point<OneColour, Form::image, Form::colours>,
                                phases<TwiceAsWide, 2, Form::image>,
                                phases<ThreeInARow, 3, Form::row>,
                                planes<ThreeColours, 3, 1, Form::colours, Form::image>,
                                planes<ColourPairs, 3, 2, Form::colours, Form::image>,
                                two_values,
                                three_values};
constexpr Recipe of_lines[] = {columns<CellHistogram, 2, 16, Form::histograms, Form::levels>,
                               columns<LineAlongX, 0, 5, Form::lines_x, Form::image>,
                               known_lines<EachAlongX, 0, 5, Form::lines_x, Form::image>,
                               columns<LineAlongY, 1, 4, Form::lines_y, Form::volume>,
                               columns<LineOfRow, 0, 6, Form::lines_of_row, Form::row>,
                               point<SliceHistogram, Form::image, Form::histograms, Form::image>,
                               point<SliceAlongX, Form::image, Form::lines_x>,
                               point<SliceAlongY, Form::image, Form::lines_y>,
                               point<SliceOfRow, Form::row, Form::lines_of_row>,
                               point<SliceToImage, Form::image, Form::lines_of_row>};
constexpr Recipe of_reductions[] = {reduction<Mean<float>, Form::mean, Form::image>,
                                    reduction<Mean<float>, Form::mean, Form::row>,
                                    reduction<Sum<std::uint8_t>, Form::total, Form::levels>,
                                    reduction<Sum<float>, Form::extreme, Form::volume>,
                                    reduction<Minimum<float>, Form::extreme, Form::image>,
                                    reduction<Maximum<float>, Form::extreme, Form::lines_x>,
                                    reduction<Histogram<std::uint8_t, 16>, Form::counts, Form::levels>,
                                    weighted_mean,
                                    counts_of_keys,
                                    sums_by_key,
                                    sums_by_key,
                                    point<LookUpSum, Form::image, Form::levels, Form::sums>,
                                    point<LessResult, Form::image, Form::image, Form::mean>,
                                    point<LessResult, Form::image, Form::image, Form::extreme>,
                                    point<RowLessResult, Form::row, Form::row, Form::total>,
                                    point<LookUpCount, Form::image, Form::levels, Form::counts>};

template <std::size_t Count>
bool add_one_of(const Recipe (&recipes)[Count], MixedBuilder& builder) {
  const auto chosen = static_cast<std::size_t>(builder.random.small(0, static_cast<int>(Count) - 1));
  const ArrayId before{builder.graph.forms.size()};
  if (!recipes[chosen](builder)) return false;
  builder.graph.text.append(builder.graph.text.empty() ? "" : ", ")
      .append(builder.graph.pipeline[before].name)
      .append(&recipes == static_cast<const void*>(&of_points)  ? " points "
              : &recipes == static_cast<const void*>(&of_lines) ? " lines "
                                                                : " reductions ")
      .append(std::to_string(chosen));
  for (ArrayId input : builder.graph.pipeline[before].inputs)
    builder.graph.text.append(" of ").append(builder.graph.pipeline[input].name);
  return true;
}

}  // namespace

void add_random_stage(MixedBuilder& builder) {
  for (bool done = false; !done;) {
    const int kind = builder.random.small(0, 9);
    done = kind < 5   ? add_one_of(of_points, builder)
           : kind < 8 ? add_one_of(of_lines, builder)
                      : add_one_of(of_reductions, builder);
  }
}

}  // namespace tessera::test
