// SPDX-License-Identifier: BSD-3-Clause
#include "speeds.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "tessera/view/compat.hpp"
#include "tessera/view/machine.hpp"

namespace calibrate {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// The number of times that everything is measured.
constexpr int rounds = 3;

/// The bytes of the arrays of one thread that lie in its nearest cache: half of the smallest nearest cache of
/// usual processors.
constexpr std::int64_t near_bytes = std::int64_t{16} << 10;
/// The least and the greatest number of bytes of the arrays that all threads together copy in memory.
constexpr std::int64_t least_memory_bytes = std::int64_t{128} << 20,
                       most_memory_bytes = std::int64_t{512} << 20;

/// Calls work(worker) once for each worker, which has a thread of its own. A single worker is the calling
/// thread, so that no other thread has to be waited for.
template <class Work>
void run(int workers, const Work& work) {
  if (workers == 1) return work(0);
  Kokkos::parallel_for("calibrate",
                       Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Static>>(
                           0, static_cast<std::size_t>(workers), Kokkos::ChunkSize(1)),
                       work);
  Host().fence();
}

/// Two arrays for the threads of this rank. Each thread has a part of both, and is the first to write to it,
/// so that the part lies in memory near the thread.
class Arrays {
 public:
  /// Makes arrays for `workers` threads. Both parts of a thread together have `bytes` bytes.
  Arrays(int workers, std::int64_t bytes)
      : workers_(workers),
        count_(static_cast<std::size_t>(bytes) / (2 * sizeof(float))),
        from_(Kokkos::view_alloc("from", Kokkos::WithoutInitializing), size()),
        to_(Kokkos::view_alloc("to", Kokkos::WithoutInitializing), size()) {
    run(workers_, Touch{*this});
  }

  /// Lets each thread copy its part `times` times.
  void copy(int times) const { run(workers_, Copy{*this, times}); }
  /// Lets each thread add the neighbours in its part `times` times.
  void add_neighbours(int times) const { run(workers_, Add{*this, times}); }
  /// Returns the bytes that one thread reads and writes when it copies its part once.
  std::int64_t bytes() const { return static_cast<std::int64_t>(2 * count_ * sizeof(float)); }
  /// Returns the bytes that one thread reads and writes when it adds the neighbours in its part once.
  std::int64_t bytes_of_adding() const { return static_cast<std::int64_t>(4 * (count_ - 2) * sizeof(float)); }

 private:
  struct Touch {
    const Arrays& arrays;
    void operator()(int worker) const {
      std::ranges::fill(arrays.part(arrays.from_, worker), 1.0F);
      std::ranges::fill(arrays.part(arrays.to_, worker), 0.0F);
    }
  };
  struct Copy {
    const Arrays& arrays;
    int times;
    void operator()(int worker) const {
      for (int i = 0; i < times; ++i)
        tessera::cost::copy_floats(arrays.part(arrays.from_, worker), arrays.part(arrays.to_, worker));
    }
  };
  struct Add {
    const Arrays& arrays;
    int times;
    void operator()(int worker) const {
      for (int i = 0; i < times; ++i)
        tessera::cost::add_neighbours(arrays.part(arrays.from_, worker),
                                      arrays.part(arrays.to_, worker).first(arrays.count_ - 2));
    }
  };
  using View = Kokkos::View<float*, Kokkos::HostSpace>;

  std::size_t size() const { return count_ * static_cast<std::size_t>(workers_); }
  std::span<float> part(const View& view, int worker) const {
    return {view.data() + static_cast<std::size_t>(worker) * count_, count_};
  }

  int workers_;
  std::size_t count_;
  View from_;
  View to_;
};

/// Lets each worker multiply and add in registers. Gives its result and its number of operations.
struct Multiply {
  std::int64_t turns;
  float* results;
  std::int64_t* operations;
  void operator()(int worker) const {
    const tessera::cost::Arithmetic done = tessera::cost::multiply_and_add(turns);
    results[worker] = done.result;
    operations[worker] = done.operations;
  }
};

/// A kernel that does nothing.
struct Nothing {
  void operator()(int /*worker*/) const {}
};

/// Measures with one thread of rank 0, or with all threads of all ranks on its node. Ranks on other nodes
/// take part in calls, but do not count. All measurements are collective.
class Workers {
 public:
  Workers(const Measured& measured, bool is_one)
      : measured_(measured), workers_(is_one ? (is_rank_0(measured) ? 1 : 0) : measured.threads) {}

