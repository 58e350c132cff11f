// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/image_inputs.hpp"
#include "tessera/app/session.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::app {

/// The images of a series that all ranks compute together, one after the other: files, or the frames of a
/// video. All calls but count(), name() and files() are collective.
class CommonItems {
 public:
  virtual ~CommonItems() = default;
  /// The number of images; -1 if nobody knows it.
  virtual std::int64_t count() const = 0;
  /// The paths of all files that are read or written, except those of further images that are read once.
  virtual std::vector<std::string> files() const = 0;
  /// Returns a line about images that an earlier run has computed; empty if there are none.
  virtual std::string remark() const { return {}; }

  /// Goes to the next image. Returns false after the last one. Throws InputError.
  virtual bool next() = 0;
  /// The name of the present image for messages.
  virtual std::string name() const = 0;
  /// Whether images after one that cannot be read can be.
  virtual bool may_skip() const = 0;
  /// The deck of a run on the present image alone.
  virtual deck::Deck deck() const = 0;
  /// The present image if it is not in an image file, else null.
  virtual const GivenImage* given() const { return nullptr; }
  /// Reads the headers of the present image and of all other images that are read with it. Throws InputError.
  virtual ImageInputs& inputs() = 0;
  /// Adds the sources of these images to `bindings`. They exist until the next call of next().
  virtual void open(Bindings& bindings) { inputs().open(bindings); }
  /// Creates the result of the present image. An HDF5 file holds what `notes` returns. Throws InputError.
  virtual std::unique_ptr<BlockSink> create(const ArrayDeclaration& result,
                                            std::function<io::FileNotes()> notes) = 0;
  /// Notes that the result of the present image is whole.
  virtual void wrote() {}
  /// Completes the results. `is_stopped` says whether a signal has ended the series.
  virtual void finish(bool is_stopped) = 0;
};

/// Returns the images of the series that the deck names. The arguments must outlive it. Collective. Throws
/// InputError when there are none, when a video cannot be read, or when the program does not accept it.
std::unique_ptr<CommonItems> common_items(Session& session, const PipelineApplication& application,
                                          const deck::Deck& deck);

}  // namespace tessera::app
