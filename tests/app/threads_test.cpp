// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/threads.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "tessera/domain/error.hpp"

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
}

TEST(ThreadsTest, NoNumberOfThreads) {
  for (const char* text : {"0", "-2", "many", "2x", " ", ",2", "2.5", "99999999999"})
    EXPECT_THROW(threads_with(text), InputError) << text;
  try {
    threads_with("many");
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the environment variable OMP_NUM_THREADS is 'many': give a number of threads, 1 or more");
  }
}

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
