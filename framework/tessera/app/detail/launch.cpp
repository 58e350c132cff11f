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

deck::Given read_all(const std::vector<std::string>& paths, const std::vector<std::string>& overrides) {
  deck::Given given;
  for (const std::string& path : paths)
    for (deck::Source& source : deck::read_sources(path)) given.decks.push_back(std::move(source));
  for (const deck::Source& source : given.decks) given.environment.merge(deck::environment_of(source.text));
  for (const std::string& argument : overrides) given.environment.merge(deck::environment_of(argument));
  return given;
}

/// Reads the decks, the decks that they include, and the environment variables that these decks and the
/// overrides name, on rank 0, which sends them to all others. Collective. Throws InputError if a deck cannot
/// be read, or is an image, and the message then depends on the keys of `schema`.
deck::Given read_decks(const Launch& launch, const deck::Schema& schema) {
  const MPI_Comm communicator = launch.session.communicator();
  deck::Given given;
  collectively(communicator, [&] {
    if (launch.session.rank() != 0) return;
    check_no_images(schema, launch.options.decks);
    given = read_all(launch.options.decks, launch.options.overrides);
  });
  std::vector<deck::Source> variables;
  for (const auto& [name, value] : given.environment) variables.push_back({name, value});
  given = {graph::broadcast(communicator, given.decks), launch.options.overrides, {}};
  for (const auto& [name, value] : graph::broadcast(communicator, variables))
    given.environment.emplace(name, value);
  return given;
}

/// Returns the keys that --help lists. If they depend on a deck that has an error, these are the keys that
/// are known without it: users may ask for help because of this error.
deck::Schema keys_for_help(const Launch& launch, const deck::Schema& schema) {
  if (!launch.program.keys) return schema;
  try {
    return launch.program.keys(read_decks(launch, schema));
  } catch (const InputError&) {
    return schema;
  }
}

ExitStatus run_launched(Session& session, const LaunchedProgram& program, int argc, char** argv,
                        const RunLaunched& run) {
  RunPhases phases(session.began());
  deck::Schema schema = program.schema();
  const Options options = parse_options(argc, argv, program.options);
  std::vector<std::string> deck_files;
  const Launch launch{session, program, options, deck_files, phases};
  if (options.version) return launch.say(version_text(program.name, program.build));
  if (options.help)
    return launch.say(
        help_text(program.name, program.summary, keys_for_help(launch, schema), program.options));
  refuse_options_of_others(options, program.kind);
  const deck::Given given = read_decks(launch, schema);
  if (program.text)
    if (const auto text = program.text(launch, given)) return launch.say(*text);
  if (program.keys) schema = program.keys(given);
  const deck::Deck deck = deck::load(schema, given.decks, given.overrides, given.environment);
  if (options.print_deck) return launch.say(deck::print(deck));
  for (const deck::Source& source : given.decks) deck_files.push_back(source.name);
  return run(launch, deck);
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

int launch(int argc, char** argv, const LaunchedProgram& program, const RunLaunched& run) {
  return run_program(argc, argv, program.name, [&](Session& session, int count, char** values) {
    return run_launched(session, program, count, values, run);
  });
}

std::string version() { return fmt::format("{} (git {})", generated::version, generated::git_hash); }

std::string backends() {
  const std::vector<std::string> names = {
#ifdef KOKKOS_ENABLE_CUDA
      "CUDA",
#endif
#ifdef KOKKOS_ENABLE_HIP
      "HIP",
#endif
#ifdef KOKKOS_ENABLE_OPENMP
      "OpenMP",
#endif
#ifdef KOKKOS_ENABLE_THREADS
      "Threads",
#endif
#ifdef KOKKOS_ENABLE_SERIAL
      "Serial",
#endif
  };
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string libraries_text() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string mpi(library, static_cast<std::size_t>(length));
  mpi = mpi.substr(0, mpi.find('\n'));
  std::ranges::replace(mpi, '\t', ' ');
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
