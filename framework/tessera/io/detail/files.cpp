// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>

#include "tessera/domain/error.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

/// The temporary names of the unfinished files of this process.
struct UnfinishedNames {
  std::mutex mutex;
  std::set<std::string> names;
  /// True if this rank, and not another one, removed the first file that it tried to remove. Empty until the
  /// first such attempt.
  std::optional<bool> is_first;
};

UnfinishedNames& unfinished() {
  static UnfinishedNames names;
  return names;
}

/// Removes the name from the unfinished files. Returns whether the name was one of them.
bool forget_unfinished(const std::string& name) {
  const std::lock_guard lock(unfinished().mutex);
  return unfinished().names.erase(name) > 0;
}

/// The part of temporary names between the name of the file and the number of the process.
constexpr std::string_view part_mark = ".part-";

/// Returns whether there is a process of this number on this machine that has not ended.
bool is_running(long process) {
  if (::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return false;
  // A process that has ended keeps its number until its parent has asked for its status.
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(") ");
  return name_end == std::string::npos || line[name_end + 2] != 'Z';
}

std::string temporary_name(const std::string& path, std::int64_t process) {
  const std::filesystem::path final_path(path);
  return final_path.parent_path() /
         fmt::format(".{}{}{}", final_path.filename().string(), part_mark, process);
}

/// Waits until the content of a file, or the names of the files of a folder, have reached the disk. Messages
/// are about `path`.
void wait_for_disk(const std::string& file_name, const std::string& path) {
  const File file(std::fopen(file_name.c_str(), "rb"));
  if (!file || ::fsync(::fileno(file.get())) != 0) fail_to_write(path, error_text(errno));
}

/// Calls use(path, process) for each file with a temporary name of `paths` whose process has ended.
template <class Use>
void for_each_abandoned(const std::vector<std::string>& paths, const Use& use) {
  namespace fs = std::filesystem;
  std::map<fs::path, std::set<std::string>> beginnings;
  for (const std::string& path : paths) {
    const fs::path folder = fs::path(path).parent_path();
    beginnings[folder.empty() ? "." : folder].insert(
        fmt::format(".{}{}", fs::path(path).filename().string(), part_mark));
  }
  for (const auto& [folder, begins] : beginnings) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      const std::size_t mark = name.rfind(part_mark);
      if (mark == std::string::npos) continue;
      const std::size_t number = mark + part_mark.size();
      const long process = std::strtol(name.c_str() + number, nullptr, 10);
      if (process > 0 && !is_running(process) && begins.contains(name.substr(0, number)))
        use(entry.path(), process);
    }
  }
}

}  // namespace

void fail(const std::string& path, const std::string& problem, const std::string& advice) {
  std::string line = fmt::format("{}: {}; {}", path, problem, advice);
  std::replace(line.begin(), line.end(), '\n', ' ');
  throw InputError(line);
}

void fail_to_write(const std::string& path, const std::string& reason) {
  fail(path, fmt::format("cannot be written ({})", reason), "free some space, or choose another place");
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most, ", "),
                     names.size() - most);
}

void on_rank_0(MPI_Comm communicator, const std::function<void()>& task) {
  collectively(communicator, [&] {
    if (rank_in(communicator) == 0) task();
  });
}

std::int64_t from_rank_0(MPI_Comm communicator, std::int64_t value) {
  // Threads may write files of their own at the same time, with a communicator that has one rank only.
  if (ranks_of(communicator) > 1) MPI_Bcast(&value, 1, MPI_INT64_T, 0, communicator);
  return value;
}

std::string error_text(int error_number) { return std::generic_category().message(error_number); }

File open_for_reading(const std::string& path, const std::string& kind) {
  const auto advice = [&kind] {
    const std::string wanted = kind.empty() ? fmt::format("an {} file", readable_formats("or")) : kind;
    return fmt::format("give the path of {}", wanted);
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) fail(path, "no such file", advice());
  if (std::filesystem::is_directory(status)) fail(path, "is a directory", advice());
  if (error) fail(path, error.message(), "check the path and its permissions");
  if (!std::filesystem::is_regular_file(status)) fail(path, "is not a regular file", advice());

  File file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, error_text(errno), "check the file's permissions");
  return file;
}

std::int64_t file_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) fail(path, error.message(), "check the path and its permissions");
  return static_cast<std::int64_t>(bytes);
}

void reserve(const UnfinishedFile& file, std::int64_t bytes) {
  // The limit of the process on the size of files is checked here. The system does not apply the limit to
  // space that is reserved beyond the end of a file, and HDF5 would wait forever when a later write exceeds
  // it.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < static_cast<rlim_t>(bytes))
    fail_to_write(file.path(), error_text(EFBIG));
  const File opened(std::fopen(file.temporary_path().c_str(), "r+b"));
  const bool failed = !opened || ::fallocate(::fileno(opened.get()), FALLOC_FL_KEEP_SIZE, 0, bytes) != 0;
  if (failed && errno != EOPNOTSUPP && errno != ENOSYS) fail_to_write(file.path(), error_text(errno));
}

void set_size(const UnfinishedFile& file, std::int64_t bytes) {
  std::error_code error;
  // File systems free the blocks behind the end of the file even if its size does not change.
  std::filesystem::resize_file(file.temporary_path(), static_cast<std::uintmax_t>(bytes), error);
  if (error) fail_to_write(file.path(), error.message());
}

