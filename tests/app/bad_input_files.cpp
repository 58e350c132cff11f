// SPDX-License-Identifier: BSD-3-Clause
#include "bad_input_files.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include "io/plain_png.hpp"

namespace tessera::app_test {

void write_bad_input(const std::filesystem::path& folder) {
  using io_test::make_png;
  using io_test::write_plain_png;
  const auto write = [&folder](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  const auto sample = [](auto x, auto y, int c) { return static_cast<int>(x * y * 37 + c) & 255; };
  write_plain_png(folder / "image.png", make_png(40, 30, PNG_COLOR_TYPE_RGB, 8, sample));
  std::ifstream stream(folder / "image.png", std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(stream), {}};
  write("picture", image);
  write("header.png", image.substr(0, 20));
  write("data.png", image.substr(0, image.size() / 2));
  write("text.png", "This is no picture, whatever its name says.\n");
  std::filesystem::create_directory(folder / "folder");
  write("good.yaml", "{input: {file: image.png}, output: {file: o.h5}}\n");
  write("unknown.yaml", "input: {file: image.png}\nschedule:\n  bh:\n    compte: tile\n");
  write("type.yaml", "input: {file: image.png}\ngrid: many\n");
  write("tile.yaml", "input: {file: image.png}\nschedule:\n  bv:\n    tile: [-4, 4]\n");
  write("grid.yaml", "input: {file: image.png}\ngrid: [2, 2]\n");
  write("list.yaml", "- input\n- output\n");
  write("itself.yaml", "include: itself.yaml\n");
  write("empty.yaml", "# no keys\n");
}

}  // namespace tessera::app_test
