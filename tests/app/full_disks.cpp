// SPDX-License-Identifier: BSD-3-Clause
#include "full_disks.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace tessera::app_test {
namespace {

/// Mounts of this process are its own from now on. Others than root become root of a namespace of their own,
/// where they may mount.
bool leave_mounts_of_others() {
  const std::string user = std::to_string(geteuid()), group = std::to_string(getegid());
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user << " " << user << " 1";
    std::ofstream("/proc/self/gid_map") << group << " " << group << " 1";
  }
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool mount_small_disk(const std::string& path, int kibibytes) {
  const std::string size = "size=" + std::to_string(kibibytes) + "k";
  return mount("tessera", path.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

/// Tried by a child, which takes what it has done along.
bool try_in_child() {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) _exit(leave_mounts_of_others() && mount_small_disk(folder.path(), 64) ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

bool SmallDisk::is_allowed() {
  static const bool allowed = try_in_child() && leave_mounts_of_others();
  return allowed;
}

SmallDisk::SmallDisk(const std::string& path, int kibibytes) : path_(path) {
  EXPECT_TRUE(is_allowed() && mount_small_disk(path_, kibibytes)) << path_;
}

SmallDisk::~SmallDisk() { EXPECT_EQ(umount2(path_.c_str(), MNT_DETACH), 0) << path_; }

SizeLimit::SizeLimit(int mebibytes) {
  EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
  const rlimit limit{static_cast<rlim_t>(mebibytes) << 20, before_.rlim_max};
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

SizeLimit::~SizeLimit() { EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0); }

}  // namespace tessera::app_test
