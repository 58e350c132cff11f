// SPDX-License-Identifier: BSD-3-Clause
// To be loaded before the system's library: calls that fail on some ranks, as disks do in the middle of a
// run.
//
//   TESSERA_FAILING_WRITES=rank:name:bytes   writes beyond these bytes of files whose path holds the name
//   have no
//                                            space left, and no room can be made beforehand
//   TESSERA_FAILING_READS=rank:name:bytes    reads beyond them are errors
//
// A rank of -1 is all of them.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace {

std::string path_of(int file) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return {path.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

bool fails(const char* variable, int file, off_t end) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return false;
  const std::string words = text;
  const std::size_t first = words.find(':'), last = words.rfind(':');
  const std::string rank = words.substr(0, first), name = words.substr(first + 1, last - first - 1);
  const char* mine = std::getenv("PMI_RANK");
  if (rank != "-1" && (mine == nullptr || rank != mine)) return false;
  return end > std::atol(words.c_str() + last + 1) && path_of(file).find(name) != std::string::npos;
}

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t pwrite64(int file, const void* data, size_t size, off_t offset) {
  if (!fails("TESSERA_FAILING_WRITES", file, offset + static_cast<off_t>(size)))
    return next(&pwrite64, "pwrite64")(file, data, size, offset);
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  return pwrite64(file, data, size, offset);
}

ssize_t pread64(int file, void* data, size_t size, off_t offset) {
  if (!fails("TESSERA_FAILING_READS", file, offset + static_cast<off_t>(size)))
    return next(&pread64, "pread64")(file, data, size, offset);
  errno = EIO;
  return -1;
}

ssize_t pread(int file, void* data, size_t size, off_t offset) { return pread64(file, data, size, offset); }

int fallocate64(int file, int mode, off_t begin, off_t size) {
  if (std::getenv("TESSERA_FAILING_WRITES") == nullptr)
    return next(&fallocate64, "fallocate64")(file, mode, begin, size);
  errno = EOPNOTSUPP;
  return -1;
}

int fallocate(int file, int mode, off_t begin, off_t size) { return fallocate64(file, mode, begin, size); }
}
