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

/// Says how messages travel between ranks.
struct Transport {
  /// True when MPI may be given addresses of a device's memory (see gpu_aware.hpp). Otherwise messages travel
  /// through pinned host memory, which on hosts is one more copy.
  bool device_addresses = runs_on_host;
  /// True when ranks of one node hand each other their buffers through shared windows of MPI-3. Their
  /// messages are then empty and only say that a buffer is ready. It has an effect on hosts only.
  bool shared_windows = false;
};

/// One array of an exchange, with the boxes that are sent and received.
struct ExchangeField {
  /// The array from which boxes are sent.
  ArrayReference from;
  /// The array in which boxes are received. For ghosts it is the array `from`.
  ArrayReference to;
  /// The size of an element in bytes.
  std::int64_t element_size;
  /// The boxes that this rank sends, receives and copies.
  ExchangeLists lists;
};

/// The messages of some arrays between the ranks of a communicator. There is one message per partner and
/// direction, whatever the number of arrays and boxes. Addresses, buffers and persistent requests are made
/// once, and the exchange then runs any number of times. A box that is the only one for its partner, and one
/// range of memory on both ranks, travels in place; all other boxes are packed by one kernel launch for all
/// partners.
///
/// All calls must use the same execution space instance, as buffers are used again once its kernels are done.
/// Where windows are shared, constructor and destructor are collective.
class Exchange {
 public:
  /// Makes buffers and requests. Every rank gives its own lists, which must match those of its partners, and
  /// the fields in the same order. `tag` tells apart the exchanges that share a communicator. The arrays must
  /// not move afterwards.
  Exchange(MPI_Comm communicator, int tag, const std::vector<ExchangeField>& fields,
           const Transport& transport = {}, HostMode mode = HostMode::kernels);
  ~Exchange();
  /// Takes over the buffers and requests of `other`.
  Exchange(Exchange&& other) noexcept = default;
  Exchange& operator=(Exchange&&) = delete;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Sends this rank's boxes, once the kernels enqueued on `execution` are done. Until `finish` the boxes
  /// that are sent must not be written, and those that are received must not be touched. All other work may
  /// go on.
  void start(const ExecutionSpace& execution);
  /// Waits until all boxes that this rank receives have arrived, and unpacks them on `execution`.
  void finish(const ExecutionSpace& execution);
  /// Starts and finishes the exchange.
  void run(const ExecutionSpace& execution) {
    start(execution);
    finish(execution);
  }

  /// The memory of message buffers on this rank, in bytes.
  std::int64_t buffer_bytes() const;

 private:
  using Buffer = Kokkos::View<std::byte*, MemorySpace>;
  using HostBuffer = Kokkos::View<std::byte*, compat::HostPinnedSpace>;

  /// All that one partner gets from this rank, or that this rank gets from it, in one message.
  struct Parcel {
    int partner = 0;
    std::int64_t bytes = 0;
    /// The place of the parcel: `in_place` in the array unless that is null, and otherwise this many bytes
    /// into the buffer.
    std::int64_t offset = 0;
    std::byte* in_place = nullptr;
    /// True when the parcel travels through memory of the node: the receiver then reads it in the sender's
    /// buffer.
    bool shared = false;
    /// The boxes of the parcel are the copies [first_copy, last_copy) of the list.
    std::size_t first_copy = 0;
    std::size_t last_copy = 0;
  };
  /// All that a rank sends, or all that it receives.
  struct Side {
    std::vector<Parcel> parcels;
    BoxCopies copies;
    Buffer buffer;
    /// The copy of the buffer that MPI is given when it may not have addresses of the device.
    HostBuffer host;
    std::vector<MPI_Request> requests;
  };
  /// A message and the field it belongs to.
  struct Item {
    const ExchangeField* field;
    const Message* message;
  };

  /// Returns the messages sent to, or received from, each partner, in rising order of partners.
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
  /// Returns true when the rank neither sends, receives nor copies anything.
  bool is_empty() const;
  void unpack(const ExecutionSpace& execution);
  void unpack_parcel(const ExecutionSpace& execution, std::size_t index);

  Transport transport_;
  HostMode mode_;
  std::unique_ptr<NodeMemory> node_;
  Side sent_;
  Side received_;
  /// Receipts are empty messages by which a partner of the node says that it has unpacked a parcel, whose
  /// place may then be written again. There is one request per parcel, which is null for parcels that are not
  /// shared.
  std::vector<MPI_Request> receipts_awaited_;
  std::vector<MPI_Request> receipts_given_;
};

}  // namespace tessera
