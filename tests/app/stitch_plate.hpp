// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/plain_png.hpp"
#include "program_runs.hpp"

// Plates that are cut into tiles whose positions are known.
namespace tessera::app_test {

/// How a plate is cut, and what happens to its tiles.
struct Cut {
  int rows = 2;
  int columns = 2;
  int width = 120;
  int height = 90;
  double overlap = 0.2;
  /// By how many pixels tiles are moved at most.
  int jitter = 3;
  int bits = 16;
  unsigned seed = 1;
  /// The deviation of the noise, as a share of the greatest pixel.
  double noise = 0;
  /// By what share the corners of tiles are darker.
  double shade = 0;
  /// The cells of tiles that show nothing but noise.
  std::set<std::pair<int, int>> blank = {};
  /// The cells of tiles that show a texture only where they lie on one neighbour, and which one that is: 0 on
  /// the left, 1 on the right, 2 above, 3 below. The plate itself is bare there.
  std::map<std::pair<int, int>, int> textured_side = {};
  /// The share of that side's length that has the texture.
  double textured_share = 1;
  /// The number of the first row and column.
  int first = 0;
  /// Whether the plate is a part of a photograph, of 600 x 400 pixels at most (see tests/data), and not made
  /// of random textures.
  bool is_photograph = false;
};

/// A plate with textures of several sizes, or of a photograph, and its tiles.
class CutPlate {
 public:
  explicit CutPlate(Cut cut) : cut_(std::move(cut)), random_(cut_.seed) {
    const int right = step(cut_.width), down = step(cut_.height);
    width_ = 2 * cut_.jitter + right * (cut_.columns - 1) + cut_.width;
    height_ = 2 * cut_.jitter + down * (cut_.rows - 1) + cut_.height;
    values_.resize(static_cast<std::size_t>(width_ * height_));
    if (cut_.is_photograph)
      take_photograph();
    else
      for (const auto& [cell, share] : {std::pair{48, 0.45}, {13, 0.3}, {5, 0.15}, {2, 0.1}})
        add_texture(cell, share);
    for (int row = 0; row < cut_.rows; ++row)
      for (int column = 0; column < cut_.columns; ++column)
        corners_[{row, column}] = {cut_.jitter + column * right + moved(),
                                   cut_.jitter + row * down + moved()};
    for (const auto& [cell, side] : cut_.textured_side) make_bare(cell, side);
  }

