// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tessera/view/block.hpp"
#include "tessera/view/box_copies.hpp"
#include "tessera/view/exchange_lists.hpp"
#include "tessera/view/node_memory.hpp"

namespace tessera {

/// How messages travel.
struct Transport {
  /// MPI may be given addresses of a device's memory (see gpu_aware.hpp). Else they go through pinned host
  /// memory. Without devices it makes no difference.
  bool device_addresses = runs_on_host;
  /// Ranks of one node hand each other their buffers through shared windows of MPI-3 instead of messages; the
  /// messages that say so are empty. Hosts only.
  bool shared_windows = false;
};

/// One array of an exchange: where it is read and written, which are the same array for ghosts, and what goes
/// where.
struct ExchangeField {
  ArrayReference from;
  ArrayReference to;
  std::int64_t element_size;
  ExchangeLists lists;
};

/// The messages of some arrays between the ranks of a communicator, one per partner and direction whatever
/// the number of arrays and boxes: addresses, buffers and persistent requests are settled once, and then run
/// any number of times. Boxes that are one range of memory on both ranks travel in place; all others are
/// packed by one kernel launch for all partners.
///
/// All calls take the same execution space instance: buffers are used again once its kernels are done. Where
/// windows are shared, constructor and destructor are collective.
class Exchange {
 public:
  /// Every rank gives its own lists, which must match those of its partners, and the fields in the same
  /// order. `tag` tells apart the exchanges that share a communicator.
  Exchange(MPI_Comm communicator, int tag, const std::vector<ExchangeField>& fields,
           const Transport& transport = {}, HostMode mode = HostMode::kernels);
  ~Exchange();
  Exchange(Exchange&& other) noexcept = default;
  Exchange& operator=(Exchange&&) = delete;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Sends this rank's boxes, once the kernels enqueued on `execution` are done. Until `finish` what is sent
  /// must not be written, and what is received must not be touched; all else may go on.
  void start(const ExecutionSpace& execution);
  /// Waits until what this rank receives is in place.
  void finish(const ExecutionSpace& execution);
  /// Both.
  void run(const ExecutionSpace& execution) {
    start(execution);
    finish(execution);
  }

  /// Memory of message buffers.
  std::int64_t buffer_bytes() const;

 private:
  using Buffer = Kokkos::View<std::byte*, MemorySpace>;
  using HostBuffer = Kokkos::View<std::byte*, compat::HostPinnedSpace>;

  /// What goes to, or comes from, one partner.
  struct Parcel {
    int partner = 0;
    std::int64_t bytes = 0;
    /// Where in the buffer; or, when not null, where in the array.
    std::int64_t offset = 0;
    std::byte* in_place = nullptr;
    /// Through memory of the node: what is received lies in the partner's buffer.
    bool shared = false;
    /// Its boxes in the list of copies.
    std::size_t first_copy = 0;
    std::size_t last_copy = 0;
  };
  /// All that a rank sends, or all that it receives.
  struct Side {
    std::vector<Parcel> parcels;
    BoxCopies copies;
    Buffer buffer;
    /// What MPI sees of the buffer when it may not see the device's.
    HostBuffer host;
    std::vector<MPI_Request> requests;
  };
  /// A message and the field it belongs to.
  struct Item {
    const ExchangeField* field;
    const Message* message;
  };

  /// What is sent to, or received from, each partner, in rising order.
  static std::vector<std::vector<Item>> by_partner(const std::vector<ExchangeField>& fields, bool sends);
  void make_parcels(Side& side, const std::vector<std::vector<Item>>& items_by_partner, bool sends);
  void allocate_buffers(Side& side, std::int64_t bytes, bool sends);
  void list_copies(Side& side, const std::vector<std::vector<Item>>& items_by_partner, bool sends) const;
  /// Tells every partner of the node where in this rank's buffer its parcel lies.
  void tell_offsets(int tag);
  void make_requests(MPI_Comm communicator, int tag);
  void make_receipts(int tag);
  bool is_shared(int partner) const { return node_ && node_->shares_node(partner); }
  std::byte* address(const Side& side, const Parcel& parcel) const;
  /// Neither sends, receives nor copies anything.
  bool is_empty() const;
  void unpack(const ExecutionSpace& execution);
  void unpack_parcel(const ExecutionSpace& execution, std::size_t index);

  Transport transport_;
  HostMode mode_;
  std::unique_ptr<NodeMemory> node_;
  Side sent_;
  Side received_;
  /// Empty messages by which partners of the node say that a parcel is unpacked: its place may be written
  /// again. By parcel; null for those that are not shared.
  std::vector<MPI_Request> receipts_awaited_;
  std::vector<MPI_Request> receipts_given_;
};

}  // namespace tessera
