// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/view/communicator.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange.hpp"
#include "tessera/view/fill_boundary.hpp"

namespace tessera {

/// Fills the ghosts of some views: inside the domain from the ranks that own them, and outside by the
/// boundary conditions. The messages of all views to one partner are merged into one. It is made once and
/// runs any number of times.
class HaloExchange {
 public:
  /// Prepares the exchange of the ghosts that each view was made with. Collective: all ranks give their views
  /// in the same order. The communicator is duplicated. Throws InternalError when a view is not the part of
  /// this rank, or has more ranks than the communicator.
  template <class... Views>
  explicit HaloExchange(MPI_Comm communicator, const Views&... views)
      : HaloExchange(Transport(), communicator, views...) {}
  /// Prepares the exchange, with messages that travel as `transport` says. Collective.
  template <class... Views>
  HaloExchange(const Transport& transport, MPI_Comm communicator, const Views&... views)
      : communicator_(communicator) {
    (add(views), ...);
    make_exchange(transport);
  }

  /// Sends this rank's boxes, see Exchange::start. Ghosts must not be read until `finish`.
  void start(const ExecutionSpace& execution = {}) { exchange_.front().start(execution); }
  /// Waits for the ghosts, and fills those outside the domain. After the call they can be read on
  /// `execution`.
  void finish(const ExecutionSpace& execution = {});
  /// Starts and finishes the exchange.
  void run(const ExecutionSpace& execution = {}) {
    start(execution);
    finish(execution);
  }

  /// The memory of message buffers on this rank, in bytes.
  std::int64_t buffer_bytes() const { return exchange_.front().buffer_bytes(); }

 private:
  /// A view that holds points beyond its domain, which the boundary conditions fill.
  struct Beyond {
    ArrayReference array;
    std::int64_t element_size;
    Box box;
    Box domain;
    BoundaryConditions conditions;
  };

  template <class View>
  void add(const View& view) {
    static_assert(std::is_same_v<typename View::MemorySpaceOfView, MemorySpace>,
                  "kernels cannot reach this view's memory");
    const int rank = communicator_.rank();
    const BlockDistribution& blocks = view.distribution();
    if (view.rank() != rank || blocks.first_rank() + blocks.rank_count() > communicator_.size())
      throw InternalError(fmt::format("the part of rank {} of {} of a view in an exchange on rank {} of {}",
                                      view.rank(), blocks.first_rank() + blocks.rank_count(), rank,
                                      communicator_.size()));
    ExchangeLists lists =
        exchange_lists(view.distribution(), view.boundary(), rank, communicator_.size(), view.need());
    mark_in_place(
        lists, rank, [&](int other) { return view.layout(other); }, view.domain(), view.boundary());
    const ArrayReference array = view.block().reference();
    fields_.push_back({array, array, view.block().layout().element_size, std::move(lists)});
    if (!view.domain().contains(view.required()))
      beyond_.push_back(
          {array, fields_.back().element_size, view.required(), view.domain(), view.boundary()});
  }
  void make_exchange(const Transport& transport);

  Communicator communicator_;
  std::vector<ExchangeField> fields_;
  std::vector<Beyond> beyond_;
  /// There is one, which is made after the fields.
  std::vector<Exchange> exchange_;
};

}  // namespace tessera
