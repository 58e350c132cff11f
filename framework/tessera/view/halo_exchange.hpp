// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/exchange.hpp"
#include "tessera/view/launch.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera {

/// Fills the points of `box` outside `domain` with the values that the boundary conditions give them. The
/// array must hold the points whose values the conditions repeat (see with_boundary_sources). Points that are
/// outside the domain only in periodic dimensions must already have their values. Corners are right for every
/// mixture of conditions, because one dimension is filled after the other.
///
/// The work is enqueued on `execution`. On hosts, small fills are done when the call returns. Throws
/// InternalError when `element_size`, in bytes, is greater than largest_element.
void fill_boundary(const ExecutionSpace& execution, const ArrayReference& array, const Box& box,
                   const Box& domain, const BoundaryConditions& conditions, std::int64_t element_size,
                   HostMode mode = HostMode::kernels);

/// Fills the ghosts of one or more views. Ghosts inside the domain are received from the ranks that own them.
/// Ghosts outside the domain get the values that the boundary conditions give them. The boxes of all views
/// that a rank sends to another rank are in one message. A HaloExchange is made once and can be run any
/// number of times.
class HaloExchange {
 public:
  /// Does the same as the other constructor, with the default transport for messages.
  template <class... Views>
  explicit HaloExchange(MPI_Comm communicator, const Views&... views)
      : HaloExchange(Transport(), communicator, views...) {}
  /// Prepares the exchange of the ghosts of `views`, and sends messages as `transport` says.
  /// Collective: all ranks must give their views in the same order. The communicator is duplicated. Throws
  /// InternalError when a view is not the part of this rank, or when its array is distributed over more ranks
  /// than the communicator has.
  template <class... Views>
  HaloExchange(const Transport& transport, MPI_Comm communicator, const Views&... views)
      : communicator_(communicator) {
    (add(views), ...);
    make_exchange(transport);
  }

  /// Sends the points of this rank that other ranks need (see Exchange::start). Ghosts must not be read until
  /// `finish` has been called.
  void start(const ExecutionSpace& execution = {}) { exchange_->start(execution); }
  /// Waits until all ghosts from other ranks have arrived, and fills the ghosts outside the domain. Work that
  /// is enqueued on `execution` after the call can read all ghosts.
  void finish(const ExecutionSpace& execution = {});
  /// Starts and finishes the exchange.
  void run(const ExecutionSpace& execution = {}) {
    start(execution);
    finish(execution);
  }

  /// The size of the message buffers on this rank, in bytes.
  std::int64_t buffer_bytes() const { return exchange_->buffer_bytes(); }

 private:
  /// A view that holds points outside its domain, which are filled according to the boundary conditions.
  struct Beyond {
    ArrayReference array;
    std::int64_t element_size;
    Box box;
    Box domain;
    BoundaryConditions conditions;
  };

  template <class View>
  void add(const View& view) {
    const int rank = communicator_.rank();
    const BlockDistribution& blocks = view.distribution();
    if (view.rank() != rank || blocks.first_rank() + blocks.rank_count() > communicator_.size())
      throw InternalError(fmt::format("the part of rank {} of {} of a view in an exchange on rank {} of {}",
                                      view.rank(), blocks.first_rank() + blocks.rank_count(), rank,
                                      communicator_.size()));
    ExchangeLists lists =
        exchange_lists(view.distribution(), view.boundary(), rank, communicator_.size(), view.need());
    mark_in_place(
        lists, rank, [&](int other, bool) { return view.layout(other); }, view.domain(), view.boundary());
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
  /// The exchange of `fields_`, which is made when `fields_` is complete.
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace tessera