  /// Returns the number of threads that are measured.
  std::int64_t count() const { return sum(workers_); }

  /// Returns the bytes per second of copies of arrays that together take `bytes` on the node.
  double copy_speed(std::int64_t bytes) const {
    const std::int64_t part = bytes / count();
    const Arrays arrays(workers_, part);
    const int times = times_for(part);
    const double seconds = fastest([&] { arrays.copy(times); });
    return static_cast<double>(sum(workers_ * arrays.bytes()) * times) / seconds;
  }

  /// Returns the bytes per second that a thread reads and writes in the nearest cache.
  double near_speed() const {
    const Arrays arrays(workers_, near_bytes);
    const int times = times_for(near_bytes);
    const double seconds = fastest([&] { arrays.add_neighbours(times); });
    return static_cast<double>(sum(workers_ * arrays.bytes_of_adding()) * times) / seconds;
  }

  /// Returns the operations per second of arithmetic in registers.
  double arithmetic_speed() const {
    constexpr std::int64_t turns = 100000;
    std::vector<float> results(static_cast<std::size_t>(workers_));
    std::vector<std::int64_t> operations(static_cast<std::size_t>(workers_));
    const double seconds = fastest([&] {
      run(workers_, Multiply{turns, results.data(), operations.data()});
    });
    std::int64_t done = 0;
    for (const std::int64_t of_worker : operations) done += of_worker;
    return static_cast<double>(sum(done)) / seconds;
  }

  /// Returns the seconds of a kernel that does nothing. All threads of a rank take part. Each launch is timed
  /// by itself: when another program interrupts a thread, all others wait, which spoils only this launch.
  double launch_seconds() const {
    return fastest([&] {
      Kokkos::parallel_for("nothing", Kokkos::RangePolicy<Host>(0, workers_), Nothing());
      Host().fence();
    });
  }

 private:
  /// Returns how often each run reads arrays of `bytes` bytes. Small arrays are read many times, so that a
  /// run takes much longer than the launch of its kernel.
  static int times_for(std::int64_t bytes) {
    return static_cast<int>(std::max<std::int64_t>(1, (std::int64_t{4} << 20) / bytes));
  }

  static bool is_rank_0(const Measured& measured) {
    int rank = 0;
    MPI_Comm_rank(measured.communicator, &rank);
    return rank == 0;
  }

  /// Returns the sum over the ranks of the node that is measured.
  std::int64_t sum(std::int64_t number) const {
    if (!measured_.is_on_node_of_rank_0) number = 0;
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, measured_.communicator);
    return number;
  }

  /// Calls `work` several times, and returns the seconds of the fastest call. A call takes as long as it
  /// takes on the slowest rank. Ranks without workers do not call it.
  double fastest(const std::function<void()>& work) const {
    constexpr int least_runs = 3;
    const double most_seconds = 0.1 * measured_.effort;
    double best = std::numeric_limits<double>::infinity(), spent = 0;
    for (int done = 0; done < least_runs || spent < most_seconds; ++done) {
      MPI_Barrier(measured_.communicator);
      const auto start = std::chrono::steady_clock::now();
      if (workers_ > 0) work();
      double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, measured_.communicator);
      best = std::min(best, seconds);
      spent += seconds;
    }
    return best;
  }

  const Measured& measured_;
  int workers_;
};

/// Keeps the best of several measurements, and remembers the greatest ratio between two measurements of the
/// same speed.
class BestOfRounds {
 public:
  /// Keeps the greater speed. A speed of 0 has not been measured yet.
  void keep_most(double& speed, double measured) {
    if (speed > 0) spread_ = std::max({spread_, speed / measured, measured / speed});
    speed = std::max(speed, measured);
  }
  /// Keeps the smaller time. A time of 0 has not been measured yet. Times do not count for the ratio.
  static void keep_least(double& seconds, double measured) {
    seconds = seconds > 0 ? std::min(seconds, measured) : measured;
  }
  double spread() const { return spread_; }

