// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "block_product.hpp"
#include "choice.hpp"
#include "matrices.hpp"
#include "product.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/app/ledger.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

namespace matmul {
namespace {

using namespace tessera;
using deck::Deck;

constexpr const char* output_keys[] = {"output.file", "output.raw"};

/// Returns the number that the deck gives for `key`, or 0.
std::int64_t number_of(const Deck& deck, const char* key) {
  return deck.is_set(key) ? deck.get<std::int64_t>(key) : 0;
}

Gemm gemm_of(const Deck& deck) {
  return deck.text_of("gemm") == gemm_names[0] ? Gemm::side_by_side : Gemm::together;
}

/// Returns the words in a ledger that name a process and the start of the machine. A machine that was started
/// anew may have lost blocks that were written but not yet on its disk.
std::string mark_of(long process) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return fmt::format("{} {}", process, boot);
}

/// The edge, the row and the column of a block of C.
using BlockPlace = std::array<std::int64_t, 3>;

class Program final : public app::GraphProgram {
 public:
  explicit Program(const app::JobSetting& setting) : setting_(setting), matrices_(inspect_matrices(setting)) {
    collectively(communicator(), [&] { check_outputs(); });
    // Tests that the files can be written. The small files of this test are removed at once.
    create_outputs({{0, 1}, {0, 1}});
    find_whole_blocks();
    make_plan();
    product_->add_tasks(graph_);
  }
  /// Removes the ledger of a run, whose outputs are now complete or, after an error, removed.
  ~Program() override {
    if (process_ != 0 && setting_.session.rank() == 0) ledger_->finish(outputs());
  }

  std::vector<graph::Graph*> graphs() override { return {&graph_}; }
  std::vector<std::string> files() const override;
  std::string check() override;
  cost::Work work(int ranks) const override;
  app::ExitStatus run(app::JobRunner& runner) override;

 private:
  MPI_Comm communicator() const { return setting_.session.communicator(); }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(matrices_.type())); }
  Factors factors() const { return {setting_.deck.get<double>("alpha"), setting_.deck.get<double>("beta")}; }
  Box domain() const { return {{0, matrices_.shape().columns}, {0, matrices_.shape().rows}}; }
  std::vector<std::string> inputs() const;
  std::vector<std::string> outputs() const;
  void check_outputs() const;
  void find_whole_blocks();
  std::set<std::int64_t> whole_panels() const;
  void measure();
  void make_plan();
  std::vector<std::unique_ptr<io::BlockWriter>> create_outputs(const Box& domain,
                                                               const io::BegunFile& begun = {}) const;
  std::unique_ptr<BlockSource> open(const MatrixFile& file) const;
  std::int64_t reduced(std::int64_t number, MPI_Op operation) const {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, operation, communicator());
    return number;
  }
  std::vector<std::unique_ptr<io::BlockWriter>> begin_outputs(app::JobRunner& runner);
  /// Notes that a block of C is whole in the outputs of this run.
  void note(std::int64_t row, std::int64_t column) const {
    ledger_->add(fmt::format("{} {} {}", product_->plan().cut().block, row, column), mark_of(process_));
  }
  void tell(app::JobRunner& runner, const graph::Report& report) const;

  const app::JobSetting& setting_;
  Matrices matrices_;
  std::optional<app::Ledger> ledger_;
  /// The process that was killed and has left the outputs of a run, on rank 0; 0 if there is none.
  long killed_ = 0;
  /// The blocks of C that are whole in the outputs of that process.
  std::vector<BlockPlace> whole_blocks_;
  /// The number of the process of rank 0, which is in the temporary names of the outputs; 0 before they are
  /// created.
  long process_ = 0;
  Target target_;
  bool has_measured_ = false;
  ProcessorGrid grid_;
  std::optional<Product> product_;
  // The graph refers to all members above, and is destroyed before them.
  graph::Graph graph_{"product"};
};

std::vector<std::string> Program::inputs() const {
  std::vector<std::string> files{matrices_.a.path, matrices_.b.path};
  if (matrices_.c) files.push_back(matrices_.c->path);
  return files;
}

std::vector<std::string> Program::files() const {
  std::vector<std::string> files = inputs();
  for (const std::string& path : outputs()) files.push_back(path);
  return files;
}

std::vector<std::string> Program::outputs() const {
  std::vector<std::string> paths;
  for (const char* key : output_keys)
    if (setting_.deck.is_set(key)) paths.push_back(setting_.deck.text_of(key));
  return paths;
}

