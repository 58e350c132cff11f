// SPDX-License-Identifier: BSD-3-Clause
#include "keys.hpp"

#include <string>
#include <utility>

#include "composition.hpp"

namespace stitch {
namespace {

using tessera::deck::KeyDeclaration, tessera::deck::ValueType;
using Keys = std::vector<KeyDeclaration>;

KeyDeclaration file(const char* name, const char* help) {
  return {.name = name, .type = ValueType::path, .group = "Files", .help = help};
}

KeyDeclaration number(const char* name, const char* group, double least, const char* help) {
  KeyDeclaration key{.name = name, .type = ValueType::integer, .group = group, .help = help};
  key.minimum = least;
  key.maximum = 1 << 24;
  return key;
}

KeyDeclaration share(const char* name, const char* value, double most, const char* help) {
  KeyDeclaration key{.name = name, .type = ValueType::real, .group = "Stitching", .help = help};
  if (value != nullptr) key.default_text = value;
  key.minimum = 0;
  key.maximum = most;
  return key;
}

/// Returns a key whose value is one of `choices`, the first one unless a deck says otherwise.
KeyDeclaration choice(const char* name, const char* group, std::vector<std::string> choices,
                      const char* help) {
  KeyDeclaration key{.name = name, .type = ValueType::choice, .group = group, .help = help};
  key.default_text = choices.front();
  key.choices = std::move(choices);
  return key;
}

template <std::size_t N>
std::vector<std::string> texts(const std::string_view (&names)[N]) {
  return {names, names + N};
}

Keys tile_keys() {
  KeyDeclaration tiles = file("input.tiles",
                              "The files of the tiles, such as tile_r{row:3}_c{col:3}.tif, with three digits "
                              "each, or tile_{index:4}.tif; also with {z} and {channel}");
  tiles.required = true;
  tiles.alternatives = {"input.positions"};
  return {
      tiles,
      file("input.positions",
           "A table of tiles and their nominal positions in pixels instead, as CSV: file,x,y"),
      number("input.rows", "Files", 1,
             "How many rows of tiles there are; without it as many as the files have"),
      number("input.columns", "Files", 1,
             "How many columns of tiles there are; without it as many as the files have"),
      choice("input.order", "Files", texts(order_names),
             "The order of the numbers of names with {index}: row after row, column after column, or there "
             "and back"),
      choice("input.start", "Files", texts(corner_names),
             "The corner of the plate at which the numbers begin"),
      choice("missing", "Files", {"stop", "skip"},
             "What a missing tile does: stop ends the run, skip stitches around it"),
      {.name = "input.dataset",
       .type = ValueType::text,
       .group = "Files",
       .help = "The data set of HDF5 files; without it the only one"},
      number("input.page", "Files", 0,
             "The page of TIFF files, from 0 on, such as that of one z; without it the first")};
}

Keys knowledge_keys() {
  return {
      share("input.overlap", nullptr, 0.95,
            "The share of a tile that its neighbour shows, too; without it 0.1, and neighbours may also show "
            "much more"),
      file("input.translations",
           "Translations that an earlier run has written to output.translations: tiles are not compared "
           "again"),
      file("input.placed",
           "Positions that an earlier run has written to output.positions: only the plate is composed, such "
           "as that of another z"),
      file("flat_field.file",
           "An image of the light that falls on tiles: they are divided by it, and multiplied by its mean"),
      number("input.channel", "Stitching", 0,
             "The channel that is compared, by its number in the names if they have {channel}, or "
             "from 0 on; without it the first; all channels are composed"),
      number("input.slice", "Stitching", 0,
             "The slice in z that is compared, by its number in the names, if they have {z}; without it the "
             "first; all slices are composed")};
}

Keys output_keys() {
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

Keys method_keys() {
  KeyDeclaration peaks =
      number("peaks", "Stitching", 1, "How many of the highest peaks of each phase correlation are tried");
  peaks.default_text.emplace("2");
  peaks.maximum = 64;
  std::vector<std::string> traversals = texts(traversal_names);
  traversals.insert(traversals.begin(), "auto");
  return {peaks,
          choice("precision", "Stitching", {"float", "double"}, "The numbers of Fourier transforms"),
          choice("traversal", "Stitching", traversals,
                 "The order in which tiles are read; auto: along the shorter side, which needs the fewest "
                 "transforms at a time"),
          share("reliable", "0.5", 1,
                "The least correlation of a translation that counts for the model of the stage"),
          choice("solver", "Stitching", texts(solver_names),
                 "How positions follow from translations: along the tree of the best pairs, or by least "
                 "squares"),
          choice("graph.halo", "Graph", texts(halo_names),
                 "How a rank gets the transforms of the row of tiles above its band: it computes them again, "
                 "or the rank that has them sends them"),
          choice("blend", "Stitching", texts(blend_names),
                 "What the plate shows where tiles lie on each other: the last one, the mean, or the mean "
                 "weighted by the distance from borders")};
}

}  // namespace

Keys keys() {
  Keys keys;
  for (const Keys& some : {tile_keys(), knowledge_keys(), output_keys(), method_keys()})
    keys.insert(keys.end(), some.begin(), some.end());
  return keys;
}

}  // namespace stitch
