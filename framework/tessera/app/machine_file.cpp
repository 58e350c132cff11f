// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <variant>

#include "tessera/deck/load.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

using cost::MachineDescription, cost::NetworkCost;

NetworkCost& network_between(MachineDescription& machine) {
  return machine.between_nodes ? *machine.between_nodes : machine.between_nodes.emplace();
}

/// A key of the file, and the member of the description that it sets.
struct MachineField {
  std::string_view name;
  std::string_view unit;
  std::string_view help;
  std::variant<std::string MachineDescription::*, std::int64_t MachineDescription::*,
               double& (*)(MachineDescription&)>
      member;
  bool required = true;
  double minimum = 1;
  std::optional<double> maximum = {};
};

/// The greatest number of nodes, sockets, cores or threads. Products of such numbers do not overflow.
constexpr double most_parts = 1000000;

/// The block of those keys that a file may leave out together.
constexpr std::string_view between_block = "network.between";

constexpr MachineField machine_fields[] = {
    {"name", "", "a name for people", &MachineDescription::name, false},
    {"processor", "", "the model of the processors, as the system names it", &MachineDescription::processor,
     false},
    {"nodes", "", "the number of machine nodes, which are all alike", &MachineDescription::nodes, true, 1,
     most_parts},
    {"sockets", "", "the number of sockets of a node", &MachineDescription::sockets, true, 1, most_parts},
    {"cores", "", "the number of cores of a socket", &MachineDescription::cores, true, 1, most_parts},
    {"threads", "", "the number of threads of a node with which the speeds called 'all' were measured",
     &MachineDescription::threads, true, 1, most_parts},
    {"memory.thread", "bytes/s",
     "the bytes per second, read ones and written ones, that one thread copies in memory",
     [](MachineDescription& m) -> double& { return m.memory.thread; }},
    {"memory.all", "bytes/s", "the same of all threads of a node together",
     [](MachineDescription& m) -> double& { return m.memory.all; }},
    {"last_cache.bytes", "", "the bytes of the last-level caches that all threads of a node may use",
     &MachineDescription::last_cache_bytes, true, 0},
    {"last_cache.thread", "bytes/s", "the bytes per second that one thread copies in these caches",
     [](MachineDescription& m) -> double& { return m.last_cache.thread; }},
    {"last_cache.all", "bytes/s", "the same of all threads of a node together",
     [](MachineDescription& m) -> double& { return m.last_cache.all; }},
    {"near_cache.thread", "bytes/s",
     "the bytes per second, each read and each write, with which one thread adds three neighbours each in "
     "the cache that is nearest to it",
     [](MachineDescription& m) -> double& { return m.near_cache_thread; }},
    {"arithmetic.thread", "1/s", "the operations with numbers of float per second of one thread",
     [](MachineDescription& m) -> double& { return m.arithmetic.thread; }},
    {"arithmetic.all", "1/s", "the same of all threads of a node together",
     [](MachineDescription& m) -> double& { return m.arithmetic.all; }},
    {"launch.thread", "s", "the seconds that it takes one thread to start and end a kernel",
     [](MachineDescription& m) -> double& { return m.launch_thread_seconds; }, true, 0},
    {"launch.all", "s", "the seconds that it takes to start and end a kernel with all threads of a node",
     [](MachineDescription& m) -> double& { return m.launch_all_seconds; }, true, 0},
    {"network.within.latency", "s", "the seconds that a message within a node takes, however short it is",
     [](MachineDescription& m) -> double& { return m.within_node.latency_seconds; }, true, 0},
    {"network.within.per_byte", "s", "the seconds that each byte of a message within a node takes",
     [](MachineDescription& m) -> double& { return m.within_node.seconds_per_byte; }, true, 0},
    {"network.between.latency", "s", "the seconds that a message between nodes takes, however short it is",
     [](MachineDescription& m) -> double& { return network_between(m).latency_seconds; }, false, 0},
    {"network.between.per_byte", "s", "the seconds that each byte of a message between nodes takes",
     [](MachineDescription& m) -> double& { return network_between(m).seconds_per_byte; }, false, 0},
    {"file.read", "bytes/s", "the bytes per second that all ranks together read from files; 0 if not known",
     [](MachineDescription& m) -> double& { return m.file_read; }, false, 0},
    {"file.write", "bytes/s", "the bytes per second that all ranks together write to files; 0 if not known",
     [](MachineDescription& m) -> double& { return m.file_write; }, false, 0},
};