/// Throws InputError if C cannot be written where the deck says.
void Program::check_outputs() const {
  const Deck& deck = setting_.deck;
  std::vector<std::string> taken = inputs();
  taken.insert(taken.end(), setting_.deck_files.begin(), setting_.deck_files.end());
  std::vector<std::pair<std::string, std::string>> written;
  std::vector<app::ExpectedFile> expected;
  for (const char* key : output_keys) {
    if (!deck.is_set(key)) continue;
    written.emplace_back(fmt::format("{}:", key), deck.text_of(key));
    expected.push_back({key, domain().size() * element_bytes()});
  }
  if (written.empty())
    throw InputError("nothing to write: give output.file or output.raw in the deck or as key=value");
  app::check_names(taken, written);
  if (setting_.session.rank() != 0) return;
  app::check_folders(deck, expected);
  // Files that a killed run has left have this room, and are taken over or removed.
  if (io::killed_process(outputs()) == 0) app::check_room(deck, expected);
}

/// Finds the blocks of C that a killed run of the same product has written. Collective.
void Program::find_whole_blocks() {
  const std::filesystem::path first = outputs().front();
  ledger_.emplace((first.parent_path() / fmt::format(".{}.ledger", first.filename().string())).string(),
                  setting_.deck, inputs());
  if (setting_.session.rank() == 0) {
    const long process = io::killed_process(outputs());
    for (const auto& [key, value] : ledger_->items()) {
      if (value != mark_of(process)) continue;
      killed_ = process;
      auto& [edge, row, column] = whole_blocks_.emplace_back();
      std::istringstream(key) >> edge >> row >> column;
    }
  }
  whole_blocks_ = graph::broadcast(communicator(), whole_blocks_);
}

/// Returns the panels of this rank whose blocks are all whole in the outputs of a killed run.
std::set<std::int64_t> Program::whole_panels() const {
  std::set<std::int64_t> whole;
  const std::set<BlockPlace> places(whole_blocks_.begin(), whole_blocks_.end());
  const Plan& plan = product_->plan();
  for (std::int64_t number = 0; !places.empty() && number < plan.panels(); ++number) {
    const Panel panel = plan.panel(number);
    bool is_whole = true;
    for (std::int64_t row = panel.rows.begin; is_whole && row < panel.rows.end; ++row)
      for (std::int64_t column = panel.columns.begin; is_whole && column < panel.columns.end; ++column)
        is_whole = places.contains({plan.cut().block, row, column});
    if (is_whole) whole.insert(number);
  }
  return whole;
}

/// Measures the speeds of reads, and of products on the slowest rank, unless it has done so before. It starts
/// Kokkos, as products need it. Collective.
void Program::measure() {
  if (std::exchange(has_measured_, true)) return;
  setting_.session.start_kokkos(setting_.threads);
  target_.speed_of_a = reading_speed(communicator(), matrices_.a);
  target_.speed_of_b = reading_speed(communicator(), matrices_.b);
  set_blas_threads(1);
  double speed = element_bytes() == sizeof(double) ? multiply_speed<double>() : multiply_speed<float>();
  MPI_Allreduce(MPI_IN_PLACE, &speed, 1, MPI_DOUBLE, MPI_MIN, communicator());
  const bool is_together = gemm_of(setting_.deck) == Gemm::together;
  target_.arithmetic_speed = speed * slowdown(measured_edge, measured_edge) *
                             static_cast<double>(is_together ? reduced(setting_.threads, MPI_MIN) : 1);
}

/// Chooses the cut and the grid of ranks, and makes the plan of this rank. Collective. Throws InputError if
/// the keys do not fit each other or the memory.
void Program::make_plan() {
  const Deck& deck = setting_.deck;
  const Shape shape = matrices_.shape();
  const Gemm gemm = gemm_of(deck);
  if (gemm == Gemm::together && number_of(deck, "graph.multiply.workers") > 1)
    deck.fail("graph.multiply.workers",
              "with gemm=together, one call of BLAS has all threads: leave this out, or choose side-by-side");
  const std::int64_t memory = memory_of(setting_);
  Limits limits{element_bytes(), memory, gemm == Gemm::together ? 1 : setting_.threads};
  const Limits own_limits = limits;
  limits.workers = static_cast<int>(reduced(limits.workers, MPI_MIN));
  target_ = {.limits = limits,
             .reads_c = matrices_.c.has_value(),
             .block = whole_blocks_.empty() ? number_of(deck, "block") : whole_blocks_.front()[0],
             .depth = number_of(deck, "depth"),
             .leaf = number_of(deck, "leaf")};
  if (target_.block == 0) measure();
  // The cut is chosen for the largest part of C that a rank has if elements are divided evenly.
  const int count = setting_.session.rank_count();
  const ProcessorGrid even = grid_of(setting_, shape, 1, count).grid;
  Cut cut = choose_cut(shape, pieces(shape.rows, even.size[1]), pieces(shape.columns, even.size[0]), target_);
  // All ranks need the same cut, but machine nodes may differ in the last bits of the expected times.
  MPI_Bcast(&cut, 3, MPI_INT64_T, 0, communicator());
  const RankGrid ranks = grid_of(setting_, shape, cut.block, count);
  grid_ = ranks.grid;
  if (const std::int64_t least = Plan::least_memory(shape, cut, element_bytes()); least > memory)
    deck.fail("memory", fmt::format("blocks of {} with a depth of {} need {} at least: give that much, or "
                                    "choose a smaller block or depth",
                                    cut.block, cut.depth, human_bytes(least)));
  const auto plan = Plan::make(shape, cut, ranks.blocks, own_limits);
  if (!plan) throw InternalError("a rank has no plan although the least memory is there");
  product_.emplace(*plan, element_bytes() == sizeof(double), factors(), gemm);
}

