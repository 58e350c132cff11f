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

/// Returns a key whose value is an integer from `least` on.
KeyDeclaration number(const char* name, const char* group, double least, const char* help) {
  KeyDeclaration key{.name = name, .type = ValueType::integer, .group = group, .help = help};
  key.minimum = least;
  key.maximum = 1 << 24;
  return key;
}

/// Returns a key whose value is a number from 0 to `most`; without a default if `default_text` is null.
KeyDeclaration share(const char* name, const char* default_text, double most, const char* help) {
  KeyDeclaration key{.name = name, .type = ValueType::real, .group = "Stitching", .help = help};
  if (default_text != nullptr) key.default_text = default_text;
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
  KeyDeclaration tiles =
      file("input.tiles",
           "The names of the files of tiles: tile_r{row:3}_c{col:3}.tif has a row and a column with three "
           "digits each, and tile_{index:4}.tif one number with four; names may also have {z} and {channel}");
  tiles.required = true;
  tiles.alternatives = {"input.positions"};
  return {
      tiles,
      file(
          "input.positions",
          "Instead of input.tiles, a table of tiles and their nominal positions in pixels, as CSV: file,x,y"),
      number("input.rows", "Files", 1,
             "How many rows of tiles there are; without it, the names of the files tell"),
      number("input.columns", "Files", 1,
             "How many columns of tiles there are; without it, the names of the files tell"),
      choice("input.order", "Files", texts(order_names),
             "How names with {index} number the tiles: row after row or column after column, in serpentine "
             "orders every other one backwards"),
      choice("input.start", "Files", texts(corner_names),
             "The corner of the plate at which the numbers begin"),
      choice("missing", "Files", {"stop", "skip"},
             "What happens if a tile is missing: stop ends the run, skip stitches the other tiles"),
      {.name = "input.dataset",
       .type = ValueType::text,
       .group = "Files",
       .help = "The data set of HDF5 files; without it the only one"},
      number("input.page", "Files", 0,
             "The page of TIFF files, counted from 0, such as the page of one slice in z; without it the "
             "first")};
}

/// Returns the keys about what is known of the tiles, besides their files.
Keys knowledge_keys() {
  return {
      share("input.overlap", nullptr, 0.95,
            "The share of a tile that its neighbour shows, too; without it 0.1, and neighbours may also show "
            "much more"),
      file("input.translations",
           "Translations that an earlier run has written to output.translations: tiles are not compared "
           "again"),
      file("input.placed",
           "Positions that an earlier run has written to output.positions: tiles, such as those of another "
           "slice in z, are composed at these positions without being compared"),
      file("flat_field.file",
           "An image of the light that falls on tiles: their pixels are divided by it, and multiplied by its "
           "mean"),
      number("input.channel", "Stitching", 0,
             "The number of the channel that is compared, as in names with {channel}, or else counted from "
             "0; without it the first; all channels are composed"),
      number("input.slice", "Stitching", 0,
             "The number of the slice in z that is compared, as in names with {z}; without it the first; all "
             "slices are composed")};
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
           "The plate as OME-TIFF with a pyramid, which also has the plate at half, a quarter and so on of "
           "its size"),
      file("output.file", "The plate as HDF5, with the data set plate"),
      file("output.png", "The plate as PNG"),
      file("output.raw", "The pixels of the plate as raw numbers, without a header")};
}

Keys method_keys() {
  KeyDeclaration peaks =
      number("peaks", "Stitching", 1, "How many of the highest peaks of each phase correlation are tried");
  peaks.default_text.emplace("2");
  peaks.maximum = 64;
  std::vector<std::string> traversals = texts(traversal_names);
  traversals.insert(traversals.begin(), "auto");
  return {
      peaks,
      choice("precision", "Stitching", {"float", "double"}, "The type of the numbers in Fourier transforms"),
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
             "What the plate shows where tiles overlap: the last tile, the mean of the tiles, or their mean "
             "weighted by the distance from their borders")};
}

}  // namespace

Keys keys() {
  Keys keys;
  for (const Keys& some : {tile_keys(), knowledge_keys(), output_keys(), method_keys()})
    keys.insert(keys.end(), some.begin(), some.end());
  return keys;
}

}  // namespace stitch