deck::Schema machine_schema() {
  deck::Schema schema;
  for (const MachineField& field : machine_fields) {
    deck::KeyDeclaration key{.name = std::string(field.name),
                             .type = deck::ValueType::real,
                             .group = "Machine",
                             .help = std::string(field.help),
                             .unit = std::string(field.unit),
                             .minimum = field.minimum,
                             .maximum = field.maximum};
    if (std::holds_alternative<std::int64_t MachineDescription::*>(field.member))
      key.type = deck::ValueType::integer;
    if (std::holds_alternative<std::string MachineDescription::*>(field.member)) {
      key.type = deck::ValueType::text;
      key.minimum.reset();
    }
    schema.add(key);
  }
  return schema;
}

/// Throws InputError if the file lacks a key that it must have.
void check_complete(const std::string& path, const deck::Deck& deck) {
  const auto is_between = [](const MachineField& field) { return field.name.starts_with(between_block); };
  const bool has_between = std::ranges::any_of(machine_fields, [&](const MachineField& field) {
    return is_between(field) && deck.is_set(field.name);
  });
  for (const MachineField& field : machine_fields) {
    const bool is_needed = field.required || (has_between && is_between(field));
    if (is_needed && !deck.is_set(field.name))
      throw InputError(
          fmt::format("{}: the key '{}' is missing: give {}, or let tessera-calibrate write the file", path,
                      field.name, field.help));
  }
}

std::string value_text(const MachineField& field, MachineDescription& machine) {
  if (const auto* number = std::get_if<double& (*)(MachineDescription&)>(&field.member))
    return fmt::format("{:.4g}", (*number)(machine));
  if (const auto* count = std::get_if<std::int64_t MachineDescription::*>(&field.member))
    return std::to_string(machine.*(*count));
  return deck::to_yaml_text(machine.*std::get<std::string MachineDescription::*>(field.member));
}

/// Returns the lines of the blocks that contain `name` but not `before`.
std::string opened_blocks(std::string_view before, std::string_view name) {
  std::string text, indent;
  for (std::size_t dot = name.find('.'), begin = 0; dot != std::string_view::npos;
       begin = dot + 1, dot = name.find('.', begin), indent += "  ")
    if (!before.starts_with(name.substr(0, dot + 1)))
      text += fmt::format("{}{}:\n", indent, name.substr(begin, dot - begin));
  return text;
}

}  // namespace

cost::MachineDescription read_machine(const std::string& path) {
  const deck::Source source = deck::read_source(path, "machine file");
  const deck::Deck deck = deck::load(machine_schema(), {source});
  check_complete(source.name, deck);
  MachineDescription machine;
  for (const MachineField& field : machine_fields)
    if (deck.is_set(field.name))
      std::visit(
          [&](auto member) {
            auto& value = std::invoke(member, machine);
            value = deck.get<std::remove_reference_t<decltype(value)>>(field.name);
          },
          field.member);
  return machine;
}

std::string machine_text(const cost::MachineDescription& machine, const std::vector<std::string>& remarks) {
  std::string text =
      "# A machine, as the option --machine takes it and tessera-calibrate writes it (docs/costs.md).\n";
  for (const std::string& remark : remarks) text += fmt::format("# {}\n", remark);
  MachineDescription copy = machine;
  std::string_view before;
  for (const MachineField& field : machine_fields) {
    if (field.name.starts_with(between_block) && !machine.between_nodes) continue;
    text += opened_blocks(before, field.name);
    const std::string indent(2 * static_cast<std::size_t>(std::ranges::count(field.name, '.')), ' ');
    text += fmt::format("{0}# {1}{2}\n{0}{3}: {4}\n", indent, field.help,
                        field.unit.empty() ? "" : fmt::format(" ({})", field.unit),
                        field.name.substr(field.name.rfind('.') + 1), value_text(field, copy));
    before = field.name;
  }
  return text;
}

}  // namespace tessera::app