std::string Program::check() {
  measure();
  const Shape shape = matrices_.shape();
  const Plan& plan = product_->plan();
  const Cut& cut = plan.cut();
  double seconds = expected_seconds(plan, target_);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, communicator());
  std::string text = fmt::format(
      "A is {} x {}, B is {} x {}, C is {} x {} of {}\n"
      "blocks of {} with a depth of {}, {} in k, {} of sums\n",
      shape.rows, shape.depth, shape.depth, shape.columns, shape.rows, shape.columns,
      name_of(matrices_.type()), cut.block, cut.depth, counted(plan.steps(), "step"),
      plan.leaves() == 1 ? "no tree" : fmt::format("a tree with {} leaves", plan.leaves()));
  text += fmt::format(
      "{} on a grid of {}; a panel of {} x {} blocks at a time, {} on rank 0\n"
      "{} buffers for blocks of {}, {} for partial sums of {}: up to {} on a rank\n",
      counted(setting_.session.rank_count(), "rank"), grid_.text(), plan.panel_columns(), plan.panel_rows(),
      counted(plan.panels(), "panel"), plan.operand_buffers(), human_bytes(product_->operand_bytes()),
      plan.sum_buffers(), human_bytes(product_->sum_bytes()), human_bytes(reduced(plan.bytes(), MPI_MAX)));
  std::int64_t kept = matrices_.a.info.kept_bytes + matrices_.b.info.kept_bytes;
  if (matrices_.c) kept += matrices_.c->info.kept_bytes;
  if (kept > 0)
    text += fmt::format("beside them up to {} of chunks of HDF5 that have been read\n", human_bytes(kept));
  return text +
         fmt::format(
             "reads {}, writes {} on all ranks together\n"
             "{:.1f} s estimated, with reads at {}/s of A and {}/s of B, and {:.0f} GFlop/s of a worker\n",
             human_bytes(reduced(product_->bytes_read(), MPI_SUM)),
             human_bytes(reduced(product_->bytes_written(), MPI_SUM)), seconds,
             human_bytes(static_cast<std::int64_t>(target_.speed_of_a)),
             human_bytes(static_cast<std::int64_t>(target_.speed_of_b)), target_.arithmetic_speed * 1e-9);
}

/// Returns the work of the rank that has the largest part of the blocks.
cost::Work Program::work(int ranks) const {
  const Shape shape = matrices_.shape();
  const Cut& cut = product_->plan().cut();
  const ProcessorGrid grid = grid_of(setting_, shape, cut.block, ranks).grid;
  const Box blocks{{0, pieces(pieces(shape.columns, cut.block), grid.size[0])},
                   {0, pieces(pieces(shape.rows, cut.block), grid.size[1])}};
  const Plan plan = Plan::make(shape, cut, blocks, target_.limits).value();
  const auto element = static_cast<double>(element_bytes()), products = plan.products();
  const auto edge = static_cast<double>(std::min({cut.block, shape.rows, shape.columns}));
  const auto depth = static_cast<double>(std::min(cut.depth, shape.depth));
  const double written = element * static_cast<double>(plan.elements_written());
  cost::Work work;
  // Each product of blocks reads them, and reads and writes a partial sum.
  work.parts = {
      {.name = "product",
       .read_bytes = element * static_cast<double>(plan.elements_read()) + (target_.reads_c ? written : 0),
       .written_bytes =
           written * (setting_.deck.is_set("output.file") && setting_.deck.is_set("output.raw") ? 2 : 1),
       .memory_bytes = element * products * (2 / edge + 2 / depth),
       .operations = 2 * products * element / sizeof(float)}};
  if (target_.block == 0)
    work.notes.emplace_back(
        "blocks are those for the ranks that were started and the speeds of this machine: give block");
  return work;
}

