// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "collective.hpp"
#include "matrix_market.hpp"
#include "power_iteration.hpp"
#include "sorted_links.hpp"
#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/machine.hpp"

namespace pagerank {
namespace {

using namespace tessera;
using deck::Deck;

/// The header of the input. For a list of links, `matrix` has the number of entries only, and the number of
/// vertices that the deck gives, or 0.
struct Header {
  bool is_matrix = false;
  MatrixMarketHeader matrix;
  /// The description of a list of links.
  io::ImageInfo list;
};

/// Throws InputError if the file cannot be read, or is not a regular file.
void check_readable(const Deck& deck, const std::string& path) {
  std::error_code error;
  if (const auto status = std::filesystem::status(path, error);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    deck.fail("input.file",
              path + " is no regular file, so that ranks cannot read parts of it: store the links in one");
  const std::ifstream file(path, std::ios::binary);
  if (!file)
    deck.fail("input.file",
              fmt::format("{} cannot be read: {}", path, std::generic_category().message(errno)));
}

/// Reads the header of the input. Collective.
Header inspect(const app::JobSetting& setting) {
  const Deck& deck = setting.deck;
  const std::string path = deck.text_of("input.file");
  const MPI_Comm communicator = setting.session.communicator();
  Header header;
  collectively(communicator, [&] {
    if (setting.session.rank() != 0) return;
    check_readable(deck, path);
    header.is_matrix = is_matrix_market(path);
    for (const char* key : {"input.dataset", "input.vertices"})
      if (header.is_matrix && deck.is_set(key))
        deck.fail(key, path + " is a Matrix Market file, which has this itself: leave it out");
    if (header.is_matrix)
      header.matrix = read_header(path);
    else if (io::image_format(path) == io::ImageFormat::hdf5)
      header.list = inspect_edge_list(path, deck.text_of("input.dataset"));
    else
      deck.fail("input.file",
                path + " is neither a Matrix Market file, which begins with %%MatrixMarket, nor HDF5");
  });
  header.is_matrix = graph::broadcast(communicator, header.is_matrix);
  header.matrix = graph::broadcast(communicator, header.matrix);
  if (header.is_matrix) return header;
  header.list = io::broadcast(communicator, header.list);
  header.matrix.entries = header.list.domain[1].size();
  if (deck.is_set("input.vertices")) header.matrix.vertices = deck.get<std::int64_t>("input.vertices");
  return header;
}

/// The amounts that one rank computes and sends in a turn.
struct RankWork {
  std::int64_t first = 0, rows = 0, links = 0, ghosts = 0, sent_to = 0, received_from = 0, sent = 0;
};

/// Returns about how many bytes of memory each rank, which has `threads` threads, takes at most, while links
/// are placed.
double bytes_of_rank(std::int64_t vertices, std::int64_t links, std::int64_t ranks, int threads) {
  constexpr double bytes_of_vertex = 100, bytes_of_link = 48;
  // Each rank has a set of all vertices: 8 bytes of bits and a count of 4 bytes for each 64 vertices.
  constexpr double bytes_in_set = 3.0 / 16;
  return (bytes_of_vertex * static_cast<double>(vertices) + bytes_of_link * static_cast<double>(links)) /
             static_cast<double>(ranks) +
         bytes_in_set * static_cast<double>(vertices) +
         static_cast<double>(threads) * static_cast<double>(bytes_to_sort(vertices));
}

/// Returns a block of the only element of an array, or a block without elements.
HostBlock block_of(std::uint64_t& number, bool is_empty) {
  return packed_block(reinterpret_cast<std::byte*>(&number), ElementType::uint64, {{0, is_empty ? 0 : 1}});
}

class Program final : public app::IterationProgram {
 public:
  explicit Program(const app::JobSetting& setting)
      : setting_(setting),
        header_(inspect(setting)),
        tolerance_(setting.deck.get<double>("tolerance")),
        damping_(setting.deck.get<double>("damping")) {
    collectively(communicator(), [&] { check_deck(); });
    check_memory(0);
    check_room();
  }

  std::vector<std::string> files() const override { return {input(), output()}; }
  std::string problem() const override;
  void create_results() override;
  std::string check() override;
  cost::Work work(int ranks) const override;
  void prepare(app::JobRunner& runner) override;
  std::string explain() override;
  std::vector<io::FileArray> arrays() const override {
    if (vertices() == 0) return {};
    return {{"fingerprint", ElementType::uint64, {{0, 1}}},
            {"ranks", ElementType::float64, {{0, vertices()}}}};
  }
  void load(int array, BlockSource& source) override;
  void store(int array, BlockSink& sink) override;
  void begin() override { iteration_->begin(); }
  app::IterationTurn turn() override {
    const double change = iteration_->turn();
    return {change, change <= tolerance_};
  }
  void end(app::JobRunner& runner) override;

 private:
  MPI_Comm communicator() const { return setting_.session.communicator(); }
  std::string input() const { return setting_.deck.text_of("input.file"); }
  std::string output() const { return setting_.deck.text_of("output.file"); }
  Product product() const {
    return setting_.deck.text_of("product") == product_names[0] ? Product::fused : Product::kokkos_kernels;
  }
  /// Returns the number of vertices, or 0 while it is not known.
  std::int64_t vertices() const { return graph_.vertices > 0 ? graph_.vertices : header_.matrix.vertices; }
  bool has_weights() const {
    return header_.matrix.has_numbers && setting_.deck.text_of("input.weights") == "use";
  }
  std::unique_ptr<BlockSink> create_sink(std::int64_t vertices);
  void check_deck() const;
  void check_room() const;
  void check_memory(std::int64_t links) const;
  void check_size(const Links& links);
  Links read() const;
  std::vector<RankWork> work_of_ranks() const;
  /// Returns the block of this rank's vertices in an array over all vertices.
  HostBlock block(std::vector<double>& ranks) const {
    return packed_block(reinterpret_cast<std::byte*>(ranks.data()), ElementType::float64,
                        {{graph_.first(), graph_.first() + graph_.rows()}});
  }
  void tell_highest(app::JobRunner& runner, const std::vector<double>& ranks) const;

  const app::JobSetting& setting_;
  Header header_;
  double tolerance_, damping_;
  RankGraph graph_;
  /// The fingerprint of the links of the whole graph.
  std::uint64_t fingerprint_ = 0;
  std::optional<PowerIteration> iteration_;
  /// The file of the ranks, which is complete after the last turn, and what is noted in it then.
  std::unique_ptr<BlockSink> sink_;
  io::FileNotes notes_;
};

void Program::check_deck() const {
  const Deck& deck = setting_.deck;
  if (deck.text_of("input.repeated") == "once" && has_weights())
    deck.fail("input.repeated",
              "links with weights add up: give input.weights=ignore, too, or leave this out");
  std::vector<std::string> taken{input()};
  taken.insert(taken.end(), setting_.deck_files.begin(), setting_.deck_files.end());
  app::check_names(taken, {{"output.file:", output()}});
  if (setting_.session.rank() == 0) app::check_folders(deck, {{"output.file"}});
}

/// Throws InputError, on all ranks, when there is no room for the ranks of the vertices, if their number is
/// known.
void Program::check_room() const {
  collectively(communicator(), [this] {
    if (setting_.session.rank() == 0)
      app::check_room(setting_.deck,
                      {{"output.file", vertices() * static_cast<std::int64_t>(sizeof(double))}});
  });
}

/// Throws InputError, on all ranks, if a rank needs more memory than the key `memory` allows, or if a machine
/// node lacks the memory for its part of the graph. `links` is the number of links of the whole graph, or 0
/// while it is not known.
void Program::check_memory(std::int64_t links) const {
  const std::vector<RankPlace> places = rank_places(communicator());
  const std::int64_t node = places[static_cast<std::size_t>(setting_.session.rank())].node;
  const std::int64_t on_node = std::ranges::count(places, node, &RankPlace::node);
  const double of_rank = bytes_of_rank(vertices(), links, std::ssize(places), setting_.threads);
  const double needed = static_cast<double>(on_node) * of_rank;
  const std::int64_t bytes = machine_memory();
  collectively(communicator(), [&] {
    if (const auto* limit = std::get_if<deck::ByteSize>(setting_.deck.find("memory"));
        limit != nullptr && of_rank > static_cast<double>(limit->bytes))
      setting_.deck.fail("memory", fmt::format("a rank needs some {}: raise it, or use more ranks",
                                               human_bytes(static_cast<std::int64_t>(of_rank))));
    if (needed > static_cast<double>(bytes))
      throw InputError(
          fmt::format("{}: vertices up to {} and {} links take some {} on a machine node, which has {}: use "
                      "more nodes, or correct the numbers of vertices",
                      input(), vertices() - (header_.is_matrix ? 0 : 1), links,
                      human_bytes(static_cast<std::int64_t>(needed)), human_bytes(bytes)));
  });
}

/// Creates the file of the PageRanks. The number of vertices may not be known before a list of links has been
/// read. Until then, the file has room for one vertex.
std::unique_ptr<BlockSink> Program::create_sink(std::int64_t vertices) {
  return io::create_hdf5(communicator(), output(), "ranks", {{0, vertices}}, ElementType::float64,
                         [this] { return notes_; });
}

void Program::create_results() { sink_ = create_sink(std::max<std::int64_t>(1, vertices())); }

/// A file may change between two runs and keep its name. These numbers reveal most such changes before the
/// file is read, and the fingerprint reveals all others.
std::string Program::problem() const {
  const MatrixMarketHeader& matrix = header_.matrix;
  if (!header_.is_matrix) return fmt::format("links of the input: {}\n", matrix.entries);
  return fmt::format("vertices of the input: {}\nentries of the input: {}\n", matrix.vertices,
                     matrix.entries);
}

std::string Program::check() {
  const MatrixMarketHeader& matrix = header_.matrix;
  if (!header_.is_matrix)
    return fmt::format("{} has {} of {}\n", input(), counted(matrix.entries, "link"),
                       name_of(header_.list.type));
  return fmt::format(
      "{} has {} and {}, {} and {}\n", input(), number_of(matrix.vertices, "vertex", "vertices"),
      number_of(matrix.entries, "entry", "entries"), matrix.has_numbers ? "with numbers" : "without numbers",
      matrix.is_symmetric ? "symmetric" : "general");
}

cost::Work Program::work(int ranks) const {
  const double count = ranks, others = count - 1;
  const auto all = static_cast<double>((header_.matrix.is_symmetric ? 2 : 1) * header_.matrix.entries);
  const double links = all / count, rows = static_cast<double>(vertices()) / count;
  const double ghosts = std::min(links, static_cast<double>(vertices())) * others / count;
  const double link_bytes = sizeof(Link), number_bytes = sizeof(double);
  std::error_code error;
  const double file_bytes = static_cast<double>(std::filesystem::file_size(input(), error)) / count;
  // Sums over all ranks take a message for each level of a tree.
  const double levels = std::ceil(std::log2(count));
  const double turns = static_cast<double>(setting_.deck.get<std::int64_t>("turns"));
  cost::Work work;
  work.parts = {
      {.name = "read", .read_bytes = file_bytes, .memory_bytes = file_bytes + links * link_bytes},
      // Links are sent twice, sorted and stored. Each of these steps reads and writes them.
      {.name = "place",
       .memory_bytes = 4 * 2 * links * link_bytes,
       .messages = 2 * others,
       .message_bytes = 2 * links * link_bytes * others / count},
      // A link has a column, a number that its vertex gives, and a weight. A row has an offset, a factor, the
      // old and the new rank, and what its vertex gives.
      {.name = "turn: rows",
       .times = turns,
       .memory_bytes =
           links * (sizeof(Vertex) + (has_weights() ? 2 : 1) * number_bytes) + rows * 5 * number_bytes,
       .operations = 2 * (2 * links + 6 * rows),
       .launches = 2},
      {.name = "turn: exchange",
       .times = turns,
       .messages = others + levels,
       .message_bytes = ghosts * number_bytes + levels * static_cast<double>(sizeof(TurnSums))},
      {.name = "write", .written_bytes = rows * number_bytes, .memory_bytes = 2 * rows * number_bytes}};
  work.notes = {"which ranks exchange numbers is not known before links are read: as if all did"};
  if (vertices() == 0)
    work.notes.emplace_back("vertices count nothing, as their number is not known: give input.vertices");
  return work;
}

Links Program::read() const {
  const Deck& deck = setting_.deck;
  const LinkReading reading{.has_weights = deck.text_of("input.weights") == "use",
                            .vertices = header_.matrix.vertices};
  if (header_.is_matrix) return read_entries(communicator(), input(), header_.matrix, reading);
  return read_edge_list(communicator(), input(), header_.list, reading);
}

/// Checks memory and room when the input has been read. Creates the output anew if the number of vertices was
/// not known before.
void Program::check_size(const Links& links) {
  const bool knew_vertices = vertices() > 0;
  graph_.vertices = links.vertices;
  std::int64_t count = std::ssize(links.links);
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, communicator());
  check_memory(count);
  if (knew_vertices || !sink_) return;
  check_room();
  sink_.reset();
  sink_ = create_sink(vertices());
}

void Program::prepare(app::JobRunner& runner) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point began = Clock::now();
  Links links = read();
  const Clock::time_point has_read = Clock::now();
  check_size(links);
  fingerprint_ = fingerprint(communicator(), links.links);
  graph_ = distributed(communicator(), std::move(links), setting_.deck.text_of("input.repeated") == "once");
  iteration_.emplace(graph_, damping_, product());
  const std::chrono::duration<double> reading = has_read - began, placing = Clock::now() - has_read;
  std::int64_t silent = graph_.rows() - graph_.giving;
  MPI_Allreduce(MPI_IN_PLACE, &silent, 1, MPI_INT64_T, MPI_SUM, communicator());
  runner.say(
      fmt::format("{}: {}, {} of them without links, {}{}; product {}; read in {:.3g} s, placed in {:.3g} s",
                  input(), number_of(graph_.vertices, "vertex", "vertices"), silent,
                  counted(graph_.links, "link"), graph_.has_weights ? " with weights" : "",
                  setting_.deck.text_of("product"), reading.count(), placing.count()));
  runner.add("graph", {{"vertices", graph_.vertices},
                       {"without_links", silent},
                       {"links", graph_.links},
                       {"read_seconds", reading.count()},
                       {"place_seconds", placing.count()},
                       {"product", setting_.deck.text_of("product")}});
  for (std::size_t rank = 0; const RankWork& work : work_of_ranks())
    runner.add_row("ranks", {{"rank", static_cast<std::int64_t>(rank++)},
                             {"rows", work.rows},
                             {"links", work.links},
                             {"ghosts", work.ghosts},
                             {"messages", work.sent_to + work.received_from},
                             {"sent", work.sent}});
}

/// Returns what each rank computes. Collective.
std::vector<RankWork> Program::work_of_ranks() const {
  const RankWork mine{.first = graph_.first(),
                      .rows = graph_.rows(),
                      .links = static_cast<std::int64_t>(graph_.columns.size()),
                      .ghosts = graph_.lists.received_count(),
                      .sent_to = std::ssize(graph_.lists.sent),
                      .received_from = std::ssize(graph_.lists.received),
                      .sent = graph_.lists.sent_count()};
  return graph::gathered(communicator(), std::vector{mine});
}

std::string Program::explain() {
  std::string text = fmt::format(
      "ranks of {} by {}, until they change by at most {:g} in sum\n"
      "a turn computes rows, sends what vertices give, and adds two exact sums over all ranks\n",
      number_of(graph_.vertices, "vertex", "vertices"), counted(graph_.links, "link"), tolerance_);
  for (int rank = 0; const RankWork& work : work_of_ranks())
    text += fmt::format("rank {}: rows {} to {}, {}, {}; sends {} in {}, receives {}\n", rank++, work.first,
                        work.first + work.rows, counted(work.links, "link"), counted(work.ghosts, "ghost"),
                        counted(work.sent, "number"), counted(work.sent_to, "message"),
                        counted(work.received_from, "message"));
  return text;
}

void Program::load(int array, BlockSource& source) {
  if (array == 1) {
    std::vector<double> ranks(static_cast<std::size_t>(graph_.rows()));
    source.read(block(ranks));
    return iteration_->set_ranks(ranks);
  }
  std::uint64_t then = 0;
  source.read(block_of(then, false));
  collectively(communicator(), [&] {
    if (then != fingerprint_)
      setting_.deck.fail("restart",
                         fmt::format("{} has other links than the graph of the checkpoint: give the same "
                                     "graph, or begin anew without restart",
                                     input()));
  });
}

void Program::store(int array, BlockSink& sink) {
  if (array == 0) return sink.write(block_of(fingerprint_, setting_.session.rank() != 0));
  std::vector<double> ranks = iteration_->ranks();
  sink.write(block(ranks));
}

void Program::tell_highest(app::JobRunner& runner, const std::vector<double>& ranks) const {
  const auto count = setting_.deck.get<std::int64_t>("output.top");
  if (count == 0) return;
  std::int64_t place = 0;
  for (const Ranked& one : highest(communicator(), ranks, graph_.first(), count)) {
    const std::int64_t vertex = one.vertex + (header_.is_matrix ? 1 : 0);
    runner.say(fmt::format("{:>6}. vertex {} has {:.12g}", ++place, vertex, one.rank));
    runner.add_row("top", {{"place", place}, {"vertex", vertex}, {"value", one.rank}});
  }
}

void Program::end(app::JobRunner& runner) {
  std::vector<double> ranks = iteration_->ranks();
  notes_.attributes = {{"turns", runner.turns()}, {"change", runner.residual()}, {"damping", damping_}};
  sink_->write(block(ranks));
  tell_highest(runner, ranks);
  runner.say(fmt::format("wrote {}", output()));
}

}  // namespace

std::unique_ptr<app::IterationProgram> make_program(const app::JobSetting& setting) {
  return std::make_unique<Program>(setting);
}

}  // namespace pagerank