  int width() const { return width_; }
  int height() const { return height_; }
  /// The pixel of the plate without noise and shade.
  int pixel(int x, int y) const { return static_cast<int>(value(x, y) * greatest() + 0.5); }
  /// The upper left corner of a tile on the plate, x first.
  std::pair<int, int> corner(int row, int column) const { return corners_.at({row, column}); }
  /// The positions as the program is to write them.
  std::string positions() const {
    int x = width_, y = height_;
    for (const auto& [cell, corner] : corners_) {
      x = std::min(x, corner.first);
      y = std::min(y, corner.second);
    }
    std::string text = "row,col,x,y\n";
    for (const auto& [cell, corner] : corners_)
      text += std::to_string(cell.first + cut_.first) + "," + std::to_string(cell.second + cut_.first) + "," +
              std::to_string(corner.first - x) + "," + std::to_string(corner.second - y) + "\n";
    return text;
  }
  /// Writes a tile to a PNG file.
  void write(int row, int column, const std::string& path) {
    const int left = corner(row, column).first, top = corner(row, column).second;
    const bool is_blank = cut_.blank.contains({row, column});
    std::normal_distribution<double> noise(0, 1);
    io_test::write_plain_png(
        path,
        io_test::make_png(cut_.width, cut_.height, PNG_COLOR_TYPE_GRAY, cut_.bits, [&](auto x, auto y, int) {
          const double u = 2.0 * double(x) / cut_.width - 1, v = 2.0 * double(y) / cut_.height - 1;
          const double light = 1 - cut_.shade * (u * u + v * v) / 2;
          const double shown =
              (is_blank ? 0.5 : value(left + static_cast<int>(x), top + static_cast<int>(y))) * light;
          const double noisy = cut_.noise > 0 ? shown + cut_.noise * noise(random_) : shown;
          return static_cast<int>(std::clamp(noisy, 0.0, 1.0) * greatest() + 0.5);
        }));
  }
  /// Writes all tiles as `t_r<row>_c<col>.png`, with two digits each.
  void write_all(const Folder& folder) {
    for (int row = 0; row < cut_.rows; ++row)
      for (int column = 0; column < cut_.columns; ++column) write(row, column, folder / name(row, column));
  }
  std::string name(int row, int column) const {
    const auto two = [&](int number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    return "t_r" + two(row + cut_.first) + "_c" + two(column + cut_.first) + ".png";
  }

 private:
  int greatest() const { return (1 << cut_.bits) - 1; }
  int step(int side) const { return static_cast<int>(side * (1 - cut_.overlap)); }
  int moved() {
    return cut_.jitter == 0
               ? 0
               : static_cast<int>(random_() % static_cast<unsigned>(2 * cut_.jitter + 1)) - cut_.jitter;
  }
  double value(int x, int y) const { return values_[static_cast<std::size_t>(y * width_ + x)]; }

  void take_photograph() {
    const io_test::PlainPng photograph = io_test::read_plain_png(TESSERA_PHOTOGRAPH);
    EXPECT_LE(width_, photograph.width);
    EXPECT_LE(height_, photograph.height);
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        values_[static_cast<std::size_t>(y * width_ + x)] = photograph.sample(x, y) / 255.0;
  }

  /// Makes a tile bare except where it lies on one neighbour.
  void make_bare(std::pair<int, int> cell, int side) {
    const auto [left, top] = corners_.at(cell);
    int begin[2] = {left, top}, end[2] = {left + cut_.width, top + cut_.height};
    const int axis = side / 2, extent = axis == 0 ? cut_.width : cut_.height;
    const int common = extent - step(extent) + cut_.jitter;
    side % 2 == 0 ? begin[axis] += common : end[axis] -= common;
    const int across = axis == 0 ? cut_.height : cut_.width, first = axis == 0 ? top : left;
    const int bare_from = first + static_cast<int>(cut_.textured_share * across);
    for (int y = top; y < top + cut_.height; ++y)
      for (int x = left; x < left + cut_.width; ++x) {
        const bool is_inside = x >= begin[0] && x < end[0] && y >= begin[1] && y < end[1];
        if (is_inside || (axis == 0 ? y : x) >= bare_from)
          values_[static_cast<std::size_t>(y * width_ + x)] = 0.5;
      }
  }

  /// Adds values that are random at the corners of squares, and linear in between.
  void add_texture(int cell, double share) {
    const int across = width_ / cell + 2;
    std::vector<double> corners(static_cast<std::size_t>(across * (height_ / cell + 2)));
    for (double& corner : corners) corner = static_cast<double>(random_() % 65536) / 65535;
    const auto at = [&](int x, int y) { return corners[static_cast<std::size_t>(y * across + x)]; };
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const int i = x / cell, j = y / cell;
        const double u = double(x % cell) / cell, v = double(y % cell) / cell;
        values_[static_cast<std::size_t>(y * width_ + x)] +=
            share * ((at(i, j) * (1 - u) + at(i + 1, j) * u) * (1 - v) +
                     (at(i, j + 1) * (1 - u) + at(i + 1, j + 1) * u) * v);
      }
  }

  Cut cut_;
  std::mt19937 random_;
  int width_ = 0;
  int height_ = 0;
  std::vector<double> values_;
  std::map<std::pair<int, int>, std::pair<int, int>> corners_;
};

}  // namespace tessera::app_test
