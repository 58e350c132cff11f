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

/// Whether a deck names a file for the result.
bool has_output(const deck::Deck& deck);

/// Declares the keys of the files that an application writes its result to.
void declare_output_keys(deck::Schema& schema, const PipelineApplication& application);

/// Those files. All calls but paths() are collective.
class ImageOutputs {
 public:
  /// For `result`, null where the pipeline has none, and the stages that the deck wants written. Throws
  /// InputError when the deck names no file though there must be one, when one of them cannot be written, or
  /// has the name of an input or of one of `reads`, the other files that the run reads. HDF5 files hold
  /// `history`, too, which must outlive this object.
  ImageOutputs(MPI_Comm communicator, const PipelineApplication& application, const deck::Deck& deck,
               const ImageInputs& inputs, const Algorithm& pipeline, const ArrayDeclaration* result,
               const LoopHistory& history, const std::vector<std::string>& reads);

  ImageOutputs(const ImageOutputs&) = delete;
  ImageOutputs& operator=(const ImageOutputs&) = delete;

  /// Adds what takes the result, if there is one, and those stages. The picture of before and after takes the
  /// input from `instance`, HDF5 files the attributes of `attributes`, which is collective.
  void listen(Bindings& bindings, PlanInstance* instance,
              std::function<std::vector<io::FileAttribute>()> attributes);

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  /// Hands the blocks of one array to several sinks.
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
  /// By stage.
  std::map<std::string, std::unique_ptr<BlockSink>> stages_;
};

}  // namespace tessera::app
