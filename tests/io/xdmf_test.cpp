// SPDX-License-Identifier: BSD-3-Clause
#include "io/io_test_support.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io_test {
namespace {

class Xdmf : public testing::Test {
 protected:
  std::string text(const std::string& hdf5, const Box& domain, ElementType type,
                   io::ThirdDimension third = io::ThirdDimension::channel) {
    const std::string path = folder_ / "image.xdmf";
    io::create_xdmf(MPI_COMM_WORLD, path, hdf5, "image", domain, type, third)->write({});
    MPI_Barrier(MPI_COMM_WORLD);
    return bytes_of(path);
  }

  SharedFolder folder_;
};

int count(const std::string& text, const std::string& part) {
  int times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST_F(Xdmf, AGreyImage) {
  EXPECT_EQ(text(folder_ / "image.h5", {{0, 29}, {0, 17}}, ElementType::uint16), R"(<?xml version="1.0" ?>
<Xdmf Version="2.0">
  <Domain>
    <Grid Name="image" GridType="Uniform">
      <Topology TopologyType="3DCoRectMesh" Dimensions="1 17 29"/>
      <Geometry GeometryType="ORIGIN_DXDYDZ">
        <DataItem Dimensions="3" Format="XML">0 0 0</DataItem>
        <DataItem Dimensions="3" Format="XML">1 1 1</DataItem>
      </Geometry>
      <Attribute Name="image" AttributeType="Scalar" Center="Node">
        <DataItem Dimensions="1 17 29" NumberType="UInt" Precision="2" Format="HDF">image.h5:/image</DataItem>
      </Attribute>
    </Grid>
  </Domain>
</Xdmf>
)");
}

TEST_F(Xdmf, ChannelsAreArraysOfOneGrid) {
  const std::string xdmf = text(folder_ / "image.h5", {{0, 29}, {0, 17}, {0, 3}}, ElementType::float32);
  EXPECT_EQ(count(xdmf, "Dimensions=\"1 17 29\"/>"), 1) << xdmf;
  for (const char* name : {"image_0", "image_1", "image_2"})
    EXPECT_EQ(count(xdmf, std::string("Name=\"") + name + "\""), 1) << xdmf;
  EXPECT_EQ(count(xdmf, "<DataItem Dimensions=\"3 17 29\" NumberType=\"Float\" Precision=\"4\""), 3) << xdmf;
  EXPECT_EQ(count(xdmf, ">2 0 0 1 1 1 1 17 29<"), 1) << xdmf;
}

TEST_F(Xdmf, Volumes) {
  const std::string xdmf =
      text(folder_ / "v.h5", {{0, 4}, {0, 5}, {0, 6}}, ElementType::float64, io::ThirdDimension::z);
  EXPECT_EQ(count(xdmf, "Dimensions=\"6 5 4\"/>"), 1) << xdmf;
  EXPECT_EQ(count(xdmf, "Dimensions=\"6 5 4\" NumberType=\"Float\" Precision=\"8\""), 1) << xdmf;
}

TEST_F(Xdmf, TheHdf5FileIsNamedAsSeenFromItsFolder) {
  const Box domain{{0, 2}, {0, 2}};
  EXPECT_EQ(
      count(text(folder_ / "data/a&<b>.h5", domain, ElementType::int8), ">data/a&amp;&lt;b&gt;.h5:/image<"),
      1);
  EXPECT_EQ(count(text(folder_ / "../other/i.h5", domain, ElementType::int8), ">../other/i.h5:/image<"), 1);
}

TEST_F(Xdmf, LeavesNothingBehindUnlessItIsWritten) {
  io::create_xdmf(MPI_COMM_WORLD, folder_ / "i.xdmf", folder_ / "i.h5", "image", {{0, 2}, {0, 2}},
                  ElementType::int8, io::ThirdDimension::z);
  EXPECT_TRUE(folder_.files().empty());
  expect_input_error(
      [&] {
        io::create_xdmf(MPI_COMM_WORLD, folder_ / "missing/i.xdmf", folder_ / "i.h5", "image",
                        {{0, 2}, {0, 2}}, ElementType::int8, io::ThirdDimension::z);
      },
      {"missing/i.xdmf", "No such file"});
}

}  // namespace
}  // namespace tessera::io_test
