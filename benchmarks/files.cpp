// SPDX-License-Identifier: BSD-3-Clause
// How fast ranks write and read an image together, against one plain write and read of the same bytes:
//
//   mpiexec -n 2 build/bin/tessera-bench-files --extent 8192 --directory /scratch
//
// Files are brought to the disk in both cases, and read from the page cache, or from the disk after the cache
// was asked to forget them (--cold).
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "command_line.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/view/collectively.hpp"

namespace {

using namespace tessera;

struct Options {
  std::int64_t extent = 8192;
  int rounds = 15;
  bool cold = false;
  std::string directory = ".";
};

/// A file descriptor of the system.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : number_(::open(path.c_str(), flags, 0666)) {
    if (number_ < 0) throw InputError(path + ": cannot be opened: choose another --directory");
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

void bring_to_disk(const std::string& path) { ::fsync(Descriptor(path, O_RDONLY).number()); }

/// Reads or writes without any library: by one call, as far as the system takes all bytes at once.
void move_plainly(const std::string& path, std::byte* bytes, std::int64_t count, bool writes) {
  const Descriptor file(path, writes ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY);
  while (count > 0) {
    const auto size = static_cast<std::size_t>(count);
    const ssize_t moved = writes ? ::write(file.number(), bytes, size) : ::read(file.number(), bytes, size);
    if (moved <= 0) throw InputError(path + ": cannot be written or read: free some space");
    bytes += moved;
    count -= moved;
  }
  if (writes) ::fsync(file.number());
}

class FileBench {
 public:
  explicit FileBench(const Options& options) : options_(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    pixels_.resize(static_cast<std::size_t>(options.extent * options.extent), 0.5F);
  }

  void run() {
    for (const bool by_rows : {true, false}) {
      std::vector<double> plain_write, write, plain_read, read;
      for (int round = 0; round < options_.rounds; ++round) {
        plain_write.push_back(seconds([&] { plainly(true); }));
        write.push_back(seconds([&] { together(by_rows, true); }));
        plain_read.push_back(seconds_of_read(plain_, [&] { plainly(false); }));
        read.push_back(seconds_of_read(hdf5_, [&] { together(by_rows, false); }));
      }
      report(by_rows, "write", plain_write, write);
      report(by_rows, "read", plain_read, read);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ != 0) return;
    std::filesystem::remove(plain_);
    std::filesystem::remove(hdf5_);
  }

 private:
  template <class Task>
  double seconds(const Task& task) const {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    task();
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
  }
  template <class Task>
  double seconds_of_read(const std::string& path, const Task& task) const {
    if (options_.cold && rank_ == 0) {
      const Descriptor file(path, O_RDONLY);
      ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
    }
    return seconds(task);
  }

  void plainly(bool writes) {
    collectively(MPI_COMM_WORLD, [&] {
      if (rank_ == 0)
        move_plainly(plain_, reinterpret_cast<std::byte*>(pixels_.data()),
                     static_cast<std::int64_t>(pixels_.size() * sizeof(float)), writes);
    });
  }

  void together(bool by_rows, bool writes) {
    const Box domain{{0, options_.extent}, {0, options_.extent}};
    HostBlock block{reinterpret_cast<std::byte*>(pixels_.data()), ElementType::float32, domain, {1}};
    Range& cut = block.box[by_rows ? 1 : 0];
    cut = {options_.extent * rank_ / ranks_, options_.extent * (rank_ + 1) / ranks_};
    block.strides[1] = block.box[0].size();
    if (writes) {
      io::create_hdf5(MPI_COMM_WORLD, hdf5_, "image", domain, ElementType::float32)->write(block);
      if (rank_ == 0) bring_to_disk(hdf5_);
    } else {
      io::open_image(MPI_COMM_WORLD, hdf5_, {io::ImageFormat::hdf5, ElementType::float32, domain, "image"})
          ->read(block);
    }
  }

  void report(bool by_rows, const char* what, std::vector<double>& plain, std::vector<double>& own) const {
    for (auto* times : {&plain, &own}) std::sort(times->begin(), times->end());
    const double one = plain[plain.size() / 2], many = own[own.size() / 2];
    if (rank_ == 0)
      fmt::print("{} by {}, {} ranks: {:.1f} ms, one plain {} {:.1f} ms, ratio {:.2f}\n", what,
                 by_rows ? "rows" : "columns", ranks_, 1e3 * many, what, 1e3 * one, one / many);
  }

  Options options_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<float> pixels_;
  std::string plain_ = options_.directory + "/tessera-bench-plain.raw";
  std::string hdf5_ = options_.directory + "/tessera-bench-files.h5";
};

int run(int argc, char** argv) {
  Options options;
  CLI::App command_line("Times files that ranks write and read together", "tessera-bench-files");
  command_line.add_option("--extent", options.extent, "Rows and columns of float32")
      ->check(CLI::PositiveNumber);
  command_line.add_option("--rounds", options.rounds, "The number of rounds; medians are printed")
      ->check(CLI::PositiveNumber);
  command_line.add_option("--directory", options.directory, "Where the files go");
  command_line.add_flag("--cold", options.cold, "Ask the system to forget the files before they are read");
  if (const std::string help = bench::parse_arguments(command_line, argc, argv); !help.empty()) {
    fmt::print("{}", help);
    return 0;
  }
  FileBench(options).run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 2;
  try {
    status = run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tessera-bench-files: error: {}\n", error.what());
  }
  MPI_Finalize();
  return status;
}
