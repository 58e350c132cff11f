// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/image_inputs.hpp"
#include "tessera/app/session.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// The further images of a series, such as the kernel of convolutions. Each file is read once, and all images
/// of the series are computed with it.
class SharedImages {
 public:
  /// Reads the further images that the deck names, all of each on every rank. Collective. Throws InputError.
  SharedImages(Session& session, const PipelineApplication& application, const deck::Deck& deck);

  /// Returns the files, and the descriptions of the images.
  const ImageInputs& inputs() const { return inputs_; }
  /// Returns the bytes of the points of all images.
  std::int64_t bytes() const;
  /// Adds the images to `bindings` as sources of a pipeline's inputs. Several threads may read these sources
  /// at the same time.
  void bind(Bindings& bindings) const;

 private:
  /// An image in memory.
  class Points final : public BlockSource {
   public:
    Points(ElementType type, const Box& box);
    void read(const HostBlock& block) override;
    HostBlock block();
    std::int64_t bytes() const { return std::ssize(bytes_); }

   private:
    ElementType type_;
    Box box_;
    std::vector<std::byte> bytes_;
  };

  ImageInputs inputs_;
  std::map<std::string, std::unique_ptr<Points>> images_;
};

}  // namespace tessera::app