/// Creates the outputs, or takes over those that a killed process has begun. Collective.
std::vector<std::unique_ptr<io::BlockWriter>> Program::create_outputs(const Box& domain,
                                                                      const io::BegunFile& begun) const {
  const Deck& deck = setting_.deck;
  std::vector<std::unique_ptr<io::BlockWriter>> writers;
  if (deck.is_set("output.file"))
    writers.push_back(io::create_hdf5_blocks(communicator(), deck.text_of("output.file"), "c", domain,
                                             matrices_.type(), begun));
  if (deck.is_set("output.raw"))
    writers.push_back(
        io::create_raw_blocks(communicator(), deck.text_of("output.raw"), domain, matrices_.type(), begun));
  return writers;
}

/// Opens a matrix, and reads one element on each rank. The header of most HDF5 files is then not read again
/// while the graph runs. Collective.
std::unique_ptr<BlockSource> Program::open(const MatrixFile& file) const {
  auto source = io::open_image(MPI_COMM_SELF, file.path, file.info);
  collectively(communicator(), [&] {
    double element = 0;
    source->read(packed_block(reinterpret_cast<std::byte*>(&element), file.info.type, {{0, 1}, {0, 1}}));
  });
  return source;
}

/// Creates the outputs and begins the ledger, or goes on with those of a killed run. Collective.
std::vector<std::unique_ptr<io::BlockWriter>> Program::begin_outputs(app::JobRunner& runner) {
  const bool is_first = setting_.session.rank() == 0;
  product_->leave_out(whole_panels());
  const std::int64_t to_write = reduced(product_->bytes_written(), MPI_SUM) / element_bytes();
  if (is_first && killed_ == 0) ledger_->finish(outputs());
  auto writers = create_outputs(domain(), {killed_, domain().size() - to_write});
  process_ = getpid();
  MPI_Bcast(&process_, 1, MPI_LONG, 0, communicator());
  if (is_first) {
    ledger_->begin(outputs());
    // The outputs now have the number of this process in their names, so their blocks are noted anew.
    for (const auto& [edge, row, column] : whole_blocks_) note(row, column);
  }
  if (const std::string line = ledger_->remark(reduced(product_->blocks_left_out(), MPI_SUM), "block");
      !line.empty())
    runner.say(line);
  return writers;
}

app::ExitStatus Program::run(app::JobRunner& runner) {
  const auto writers = begin_outputs(runner);
  const auto a = open(matrices_.a), b = open(matrices_.b);
  const auto c = matrices_.c ? open(*matrices_.c) : nullptr;
  Files files{
      a.get(), b.get(), c.get(), {}, [this](std::int64_t row, std::int64_t column) { note(row, column); }};
  for (const auto& writer : writers) files.outputs.push_back(writer.get());
  product_->set_files(files);
  if (!set_blas_threads(gemm_of(setting_.deck) == Gemm::together ? setting_.threads : 1))
    runner.say("warning: BLAS is not OpenBLAS: set its number of threads by its environment variables");
  const graph::Report report = runner.run(graph_);
  for (const auto& writer : writers) writer->complete();
  tell(runner, report);
  return app::ExitStatus::done;
}

void Program::tell(app::JobRunner& runner, const graph::Report& report) const {
  std::int64_t peak = 0;
  for (const graph::PoolReport& pool : report.pools)
    peak += pool.high_water * (pool.name == "blocks" ? product_->operand_bytes() : product_->sum_bytes());
  const Plan& plan = product_->plan();
  const std::int64_t read = reduced(product_->bytes_read(), MPI_SUM),
                     written = reduced(product_->bytes_written(), MPI_SUM);
  peak = reduced(peak, MPI_MAX);
  const double operations =
      2.0 * static_cast<double>(written / element_bytes()) * static_cast<double>(matrices_.shape().depth);
  runner.add("product", {{"block", plan.cut().block},
                         {"depth", plan.cut().depth},
                         {"leaves", plan.leaves()},
                         {"panel_columns", plan.panel_columns()},
                         {"panel_rows", plan.panel_rows()},
                         {"bytes_read", read},
                         {"bytes_written", written},
                         {"peak_bytes_of_a_rank", peak},
                         {"operations_per_second", operations / report.seconds}});
  runner.say(fmt::format("multiplied in {:.2f} s, {:.1f} GFlop/s: read {}, wrote {}, with up to {} on a rank",
                         report.seconds, operations / report.seconds * 1e-9, human_bytes(read),
                         human_bytes(written), human_bytes(peak)));
}

}  // namespace

std::unique_ptr<app::GraphProgram> make_program(const app::JobSetting& setting) {
  return std::make_unique<Program>(setting);
}

}  // namespace matmul
