// SPDX-License-Identifier: BSD-3-Clause
// Complex numbers in files: as others write them, in either byte order, and in formats that have none.
#include <bit>
#include <complex>

#include "io/io_test_support.hpp"
#include "io/plain_hdf5.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

const Box domain{{0, 13}, {0, 7}};

/// A compound of two floats with these names, which lie `distance` bytes apart.
hid_t compound(const char* first, hid_t first_type, const char* second, hid_t second_type,
               std::size_t distance) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * distance);
  H5Tinsert(type, first, 0, first_type);
  H5Tinsert(type, second, distance, second_type);
  return type;
}

template <class T>
std::vector<std::complex<T>> pixels() {
  std::vector<std::complex<T>> values;
  filled<std::complex<T>>(domain).for_each(
      [&](auto, auto, auto, std::complex<T> value) { values.push_back(value); });
  return values;
}

class ComplexFiles : public testing::Test {
 protected:
  void expect_read(const io::ImageInfo& info, ElementType type) {
    const io::ImageInfo known = io::broadcast(MPI_COMM_WORLD, info);
    EXPECT_EQ(known.type, type);
    for (const Cut cut : all_cuts) {
      if (type == ElementType::complex64)
        expect_pixels<std::complex<float>>(known, cut);
      else
        expect_pixels<std::complex<double>>(known, cut);
    }
  }
  template <class T>
  void expect_pixels(const io::ImageInfo& info, Cut cut) {
    OwnedBlock<T> block(part_of(domain, cut), Layout::padded);
    io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
    EXPECT_TRUE(holds_pixels(block));
  }
  io::ImageInfo inspected() { return rank() == 0 ? io::inspect_image(path_) : io::ImageInfo{}; }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.h5";
};

TEST_F(ComplexFiles, CompoundsOfRAndIAreRead) {
  on_rank_0([&] {
    write_plain_hdf5(path_, "image", {7, 13}, pixels<float>(),
                     compound("r", H5T_NATIVE_FLOAT, "i", H5T_NATIVE_FLOAT, 4),
                     {compound("r", H5T_IEEE_F32LE, "i", H5T_IEEE_F32LE, 4), {}});
  });
  expect_read(inspected(), ElementType::complex64);
}

TEST_F(ComplexFiles, PartsInTheOtherByteOrderAndOrderOfMembersAreConverted) {
  on_rank_0([&] {
    write_plain_hdf5(path_, "image", {7, 13}, pixels<double>(),
                     compound("r", H5T_NATIVE_DOUBLE, "i", H5T_NATIVE_DOUBLE, 8),
                     {compound("i", H5T_IEEE_F64BE, "r", H5T_IEEE_F64BE, 8), {}});
  });
  expect_read(inspected(), ElementType::complex128);
}

TEST_F(ComplexFiles, WrittenCompoundsAreThoseOfH5py) {
  io::create_hdf5(MPI_COMM_WORLD, path_, "image", domain, ElementType::complex64)
      ->write(filled<std::complex<float>>(part_of(domain, Cut::rows)).block());
  on_rank_0([&] {
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "image", H5P_DEFAULT), type = H5Dget_type(dataset);
    const hid_t expected = compound("r", H5T_NATIVE_FLOAT, "i", H5T_NATIVE_FLOAT, 4);
    EXPECT_GT(H5Tequal(type, expected), 0);
    std::vector<std::complex<float>> values(static_cast<std::size_t>(domain.size()));
    EXPECT_GE(H5Dread(dataset, expected, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    EXPECT_EQ(values, pixels<float>());
    for (const hid_t id : {type, expected}) H5Tclose(id);
    H5Dclose(dataset);
    H5Fclose(file);
  });
}

TEST_F(ComplexFiles, OtherCompoundsAreRefused) {
  const hid_t types[] = {compound("r", H5T_NATIVE_FLOAT, "j", H5T_NATIVE_FLOAT, 4),
                         compound("r", H5T_NATIVE_FLOAT, "i", H5T_NATIVE_DOUBLE, 8),
                         compound("r", H5T_NATIVE_INT, "i", H5T_NATIVE_INT, 4)};
  int number = 0;
  for (const hid_t type : types) {
    const std::string name = "set" + std::to_string(number++);
    on_rank_0([&] { write_plain_hdf5<std::complex<float>>(path_, name, {7, 13}, {}, type, {type, {}}); });
    expect_input_error(
        [&] { io::inspect_image(path_, {name}); },
        {path_ + ": data set '" + name +
         "' does not hold integers or floats of at most 64 bits, or complex numbers with members r and i "
         "of such floats; choose another data set"});
  }
}

TEST_F(ComplexFiles, RawFilesInEitherByteOrder) {
  for (const bool is_big : {false, true}) {
    const io::RawLayout layout{3, is_big};
    on_rank_0([&] {
      std::string bytes = "abc";
      for (const std::complex<double>& value : pixels<double>())
        for (const double part : {value.real(), value.imag()}) {
          std::string text(reinterpret_cast<const char*>(&part), sizeof part);
          if (is_big != (std::endian::native == std::endian::big)) std::reverse(text.begin(), text.end());
          bytes += text;
        }
      write_bytes(path_, bytes);
    });
    expect_read(
        rank() == 0 ? io::inspect_raw(path_, layout, ElementType::complex128, domain) : io::ImageInfo{},
        ElementType::complex128);
  }
}

TEST_F(ComplexFiles, XdmfRefusesThem) {
  const std::string path = folder_ / "image";
  expect_input_error(
      [&] { io::create_xdmf(MPI_COMM_WORLD, path, path_, "image", domain, ElementType::complex64, {}); },
      {path + ": XDMF has no complex64; leave it out, or write a real array"});
}

}  // namespace
}  // namespace tessera::io_test