 private:
  double spread_ = 1;
};

/// Returns the bytes of the last-level caches that all threads of the node may use. Collective.
std::int64_t cache_of_node(const Measured& measured) {
  std::int64_t cache = measured.is_on_node_of_rank_0 ? tessera::cache_bytes(measured.threads) : 0;
  MPI_Allreduce(MPI_IN_PLACE, &cache, 1, MPI_INT64_T, MPI_SUM, measured.communicator);
  return cache;
}

/// The bytes of the shortest and the longest message.
constexpr int least_bytes = 8, most_bytes = 4 << 20;

/// The number of messages that are sent before the first one that is timed. Some MPI libraries make
/// connections when the first messages are sent.
constexpr int untimed = 2;

/// Sends a message there and back, as rank 0 or as its partner, and returns the seconds of one way.
double one_way(MPI_Comm communicator, int rank, int partner, std::vector<char>& message, int bytes) {
  const auto start = std::chrono::steady_clock::now();
  if (rank == 0) {
    MPI_Send(message.data(), bytes, MPI_CHAR, partner, 0, communicator);
    MPI_Recv(message.data(), bytes, MPI_CHAR, partner, 0, communicator, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(message.data(), bytes, MPI_CHAR, 0, 0, communicator, MPI_STATUS_IGNORE);
    MPI_Send(message.data(), bytes, MPI_CHAR, 0, 0, communicator);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 2;
}

}  // namespace

double measure_speeds(const Measured& measured, tessera::cost::MachineDescription& machine) {
  const Workers one(measured, true), all(measured, false);
  machine.threads = all.count();
  machine.last_cache_bytes = cache_of_node(measured);
  const std::int64_t in_memory =
      std::clamp(2 * machine.last_cache_bytes, least_memory_bytes, most_memory_bytes);
  // The arrays of all threads take half of the cache, and the arrays of one thread half of its share, as
  // other data lie there, too.
  const std::int64_t in_cache = std::max(machine.last_cache_bytes / 2, near_bytes * machine.threads);
  machine.memory = machine.last_cache = machine.arithmetic = {};
  machine.near_cache_thread = machine.launch_all_seconds = 0;
  if (measured.threads == 1) machine.launch_thread_seconds = 0;
  BestOfRounds best;
  // Measurements are repeated in rounds, and not one after the other: another program that disturbs one of
  // them may have ended when it is repeated.
  for (int round = 0; round < rounds; ++round) {
    best.keep_most(machine.memory.thread, one.copy_speed(in_memory));
    best.keep_most(machine.memory.all, all.copy_speed(in_memory));
    best.keep_most(machine.last_cache.thread, one.copy_speed(in_cache / machine.threads));
    best.keep_most(machine.last_cache.all, all.copy_speed(in_cache));
    best.keep_most(machine.near_cache_thread, one.near_speed());
    best.keep_most(machine.arithmetic.thread, one.arithmetic_speed());
    best.keep_most(machine.arithmetic.all, all.arithmetic_speed());
    best.keep_least(machine.launch_all_seconds, all.launch_seconds());
    if (measured.threads == 1) best.keep_least(machine.launch_thread_seconds, one.launch_seconds());
  }
  return best.spread();
}

std::vector<tessera::cost::MeasuredPoint> ping_pong(MPI_Comm communicator, int partner, int times) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::vector<char> message(most_bytes);
  std::vector<tessera::cost::MeasuredPoint> points;
  for (int bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = -untimed; i < times; ++i) {
      const double seconds = one_way(communicator, rank, partner, message, bytes);
      if (i >= 0) fastest = std::min(fastest, seconds);
    }
    // A coarse clock may measure 0 for the shortest messages.
    points.push_back({static_cast<double>(bytes), std::max(fastest, 1e-9)});
  }
  return points;
}

}  // namespace calibrate
