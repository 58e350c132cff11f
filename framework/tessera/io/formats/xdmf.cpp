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

std::string number_type(ElementType type) {
  constexpr std::array<std::string_view, 10> names = {"Char", "UChar", "Int",  "UInt",  "Int",
                                                      "UInt", "Int",   "UInt", "Float", "Float"};
  return fmt::format("NumberType=\"{}\" Precision=\"{}\"", names[static_cast<std::size_t>(type)],
                     size_of(type));
}

/// Returns the attribute of the grid that an XML element describes, which stands in lines of its own.
std::string attribute_text(const std::string& name, const std::string& item) {
  return fmt::format(
      "      <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">\n{}      </Attribute>\n", name,
      item);
}

/// Returns the attributes for the channels of an image, which are parts of the data set `item`.
std::string channel_attributes(const std::string& name, const std::string& item, const std::string& plane,
                               std::int64_t channels) {
  std::string text;
  for (std::int64_t c = 0; c < channels; ++c)
    text += attribute_text(
        fmt::format("{}_{}", name, c),
        fmt::format("        <DataItem ItemType=\"HyperSlab\" Dimensions=\"1 {0}\">\n"
                    "          <DataItem Dimensions=\"3 3\" Format=\"XML\">{1} 0 0 1 1 1 1 {0}</DataItem>\n"
                    "          {2}"
                    "        </DataItem>\n",
                    plane, c, item));
  return text;
}

/// Returns the text of an XDMF file. Programs that read such files expect three dimensions of the grid and of
/// its values, even if the data set has only two. `place` is the file and the name of the data set.
std::string xdmf_text(const std::string& place, const std::string& dataset, const Box& domain,
                      ElementType type, ThirdDimension third) {
  const std::string name = xml_escaped(dataset);
  const auto extent = [&](int d) { return d < domain.dimensions ? domain[d].size() : 1; };
  const bool has_channels = domain.dimensions == 3 && third == ThirdDimension::channel;
  const std::string plane = fmt::format("{} {}", extent(1), extent(0));
  const std::string grid = fmt::format("{} {}", has_channels ? 1 : extent(2), plane);
  const std::string item = fmt::format("<DataItem Dimensions=\"{} {}\" {} Format=\"HDF\">{}</DataItem>\n",
                                       extent(2), plane, number_type(type), xml_escaped(place));
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
      name, grid,
      has_channels ? channel_attributes(name, item, plane, extent(2))
                   : attribute_text(name, "        " + item));
}

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
  return std::make_unique<XdmfSink>(
      communicator, path, xdmf_text(reference + ":/" + dataset, dataset, domain, type, third), domain);
}

}  // namespace tessera::io
