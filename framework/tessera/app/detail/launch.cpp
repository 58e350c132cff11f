// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/launch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/app/detail/file_endings.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/compat.hpp"
#include "tessera_version.hpp"

namespace tessera::app {
namespace {

/// Returns the name of the key that names the image of a program, or an empty text if it reads none.
std::string image_key(const deck::Schema& schema) {
  const auto& all = schema.declarations();
  const auto found = std::ranges::find_if(all, [](const deck::KeyDeclaration& key) {
    return key.required && key.type == deck::ValueType::path && key.name.starts_with("input.");
  });
  return found == all.end() ? std::string() : found->name;
}

void check_no_images(const deck::Schema& schema, const std::vector<std::string>& paths) {
  const std::string image = image_key(schema);
  for (const std::string& path : paths)
    if (has_image_ending(path) || io::image_format(path))
      throw InputError(fmt::format("command line: '{}': an image is no deck: {}", path,
                                   image.empty() ? "leave it out, as this program reads no image"
                                                 : fmt::format("write {}={}", image, path)));
}

DeckFiles read_all(const std::vector<std::string>& paths, const std::vector<std::string>& overrides) {
  DeckFiles files;
  for (const std::string& path : paths)
    for (deck::Source& source : deck::read_sources(path)) files.sources.push_back(std::move(source));
  for (const deck::Source& source : files.sources) files.environment.merge(deck::environment_of(source.text));
  for (const std::string& argument : overrides) files.environment.merge(deck::environment_of(argument));
  return files;
}

}  // namespace

DeckFiles read_decks(MPI_Comm communicator, const deck::Schema& schema, const std::vector<std::string>& paths,
                     const std::vector<std::string>& overrides) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  DeckFiles files;
  collectively(communicator, [&] {
    if (rank != 0) return;
    check_no_images(schema, paths);
    files = read_all(paths, overrides);
  });
  std::vector<std::vector<std::string>> decks, variables;
  for (const auto& [name, text] : files.sources) decks.push_back({name, text});
  for (const auto& [name, value] : files.environment) variables.push_back({name, value});
  files = {};
  for (const auto& deck : graph::broadcast(communicator, decks)) files.sources.push_back({deck[0], deck[1]});
  for (const auto& variable : graph::broadcast(communicator, variables))
    files.environment.emplace(variable[0], variable[1]);
  return files;
}

namespace {

/// Returns the keys that --help lists. If they depend on a deck that has an error, these are the keys that
/// are known without it: users may ask for help because of this error.
deck::Schema keys_for_help(const Session& session, const LaunchedProgram& program, const Options& options,
                           const deck::Schema& schema) {
  if (!program.keys) return schema;
  try {
    return program.keys(options,
                        read_decks(session.communicator(), schema, options.decks, options.overrides));
  } catch (const InputError&) {
    return schema;
  }
}

ExitStatus run_launched(Session& session, const LaunchedProgram& program, int argc, char** argv,
                        const std::function<ExitStatus(Launch&)>& run) {
  const auto say = [&session](const std::string& text) {
    session.print(text);
    return ExitStatus::done;
  };
  RunPhases phases(session.began());
  deck::Schema schema = program.schema();
  const Options options = parse_options(argc, argv, program.options);
  if (options.version) return say(version_text(program.name, program.build));
  if (options.help)
    return say(help_text(program.name, program.summary, keys_for_help(session, program, options, schema),
                         program.options));
  refuse_options_of_others(options, program.kind);
  const DeckFiles files = read_decks(session.communicator(), schema, options.decks, options.overrides);
  if (program.text)
    if (const auto text = program.text(session, options, files)) return say(*text);
  if (program.keys) schema = program.keys(options, files);
  const deck::Deck deck = deck::load(schema, files.sources, options.overrides, files.environment);
  if (options.print_deck) return say(deck::print(deck));
  Launch launch{session, program, options, deck, {}, phases};
  for (const deck::Source& source : files.sources) launch.deck_files.push_back(source.name);
  return run(launch);
}

}  // namespace

void Launch::start(int threads) const {
  session.start_kokkos(threads);
  if (options.verbose) session.print(version_text(program.name, program.build));
}

int threads_of(const Session& session, const deck::Deck& deck) {
  return session.threads(deck.is_set("threads") ? static_cast<int>(deck.get<std::int64_t>("threads")) : 0);
}

std::int64_t memory_limit(const deck::Deck& deck) {
  return deck.is_set("memory") ? std::max<std::int64_t>(1, deck.get<deck::ByteSize>("memory").bytes) : 0;
}

int launch(int argc, char** argv, const LaunchedProgram& program,
           const std::function<ExitStatus(Launch&)>& run) {
  return run_program(argc, argv, program.name, [&](Session& session, int count, char** values) {
    return run_launched(session, program, count, values, run);
  });
}

std::string version() { return fmt::format("{} (git {})", generated::version, generated::git_hash); }

std::string backends() {
  std::string names;
  const auto add = [&names](const char* name) { names += (names.empty() ? "" : ", ") + std::string(name); };
#ifdef KOKKOS_ENABLE_CUDA
  add("CUDA");
#endif
#ifdef KOKKOS_ENABLE_HIP
  add("HIP");
#endif
#ifdef KOKKOS_ENABLE_OPENMP
  add("OpenMP");
#endif
#ifdef KOKKOS_ENABLE_THREADS
  add("Threads");
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  add("Serial");
#endif
  return names;
}

std::string libraries_text() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string mpi(library, static_cast<std::size_t>(length));
  mpi = mpi.substr(0, mpi.find('\n'));
  for (char& c : mpi)
    if (c == '\t') c = ' ';
  return fmt::format("Kokkos {}.{}.{} with {}\nMPI: {}\n{}\n", KOKKOS_VERSION / 10000,
                     KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100, backends(), mpi, io::formats_text());
}

std::string build_text(const ProgramBuild& build) {
  constexpr std::string_view type = generated::build_type;
  std::string text = fmt::format("build {}{}, {}", type.empty() ? "without a type" : type,
                                 build.is_optimised ? "" : ", not optimised", build.instruction_set);
  if (build.chooses_instructions) text += fmt::format(", kernels for {}", to_string(instruction_set()));
  return text;
}

std::string build_warning(const ProgramBuild& build) {
  if (build.is_optimised && this_program.is_optimised) return "";
  return fmt::format(
      "warning: {} compiled without optimisation, and runs many times slower than it could: build with "
      "-DCMAKE_BUILD_TYPE=Release",
      build.is_optimised ? "the Tessera library is" : "this program is");
}

std::string version_text(const std::string& program, const ProgramBuild& build) {
  return fmt::format("{} {}\n{}\n{}", program, version(), build_text(build), libraries_text());
}

}  // namespace tessera::app
