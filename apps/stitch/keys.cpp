// SPDX-License-Identifier: BSD-3-Clause
#include <string_view>

#include "program.hpp"

namespace stitch {
namespace {

using tessera::deck::KeyDeclaration, tessera::deck::ValueType;

template <std::size_t N>
std::vector<std::string> texts(const std::string_view (&names)[N]) {
  return {names, names + N};
}

KeyDeclaration number(const char* name, const char* group, const char* help) {
  return {.name = name,
          .type = ValueType::integer,
          .group = group,
          .help = help,
          .minimum = 1,
          .maximum = 1 << 24};
}

KeyDeclaration choice(const char* name, const char* group, const char* help, const char* value,
                      std::vector<std::string> choices) {
  return {.name = name,
          .type = ValueType::choice,
          .group = group,
          .help = help,
          .default_text = value,
          .choices = std::move(choices)};
}

KeyDeclaration file(const char* name, const char* help) {
  return {.name = name, .type = ValueType::path, .group = "Files", .help = help};
}

/// Returns the keys about the files of tiles.
std::vector<KeyDeclaration> tile_keys() {
  KeyDeclaration tiles = file("input.tiles",
                              "The files of the tiles, such as tile_r{row:3}_c{col:3}.tif, with three digits "
                              "each, or tile_{index:4}.tif; also with {z} and {channel}");
  tiles.required = true;
  tiles.alternatives = {"input.positions"};
  auto page = number("input.page", "Files",
                     "The page of TIFF files, from 0 on, such as that of one z; without it the first");
  page.minimum = 0;
  return {
      tiles,
      file("input.positions",
           "A table of tiles and their nominal positions in pixels instead, as CSV: file,x,y"),
      number("input.rows", "Files", "How many rows of tiles there are; without it as many as the files have"),
      number("input.columns", "Files",
             "How many columns of tiles there are; without it as many as the files have"),
      choice("input.order", "Files",
             "The order of the numbers of names with {index}: row after row, column after column, or there "
             "and back",
             "rows", texts(order_names)),
      choice("input.start", "Files", "The corner of the plate at which the numbers begin", "upper_left",
             texts(corner_names)),
      choice("missing", "Files", "What a missing tile does: stop ends the run, skip stitches around it",
             "stop", {"stop", "skip"}),
      {.name = "input.dataset",
       .type = ValueType::text,
       .group = "Files",
       .help = "The data set of HDF5 files; without it the only one"},
      page};
}

/// Returns the keys about what is known of the tiles.
std::vector<KeyDeclaration> knowledge_keys() {
  auto channel = number("input.channel", "Stitching",
                        "The channel that is compared, by its number in the names if they have {channel}, or "
                        "from 0 on; without it the first; all channels are composed");
  channel.minimum = 0;
  auto slice =
      number("input.slice", "Stitching",
             "The slice in z that is compared, by its number in the names, if they have {z}; without it the "
             "first; all slices are composed");
  slice.minimum = 0;
  return {
      {.name = "input.overlap",
       .type = ValueType::real,
       .group = "Stitching",
       .help = "The share of a tile that its neighbour shows, too, as far as it is known",
       .default_text = "0.1",
       .minimum = 0,
       .maximum = 0.95},
      file("input.translations",
           "Translations that an earlier run has written to output.translations: tiles are not compared "
           "again"),
      file("input.placed",
           "Positions that an earlier run has written to output.positions: only the plate is composed, such "
           "as that of another z"),
      file("flat_field.file",
           "An image by which the light falls on tiles: they are divided by it, and multiplied by its mean"),
      channel,
      slice};
}

std::vector<KeyDeclaration> output_keys() {
  return {
      file("output.positions", "The positions of the tiles in pixels as CSV: row,col,x,y"),
      file("output.pairs", "A table of all pairs as CSV: what was measured, and what was taken instead"),
      file("output.json", "Positions, pairs and the model of the stage as JSON"),
      file("output.picture", "A picture of the grid as PNG, with the quality of each pair"),
      file("output.translations",
           "The translations as CSV, as soon as they are known: a later run can go on from them"),
      file("output.tiff",
           "The plate as TIFF, or BigTIFF if it is large; the names of plates may have {z} and {channel}"),
      file("output.ome_tiff",
           "The plate as OME-TIFF with a pyramid: it at half, a quarter and so on of its size"),
      file("output.file", "The plate as HDF5, with the data set plate"),
      file("output.png", "The plate as PNG"),
      file("output.raw", "The numbers of the plate alone")};
}

/// Returns the keys about how translations, positions and the plate are computed.
std::vector<KeyDeclaration> method_keys() {
  auto peaks =
      number("peaks", "Stitching", "How many of the highest peaks of each phase correlation are tried");
  peaks.default_text.emplace("2");
  peaks.maximum = 64;
  std::vector<std::string> traversals = texts(traversal_names);
  traversals.insert(traversals.begin(), "auto");
  return {
      peaks,
      choice("precision", "Stitching", "The numbers of Fourier transforms", "float", {"float", "double"}),
      choice("traversal", "Stitching",
             "The order in which tiles are read; auto: along the shorter side, which needs the fewest "
             "transforms at a time",
             "auto", traversals),
      {.name = "reliable",
       .type = ValueType::real,
       .group = "Stitching",
       .help = "The correlation from which on a translation counts for the model of the stage",
       .default_text = "0.5",
       .minimum = 0,
       .maximum = 1},
      choice("solver", "Stitching",
             "How positions follow from translations: along the tree of the best pairs, or by least squares",
             "tree", texts(solver_names)),
      choice("graph.halo", "Graph",
             "How a rank gets the transforms of the row of tiles above its band: it computes them again, or "
             "the rank that has them sends them",
             "recompute", texts(halo_names)),
      choice("blend", "Stitching",
             "What the plate shows where tiles lie on each other: the last one, the mean, or the mean "
             "weighted by the distance from borders",
             "overlay", texts(blend_names))};
}

}  // namespace

std::vector<KeyDeclaration> keys() {
  std::vector<KeyDeclaration> keys;
  for (const auto& some : {tile_keys(), knowledge_keys(), output_keys(), method_keys()})
    keys.insert(keys.end(), some.begin(), some.end());
  return keys;
}

std::vector<tessera::app::GraphNames> graph_names() {
  return {{{"read", "transform", "align"}, {"transforms"}}, {{"search"}, {}}, {{"compose"}, {"bands"}}};
}

}  // namespace stitch
