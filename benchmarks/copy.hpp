// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "image_size.hpp"
#include "tessera/app/session.hpp"
#include "tessera/view/accessor.hpp"
#include "tessera/view/block.hpp"

namespace bench {

/// A plain copy of the rank's share of an image of T: the limit that memory sets.
template <class T>
class Copy {
 public:
  Copy(const tessera::app::Session& session, Size size)
      : width_(size.width),
        rows_((size.height + session.rank_count() - 1) / session.rank_count()),
        from_("from", sizeof(T), tessera::Box{{0, width_}, {0, rows_}}, 0),
        to_("to", sizeof(T), tessera::Box{{0, width_}, {0, rows_}}, 0) {}

  void run() {
    using Policy = Kokkos::RangePolicy<tessera::ExecutionSpace, Kokkos::Schedule<Kokkos::Static>>;
    const tessera::ExecutionSpace execution;
    const tessera::Accessor<const T, 2> from(from_.reference());
    const tessera::Accessor<T, 2> to(to_.reference());
    if constexpr (tessera::runs_on_host)
      Kokkos::parallel_for("copy", Policy(execution, 0, rows_), Row{from, to, width_});
    else
      Kokkos::deep_copy(execution, to_.memory(), from_.memory());
    execution.fence();
  }

  std::int64_t bytes() const { return static_cast<std::int64_t>(from_.bytes() + to_.bytes()); }

 private:
  struct Row {
    tessera::Accessor<const T, 2> from;
    tessera::Accessor<T, 2> to;
    int width;
    [[maybe_unused]] KOKKOS_FUNCTION void operator()(int y) const {  // devices copy in one call
      const T* KOKKOS_RESTRICT read = &from(tessera::Coordinate(0), tessera::Coordinate(y));
      T* KOKKOS_RESTRICT write = &to(tessera::Coordinate(0), tessera::Coordinate(y));
#pragma omp simd
      for (int x = 0; x < width; ++x) write[x] = read[x];
    }
  };

  int width_;
  int rows_;
  tessera::Block<> from_;
  tessera::Block<> to_;
};

}  // namespace bench