UnfinishedFile::UnfinishedFile(MPI_Comm communicator, const std::string& path, long killed)
    : communicator_(communicator),
      rank_(rank_in(communicator)),
      path_(path),
      temporary_path_(temporary_name(path, from_rank_0(communicator, ::getpid()))) {
  on_rank_0(communicator_, [&] { create(killed); });
  const std::lock_guard lock(unfinished().mutex);
  unfinished().names.insert(temporary_path_);
}

UnfinishedFile::~UnfinishedFile() {
  if (forget_unfinished(temporary_path_) && rank_ == 0) std::remove(temporary_path_.c_str());
}

void UnfinishedFile::create(long killed) const {
  const std::filesystem::path final_path(path_);
  if (!final_path.has_filename()) fail(path_, "is not the name of a file", "give the output file a name");
  // The later rename would replace a device such as /dev/null, too.
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(final_path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail(path_, "exists and is not a regular file", "choose another output file");
  if (killed != 0) {
    if (std::rename(temporary_name(path_, killed).c_str(), temporary_path_.c_str()) == 0) return;
    fail_to_write(path_, error_text(errno));
  }

  const File file(std::fopen(temporary_path_.c_str(), "wb"));
  if (!file)
    fail(path_, fmt::format("cannot be written ({})", error_text(errno)),
         errno == ENOENT ? "create its folder, or choose another that can be written"
                         : "choose a folder that can be written");
}

void UnfinishedFile::complete(bool on_disk) {
  // Every rank waits, because a rank may wait only for what it has written itself.
  if (on_disk) collectively(communicator_, [&] { wait_for_disk(temporary_path_, path_); });
  on_rank_0(communicator_, [&] {
    if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0)
      fail(path_, fmt::format("cannot be given its name ({})", error_text(errno)),
           "choose another output file");
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    if (on_disk) wait_for_disk(folder.empty() ? "." : folder, path_);
  });
  forget_unfinished(temporary_path_);
}

FileWriter::FileWriter(const UnfinishedFile& file) : path_(file.path()) {
  // A file that is not open for reading: otherwise NFS reads a page of which a part is written, and writes it
  // back with old points of other ranks.
  const int number = ::open(file.temporary_path().c_str(), O_WRONLY | O_CLOEXEC);
  if (number < 0) fail_to_write(path_, error_text(errno));
  file_.reset(::fdopen(number, "wb"));
  if (!file_) {
    ::close(number);
    fail_to_write(path_, error_text(ENOMEM));
  }
}

void FileWriter::write(const std::byte* from, std::int64_t bytes, std::int64_t to) const {
  // This takes several calls if the system writes fewer bytes than a call asks for.
  while (bytes > 0) {
    const ::ssize_t written = ::pwrite(::fileno(file_.get()), from, static_cast<std::size_t>(bytes), to);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(path_, error_text(errno));
    from += written;
    to += written;
    bytes -= written;
  }
}

void FileWriter::append(const void* from, std::size_t bytes) {
  write(static_cast<const std::byte*>(from), static_cast<std::int64_t>(bytes), appended_);
  appended_ += static_cast<std::int64_t>(bytes);
}

void FileWriter::close() {
  if (std::fclose(file_.release()) != 0) fail_to_write(path_, error_text(errno));
}

}  // namespace tessera::io::detail

namespace tessera::io {

TextFile::TextFile(MPI_Comm communicator, const std::string& path)
    : communicator_(communicator), file_(std::make_unique<detail::UnfinishedFile>(communicator, path)) {}
TextFile::~TextFile() = default;
TextFile::TextFile(TextFile&&) noexcept = default;

void TextFile::write(const std::string& text) {
  detail::on_rank_0(communicator_, [&] {
    detail::FileWriter file(*file_);
    file.append(text.data(), text.size());
    file.close();
  });
  file_->complete();
}

std::string read_text_file(const std::string& path, const std::string& kind) {
  const detail::File file = detail::open_for_reading(path, kind);
  std::string text;
  char piece[1 << 16];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, file.get())) text.append(piece, size);
  if (std::ferror(file.get()) != 0)
    detail::fail(path, fmt::format("cannot be read ({})", detail::error_text(errno)), "check the disk");
  return text;
}

bool remove_unfinished_files() {
  const std::lock_guard lock(detail::unfinished().mutex);
  const std::set<std::string>& names = detail::unfinished().names;
  std::optional<bool>& is_first = detail::unfinished().is_first;
  for (const std::string& name : names) {
    const bool is_removed = std::remove(name.c_str()) == 0;
    if (!is_first) is_first = is_removed;
  }
  return is_first.value_or(true);
}

void remove_abandoned_files(const std::vector<std::string>& paths) {
  detail::for_each_abandoned(paths, [](const std::filesystem::path& path, long) {
    std::error_code error;
    std::filesystem::remove(path, error);
  });
}

long killed_process(const std::vector<std::string>& paths) {
  std::vector<long> processes;
  detail::for_each_abandoned(paths, [&](const auto&, long process) { processes.push_back(process); });
  const bool is_only_one = processes.size() == paths.size() &&
                           std::ranges::adjacent_find(processes, std::not_equal_to()) == processes.end();
  return is_only_one && !processes.empty() ? processes.front() : 0;
}

}  // namespace tessera::io
