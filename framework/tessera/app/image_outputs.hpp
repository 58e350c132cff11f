// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/image_inputs.hpp"
#include "tessera/app/loop_history.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera::app {

/// Returns whether a deck names a file for the result.
bool has_output(const deck::Deck& deck);

/// Declares the keys `output.*` of the files to which an application writes its result.
void declare_output_keys(deck::Schema& schema, const PipelineApplication& application);

/// The files to which an application writes its result and some of its stages. All functions except paths()
/// are collective.
class ImageOutputs {
 public:
  /// Opens the files that the deck names for the result and for the stages that the deck selects for writing.
  /// `result` is the array of the result; it may be null if the pipeline has no result. `reads` are the files
  /// that the run reads besides `inputs`. HDF5 files also hold `history`, which must outlive this object.
  /// `threads` threads of each rank encode files that are compressed.
  /// Throws InputError when the deck names no file although the application needs one, when a file cannot be
  /// written, or when the run also reads a file that it is to write.
  ImageOutputs(MPI_Comm communicator, const PipelineApplication& application, const deck::Deck& deck,
               const ImageInputs& inputs, const Algorithm& pipeline, const ArrayDeclaration* result,
               const LoopHistory& history, const std::vector<std::string>& reads, int threads);

  ImageOutputs(const ImageOutputs&) = delete;
  ImageOutputs& operator=(const ImageOutputs&) = delete;

  /// Adds sinks to `bindings`: one for the result, if there is one, and one for each stage that is written.
  /// The sinks belong to this object. `instance` provides the input for the picture that compares input and
  /// result; it may be null if the deck does not ask for this picture. `attributes` returns the attributes of
  /// HDF5 files, and is called on all ranks when these files are written.
  void listen(Bindings& bindings, PlanInstance* instance,
              std::function<std::vector<io::FileAttribute>()> attributes);

  /// The paths of the files that are written.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  /// A sink that passes the blocks of one array on to several sinks.
  struct Tee final : BlockSink {
    void write(const HostBlock& block) override {
      for (auto& sink : sinks) sink->write(block);
    }
    void write_part(const HostBlock& block, const Box& part) override {
      for (auto& sink : sinks) sink->write_part(block, part);
    }
    std::vector<std::unique_ptr<BlockSink>> sinks;
  };

  void add_hdf5(const deck::Deck& deck, const Algorithm& pipeline, const ArrayDeclaration& result,
                const LoopHistory& history);
  void add_xdmf(const deck::Deck& deck, const ArrayDeclaration& result, io::ThirdDimension third);
  void add_comparison(const deck::Deck& deck, const io::ImageInfo& image, const ArrayDeclaration& result);

  MPI_Comm communicator_;
  Box input_domain_;
  std::string comparison_;
  std::vector<std::string> paths_;
  std::function<std::vector<io::FileAttribute>()> attributes_;
  std::string result_;
  Tee tee_;
  /// The sinks of the stages that are written, by the names of the stages.
  std::map<std::string, std::unique_ptr<BlockSink>> stages_;
};

}  // namespace tessera::app
