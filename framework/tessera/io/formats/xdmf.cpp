// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "tessera/domain/text.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::io {
namespace {

/// A data set of an HDF5 file.
struct XdmfArray {
  std::string file;
  std::string dataset;
  Box domain;
  ElementType type;
  ThirdDimension third;
};

std::string number_type(ElementType type) {
  constexpr std::array<std::string_view, 10> names = {"Char", "UChar", "Int",  "UInt",  "Int",
                                                      "UInt", "Int",   "UInt", "Float", "Float"};
  return fmt::format("NumberType=\"{}\" Precision=\"{}\"", names[static_cast<std::size_t>(type)],
                     size_of(type));
}

/// Builds the text of the XDMF file for one array. Programs that read XDMF files expect three dimensions of
/// the grid and of its values, even if the data set has only two.
class XdmfText {
 public:
  explicit XdmfText(const XdmfArray& array)
      : array_(array), place_(xml_escaped(array.file + ":/" + array.dataset)) {
    for (int d = 0; d < array.domain.dimensions; ++d)
      extents_[static_cast<std::size_t>(2 - d)] = array.domain[d].size();
    if (has_channels()) extents_[0] = 1;
  }

  std::string text() const {
    const std::string name = xml_escaped(array_.dataset);
    return fmt::format(
        "<?xml version=\"1.0\" ?>\n"
        "<Xdmf Version=\"2.0\">\n"
        "  <Domain>\n"
        "    <Grid Name=\"{}\" GridType=\"Uniform\">\n"
        "      <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{}\"/>\n"
        "      <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
        "        <DataItem Dimensions=\"3\" Format=\"XML\">0 0 0</DataItem>\n"
        "        <DataItem Dimensions=\"3\" Format=\"XML\">1 1 1</DataItem>\n"
        "      </Geometry>\n"
        "{}"
        "    </Grid>\n"
        "  </Domain>\n"
        "</Xdmf>\n",
        name, shape(), arrays(name));
  }

 private:
  bool has_channels() const {
    return array_.domain.dimensions == 3 && array_.third == ThirdDimension::channel;
  }
  std::string height_and_width() const { return fmt::format("{} {}", extents_[1], extents_[2]); }
  std::int64_t channels() const { return array_.domain[2].size(); }

  std::string arrays(const std::string& name) const {
    if (!has_channels()) return value(name, stored(shape(), "        "));
    std::string values;
    for (std::int64_t c = 0; c < channels(); ++c) values += value(fmt::format("{}_{}", name, c), channel(c));
    return values;
  }

  /// Returns the XML element that refers to the data set. `shape` gives its dimensions.
  std::string stored(const std::string& shape, const char* indent) const {
    return fmt::format("{}<DataItem Dimensions=\"{}\" {} Format=\"HDF\">{}</DataItem>\n", indent, shape,
                       number_type(array_.type), place_);
  }

  /// Returns the extents of the grid, slowest dimension first.
  std::string shape() const { return fmt::format("{} {} {}", extents_[0], extents_[1], extents_[2]); }

  static std::string value(const std::string& name, const std::string& item) {
    return fmt::format(
        "      <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">\n{}      </Attribute>\n",
        name, item);
  }

  std::string channel(std::int64_t c) const {
    return fmt::format(
        "        <DataItem ItemType=\"HyperSlab\" Dimensions=\"1 {0}\">\n"
        "          <DataItem Dimensions=\"3 3\" Format=\"XML\">{1} 0 0 1 1 1 1 {0}</DataItem>\n"
        "{2}"
        "        </DataItem>\n",
        height_and_width(), c, stored(fmt::format("{} {}", channels(), height_and_width()), "          "));
  }

  const XdmfArray& array_;
  std::string place_;
  /// The extents of the grid along z, y and x.
  std::array<std::int64_t, 3> extents_ = {1, 1, 1};
};

class XdmfSink final : public BlockSink {
 public:
  XdmfSink(MPI_Comm communicator, const std::string& path, std::string text, const Box& domain)
      : file_(communicator, path), text_(std::move(text)), domain_(domain) {}

  void write(const HostBlock&) override { file_.write(text_); }
  void write_part(const HostBlock& block, const Box& part) override {
    for (int d = 0; d < domain_.dimensions; ++d)
      if (part[d].end != domain_[d].end) return;
    write(block);
  }

 private:
  TextFile file_;
  std::string text_;
  Box domain_;
};

}  // namespace

std::unique_ptr<BlockSink> create_xdmf(MPI_Comm communicator, const std::string& path,
                                       const std::string& hdf5_path, const std::string& dataset,
                                       const Box& domain, ElementType type, ThirdDimension third) {
  if (is_complex(type))
    detail::fail(path, fmt::format("XDMF has no {}", name_of(type)), "leave it out, or write a real array");
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(path).parent_path();
  const std::string reference = fs::absolute(hdf5_path).lexically_relative(folder).string();
  return std::make_unique<XdmfSink>(communicator, path,
                                    XdmfText({reference, dataset, domain, type, third}).text(), domain);
}

}  // namespace tessera::io
