// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/run_setup.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera::app {

/// Declares the keys `output.*` of the files that hold the result of an application.
void declare_output_keys(deck::Schema& schema, const PipelineApplication& application);

/// The files that hold the result of an application and some of its stages. All functions except paths()
/// are collective.
class ImageOutputs {
 public:
  /// Opens the files that the deck of `setup` names for its result, if it has one, and for the stages that
  /// the deck selects for writing. HDF5 files also hold the history of `loops`, which must outlive this
  /// object. The threads of `plan` encode files that are compressed. Throws InputError when the deck names no
  /// file although the application needs one, when a file cannot be written, when the run also reads a file
  /// that it would write, or when `plan` does not keep the input that a picture compares with the result.
  ImageOutputs(const RunSetup& setup, const LoopRecorder& loops, const Plan& plan);

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
                const LoopRecorder& loops);
  void add_images(const RunSetup& setup, const ArrayDeclaration& result, int threads);
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

/// The files that a run writes, except checkpoints. They are created together, so that a file that cannot be
/// written is noticed before any computation.
struct WrittenFiles {
  /// Creates the files for a run of `plan` (see ImageOutputs and Records). Collective. Throws InputError when
  /// a file cannot be written, or when the run uses the same file for two purposes.
  WrittenFiles(const RunSetup& setup, const LoopRecorder& loops, const Plan& plan);

  /// The paths of all files.
  std::vector<std::string> paths() const;

  ImageOutputs outputs;
  Records records;
};

/// Returns how the keys `output.chunks` and `output.compression` ask to store HDF5 results.
io::Hdf5Storage hdf5_storage(const deck::Deck& deck);

/// Returns the attributes of an HDF5 result that tell how it came about, except times: the program, its
/// version and libraries, the deck, and the ranks and threads of `plan`, which is a plan of `pipeline`, and
/// the grid of the array `result`.
std::vector<io::FileAttribute> result_attributes(const PipelineApplication& application,
                                                 const deck::Deck& deck, const Algorithm& pipeline,
                                                 const std::string& result, const Plan& plan);

}  // namespace tessera::app
