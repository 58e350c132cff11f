// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/image_source.hpp"

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/sources.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io {
namespace {

using Read = void (*)(const std::string& path, const ImageInfo& info, const HostBlock& block);

/// A source for a file that each rank reads by itself. If a rank cannot read the file, all ranks throw the
/// same error.
class RankwiseSource final : public BlockSource {
 public:
  RankwiseSource(MPI_Comm communicator, const std::string& path, const ImageInfo& info, Read read)
      : communicator_(communicator), path_(path), info_(info), read_(read) {}

  void read(const HostBlock& block) override {
    collectively(communicator_, [&] {
      detail::check_block(block, info_.type, info_.domain);
      read_(path_, info_, block);
    });
  }

 private:
  MPI_Comm communicator_;
  std::string path_;
  ImageInfo info_;
  Read read_;
};

}  // namespace

void detail::check_unchanged(const std::string& path, const ImageInfo& info, ElementType type,
                             const Box& domain) {
  if (type != info.type || !(domain == info.domain))
    fail(path, "has changed its size or type while the program ran", "start again");
}

std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info) {
  const auto rankwise = [&](Read read) {
    return std::make_unique<RankwiseSource>(communicator, path, info, read);
  };
  const auto rows = [&](detail::RowSource::Open open) {
    return std::make_unique<detail::RowSource>(communicator, path, info, std::move(open));
  };
  switch (info.format) {
    case ImageFormat::png:
      return rows(detail::open_png);
    case ImageFormat::flo:
      return rankwise(detail::read_flo);
    case ImageFormat::rle:
      return rankwise(detail::read_rle);
    case ImageFormat::tiff:
      return rankwise(detail::read_tiff);
    case ImageFormat::jpeg:
      return rows(detail::open_jpeg);
    case ImageFormat::fits:
      return rankwise(detail::read_fits);
    case ImageFormat::raw:
      return rankwise(detail::read_raw);
    case ImageFormat::hdf5:
      break;
  }
  return detail::open_hdf5(communicator, path, info);
}

}  // namespace tessera::io
