// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <filesystem>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/xdmf_text.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::io {
namespace {

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
                                    detail::xdmf_text({reference, dataset, domain, type, third}), domain);
}

}  // namespace tessera::io
