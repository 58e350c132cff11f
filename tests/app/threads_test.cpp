// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/placement.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>

#include "messages.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/view/machine.hpp"

namespace tessera::app {
namespace {

/// Sets OMP_NUM_THREADS while it lives.
class WithVariable {
 public:
  explicit WithVariable(const char* text) {
    if (const char* old = getenv(name)) old_ = old;
    if (text != nullptr)
      setenv(name, text, 1);
    else
      unsetenv(name);
  }
  ~WithVariable() {
    if (old_)
      setenv(name, old_->c_str(), 1);
    else
      unsetenv(name);
  }
  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;

 private:
  static constexpr const char* name = "OMP_NUM_THREADS";
  std::optional<std::string> old_;
};

int threads_with(const char* text) {
  const WithVariable variable(text);
  return threads_from_environment();
}

TEST(ThreadsTest, NobodySays) {
  EXPECT_EQ(threads_with(nullptr), 0);
  EXPECT_EQ(threads_with(""), 0);
}

TEST(ThreadsTest, TheEnvironmentSays) {
  EXPECT_EQ(threads_with("1"), 1);
  EXPECT_EQ(threads_with("12"), 12);
  EXPECT_EQ(threads_with("4,2"), 4);
  EXPECT_EQ(threads_with("512"), 512);
}

TEST(ThreadsTest, NoNumberOfThreads) {
  for (const char* text : {"0", "-2", "many", "2x", " ", ",2", "2.5", "99999999999", "513"})
    EXPECT_THROW(threads_with(text), InputError) << text;
  try {
    threads_with("many");
  } catch (const InputError& error) {
    test::expect_message(error.what(), {"OMP_NUM_THREADS is 'many'", "from 1 to 512"});
  }
}

// Sanitizers need more memory than the limit of this test allows.
#ifndef TESSERA_TEST_SANITIZED
/// Returns the number of pages of virtual memory of this process.
rlim_t pages_in_use() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

TEST(ThreadsTest, ThreadsThatTheSystemDoesNotStart) {
  EXPECT_NO_THROW(check_that_threads_start(3));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  // Each thread has a stack of some MiB.
  rlimit limited = before;
  limited.rlim_cur = pages_in_use() * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{256} << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  std::string message;
  try {
    check_that_threads_start(500);
  } catch (const InputError& error) {
    message = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_TRUE(message.starts_with("only ")) << message;
  EXPECT_NE(message.find(" of 500 threads could be started"), std::string::npos) << message;
  EXPECT_NE(message.find("give a smaller number, as threads in the deck or as OMP_NUM_THREADS"),
            std::string::npos)
      << message;
}
#endif

// However many ranks share the cores, each has one thread, and together no more than there are if they are
// fewer.
TEST(ThreadsTest, RanksShareTheCores) {
  const int threads = default_threads(MPI_COMM_WORLD);
  EXPECT_GE(threads, 1);
  const int alone = default_threads(MPI_COMM_SELF);
  EXPECT_LE(threads, alone);
  EXPECT_LE(alone, sysconf(_SC_NPROCESSORS_CONF));
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int all = 0;
  int cores = 0;
  MPI_Allreduce(&threads, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&alone, &cores, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_LE(all, std::max(cores, ranks));
}

}  // namespace
}  // namespace tessera::app
