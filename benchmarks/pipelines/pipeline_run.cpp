// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines/pipeline_run.hpp"

#include <cstring>
#include <fstream>

#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/view/collectively.hpp"

namespace bench {
namespace {

struct Fill final : tessera::BlockSource {
  std::function<void(const tessera::HostBlock&)> fill;
  explicit Fill(std::function<void(const tessera::HostBlock&)> filled) : fill(std::move(filled)) {}
  void read(const tessera::HostBlock& block) override {
    if (!block.box.empty()) fill(block);
  }
};

/// Gathers the rows that every rank writes at their places in the file.
struct Dump final : tessera::BlockSink {
  tessera::app::Session& session;
  tessera::Box whole;
  std::string path;

  Dump(tessera::app::Session& of, const tessera::Box& points, std::string file)
      : session(of), whole(points), path(std::move(file)) {}

  void write(const tessera::HostBlock& block) override {
    const auto size = static_cast<std::int64_t>(size_of(block.type));
    MPI_File file = MPI_FILE_NULL;
    if (MPI_File_open(session.communicator(), path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                      &file) != MPI_SUCCESS)
      throw tessera::InputError("--dump: cannot write " + path);
    MPI_File_set_size(file, whole.size() * size);
    tessera::collectively(session.communicator(),
                          [&] { write_rows(block, block.box.dimensions - 1, 0, 0, size, file); });
    MPI_File_close(&file);
  }

 private:
  /// `from` and `to` are elements from the start of the block and of the file.
  void write_rows(const tessera::HostBlock& block, int d, std::int64_t from, std::int64_t to,
                  std::int64_t size, MPI_File file) const {
    if (block.box.empty()) return;
    if (d == 0) {
      to += block.box[0].begin - whole[0].begin;
      if (MPI_File_write_at(file, to * size, block.data + from * size,
                            static_cast<int>(block.box[0].size() * size), MPI_BYTE,
                            MPI_STATUS_IGNORE) != MPI_SUCCESS)
        throw tessera::InputError("--dump: cannot write all of " + path);
      return;
    }
    std::int64_t stride = 1;
    for (int e = 0; e < d; ++e) stride *= whole[e].size();
    for (auto i = block.box[d].begin; i < block.box[d].end; ++i)
      write_rows(block, d - 1, from + block.strides[d] * (i - block.box[d].begin),
                 to + stride * (i - whole[d].begin), size, file);
  }
};

tessera::Plan plan_of(const tessera::app::Session& session, const PipelineCase& the_case,
                      const tessera::Schedule& schedule) {
  tessera::Target target;
  target.threads = session.threads();
  target.device = !tessera::runs_on_host;
  if (!target.device) target.cache_bytes = tessera::cache_to_write_past(target.threads);
  return make_plan(the_case.pipeline, schedule, target, session.rank_count(), session.rank());
}

}  // namespace

PipelineRun::PipelineRun(tessera::app::Session& session, const PipelineCase& the_case,
                         const tessera::Schedule& schedule)
    : session_(session),
      case_(the_case),
      instance_(the_case.pipeline, plan_of(session, the_case, schedule), session.communicator()) {
  Fill source(case_.fill);
  instance_.load("input", source);
  for (const auto& [name, fill] : case_.fill_further) {
    Fill further(fill);
    instance_.load(name, further);
  }
}

void PipelineRun::run() {
  instance_.compute([this](const tessera::PlanNode& node) { watch(node); });
  watch({});
}

std::int64_t PipelineRun::peak_bytes() const {
  std::int64_t peak = instance_.plan().peak_bytes();
  MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_INT64_T, MPI_MAX, session_.communicator());
  return peak;
}

double PipelineRun::mpi_share() const {
  double share = mpi_ / total_;
  MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_MAX, session_.communicator());
  return share;
}

void PipelineRun::dump(const std::string& path) {
  Dump sink(session_, case_.output().domain, path);
  instance_.store(case_.output().name, sink);
}

/// Adds up the time between the steps of runs.
void PipelineRun::watch(const tessera::PlanNode& node) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  if (running_) total_ += seconds;
  if (in_mpi_) mpi_ += seconds;
  last_ = now;
  running_ = !std::holds_alternative<tessera::plan::Sequence>(node.step);
  in_mpi_ = std::holds_alternative<tessera::plan::Exchange>(node.step) ||
            std::holds_alternative<tessera::plan::FinishExchange>(node.step) ||
            std::holds_alternative<tessera::plan::Reduce>(node.step);
}

}  // namespace bench
