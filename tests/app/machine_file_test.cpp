// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/machine_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "messages.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

/// A file in the folder of temporary files, removed at the end. Each rank has its own.
class MachineFileTest : public testing::Test {
 protected:
  MachineFileTest() {
    const auto number = reinterpret_cast<std::uintptr_t>(this) ^ static_cast<std::uintptr_t>(getpid());
    path_ = std::filesystem::temp_directory_path() / ("machine" + std::to_string(number) + ".yaml");
  }
  ~MachineFileTest() override { std::filesystem::remove(path_); }

  cost::MachineDescription read(const std::string& text) const {
    std::ofstream(path_) << text;
    return read_machine(path_);
  }
  /// The message about a text, after the path and what follows it.
  std::string error_of(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_.string() + ":")) << message;
      return message.substr(path_.string().size() + 1);
    }
    return "";
  }
  /// The text of a whole machine in which `from` is replaced by `to`.
  static std::string with(const std::string& from, const std::string& to) {
    std::string text = machine_text(cost::generic_machine(), {});
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return text.replace(place, from.size(), to);
  }

  std::filesystem::path path_;
};

TEST_F(MachineFileTest, ComesBackAsItWasWritten) {
  cost::MachineDescription machine = cost::generic_machine();
  machine.name = "a: \"name\" # with signs";
  machine.processor = "Abacus (R) 12 @ 3.00GHz";
  machine.nodes = 7;
  machine.sockets = 2;
  machine.between_nodes = cost::NetworkCost{5e-6, 8e-11};
  machine.file_read = 1.5e9;
  const std::string text = machine_text(machine, {"One remark.", "Another one."});
  EXPECT_TRUE(text.find("\n# One remark.\n# Another one.\n") != std::string::npos);
  const cost::MachineDescription found = read(text);
  EXPECT_EQ(machine_text(found, {"One remark.", "Another one."}), text);
  EXPECT_EQ(found.name, machine.name);
  EXPECT_EQ(found.processor, machine.processor);
  EXPECT_EQ(found.nodes, 7);
  EXPECT_EQ(found.last_cache_bytes, machine.last_cache_bytes);
  EXPECT_EQ(found.memory.all, machine.memory.all);
  ASSERT_TRUE(found.between_nodes);
  EXPECT_EQ(found.between_nodes->seconds_per_byte, 8e-11);
  EXPECT_FALSE(read(machine_text(cost::generic_machine(), {})).between_nodes);
}

// The machine of estimates without a machine file is also in a file, which users can read and change.
TEST_F(MachineFileTest, TheGenericMachineIsInTheInputs) {
  std::ifstream file(TESSERA_MACHINES "/laptop.yaml");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(
      text.str(),
      machine_text(cost::generic_machine(),
                   {"Some laptop, in round numbers: --estimate takes these where no machine is given."}));
}

TEST_F(MachineFileTest, SaysWhichKeyIsWrong) {
  test::expect_message(error_of(with("cores: 4", "cors: 4")), {"11:1:", "unknown key 'cors'", "'cores'?"});
  test::expect_message(error_of(with("nodes: 1", "nodes: 0")), {"7:8: 'nodes' expects", "got '0'"});
  test::expect_message(error_of(with("cores: 4", "cores: 1000001")),
                       {"11:8: 'cores' expects", "got '1000001'"});
  test::expect_message(error_of(with("thread: 1.2e+10", "thread: -3")),
                       {"16:11: 'memory.thread' expects", "got '-3'"});
  test::expect_message(error_of(with("latency: 1e-06", "latency: soon")),
                       {"42:14: 'network.within.latency' expects", "got 'soon'"});
}

TEST_F(MachineFileTest, SaysWhichKeyIsMissing) {
  test::expect_message(error_of(with("  all: 2.4e+10\n", "")),
                       {"'memory.all' is missing", "tessera-calibrate"});
  test::expect_message(error_of("name: nothing else\n"), {"'nodes' is missing", "number of machine nodes"});
  test::expect_message(error_of(with("network:\n", "network:\n  between:\n    latency: 1e-6\n")),
                       {"'network.between.per_byte'", "is missing"});
  EXPECT_EQ(read(with("name: laptop\n", "")).name, "");
}

TEST_F(MachineFileTest, SaysThatThereIsNoFile) {
  try {
    read_machine("no/such.yaml");
    ADD_FAILURE();
  } catch (const InputError& error) {
    test::expect_message(error.what(), {"no/such.yaml:", "cannot open the machine file"});
  }
}

}  // namespace
}  // namespace tessera::app
