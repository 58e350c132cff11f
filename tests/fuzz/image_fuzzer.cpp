// SPDX-License-Identifier: BSD-3-Clause
// What the readers of images make of any bytes: an image, or an InputError.
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/video_backend.hpp"
#include "tessera/io/image_source.hpp"

// Videos are not among the readers that are compiled into this program.
const bool tessera::io::detail::has_video = false;

namespace {

using namespace tessera;

/// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : number_(::memfd_create("image", 0)) {
    if (number_ < 0 || ::write(number_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(number_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

void read_all(const std::string& path) {
  const io::ImageInfo info = io::inspect_image(path);
  const Box& box = info.domain;
  // What a header may claim although it is more than memory: no reader allocates it.
  std::int64_t points = 1;
  for (int d = 0; d < box.dimensions; ++d)
    if (__builtin_mul_overflow(points, box[d].size(), &points) || points > std::int64_t{1} << 22) return;
  std::vector<std::byte> memory(static_cast<std::size_t>(points) * size_of(info.type));
  HostBlock block{memory.data(), info.type, box, {}};
  std::int64_t stride = 1;
  for (int d = 0; d < box.dimensions; ++d) {
    block.strides[d] = stride;
    stride *= box[d].size();
  }
  io::open_image(MPI_COMM_SELF, path, info)->read(block);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** values) {
  // Never ended: what MPI keeps till then would look like leaks.
  MPI_Init(count, values);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const MemoryFile file(data, size);
    read_all(file.path());
  } catch (const tessera::InputError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
