// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/shared_images.hpp"

#include "tessera/view/collectively.hpp"
#include "tessera/view/host_copy.hpp"

namespace tessera::app {

SharedImages::Points::Points(ElementType type, const Box& box)
    : type_(type), box_(box), bytes_(static_cast<std::size_t>(box.size()) * size_of(type)) {}

void SharedImages::Points::read(const HostBlock& to) { copy_part(block(), to, to.box); }

HostBlock SharedImages::Points::block() { return packed_block(bytes_.data(), type_, box_); }

SharedImages::SharedImages(Session& session, const PipelineApplication& application, const deck::Deck& deck)
    : inputs_(session.communicator(), application, deck) {
  Bindings files;
  inputs_.open(files);
  collectively(session.communicator(), [&] {
    for (const auto& file : files.sources) {
      const io::ImageInfo& info = *inputs_.image(file.first);
      images_.emplace(file.first, std::make_unique<Points>(info.type, info.domain));
    }
  });
  for (const auto& [name, points] : images_) files.sources.at(name)->read(points->block());
}

std::int64_t SharedImages::bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [name, points] : images_) bytes += points->bytes();
  return bytes;
}

void SharedImages::bind(Bindings& bindings) const {
  for (const auto& [name, points] : images_) bindings.sources.emplace(name, points.get());
}

}  // namespace tessera::app
