// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "tessera/view/block.hpp"
#include "tessera/view/box_copies.hpp"
#include "tessera/view/exchange_lists.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera {

/// How messages are sent between ranks.
struct Transport {
  /// True when MPI may be given addresses in a device's memory (see choose_transport). Otherwise messages are
  /// sent from pinned host memory and received there. In builds whose kernels run on hosts, this costs one
  /// more copy.
  bool device_addresses = runs_on_host;
  /// True when ranks of one machine node read packed messages directly from each other's buffers, in shared
  /// windows of MPI-3. The ranks then send each other empty messages, which only say that a buffer is ready.
  /// Messages that are sent in place are sent as without windows, because this needs one copy less. The
  /// setting has an effect only if kernels run on hosts.
  bool shared_windows = false;
};

/// One array of an exchange, with the boxes that are sent and received.
struct ExchangeField {
  /// The array whose boxes are sent.
  ArrayReference from;
  /// The array that stores the boxes that are received. In an exchange of ghosts, this is the array `from`.
  ArrayReference to;
  /// The size of an element in bytes.
  std::int64_t element_size;
  /// The boxes that this rank sends, receives and copies.
  ExchangeLists lists;
};

/// Sends boxes of one or more arrays between the ranks of a communicator. A partner of a rank is another rank
/// that it sends boxes to or receives boxes from. All boxes that a rank sends to one partner are in one
/// message, whatever the number of arrays and boxes. Addresses, buffers and persistent requests are made
/// once, in the constructor. The exchange can then be run any number of times.
///
/// A box can be sent in place, without being packed into a buffer, if it is the only box for its partner and
/// lies in one range of memory on both ranks (see Message::in_place). All other boxes are packed by one
/// kernel launch for all partners.
///
/// All calls must use the same execution space instance, because a buffer is used again as soon as the
/// kernels of this instance are done. The constructor and the destructor are collective if shared windows are
/// used (see Transport::shared_windows).
class Exchange {
 public:
  /// Makes buffers and requests. The lists of a rank must match the lists of its partners. All ranks must
  /// give their fields in the same order. `tag` distinguishes exchanges that use the same communicator. The
  /// arrays must stay at the same addresses as long as the exchange is used.
  Exchange(MPI_Comm communicator, int tag, const std::vector<ExchangeField>& fields,
           const Transport& transport = {}, HostMode mode = HostMode::kernels);
  ~Exchange();
  /// Takes over the buffers and requests of `other`.
  Exchange(Exchange&& other) noexcept = default;
  Exchange& operator=(Exchange&&) = delete;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Sends this rank's boxes after the kernels that were enqueued on `execution` are done. Until `finish`
  /// returns, the boxes that are sent must not be written, and the boxes that are received must be neither
  /// read nor written. All other work may go on.
  void start(const ExecutionSpace& execution);
  /// Waits until all boxes that this rank receives have arrived, and unpacks them on `execution`.
  void finish(const ExecutionSpace& execution);
  /// Starts and finishes the exchange.
  void run(const ExecutionSpace& execution) {
    start(execution);
    finish(execution);
  }

  /// The size of the message buffers on this rank, in bytes.
  std::int64_t buffer_bytes() const;

 private:
  using Buffer = Kokkos::View<std::byte*, MemorySpace>;
  using HostBuffer = Kokkos::View<std::byte*, compat::HostPinnedSpace>;

  /// One message: all boxes that this rank sends to one partner, or all boxes that it receives from one
  /// partner.
  struct Parcel {
    int partner = 0;
    std::int64_t bytes = 0;
    /// The distance from the beginning of the buffer to the parcel, in bytes. It is not used if `in_place` is
    /// not null.
    std::int64_t offset = 0;
    std::byte* in_place = nullptr;
    /// True when the parcel is packed into memory that the ranks of a machine node share. The receiver then
    /// reads it from the buffer of the sender.
    bool shared = false;
    /// The boxes of the parcel are the copies [first_copy, last_copy) of Side::copies.
    std::size_t first_copy = 0;
    std::size_t last_copy = 0;
  };
  /// All parcels that this rank sends, or all parcels that it receives.
  struct Side {
    std::vector<Parcel> parcels;
    BoxCopies copies;
    Buffer buffer;
    /// A copy of `buffer` in host memory. MPI is given this copy if it may not be given addresses in a
    /// device's memory.
    HostBuffer host;
    std::vector<MPI_Request> requests;
  };
  /// A message and its field.
  struct Item {
    const ExchangeField* field;
    const Message* message;
  };

  /// Returns the messages that this rank sends if `sends` is true, and otherwise the messages that it
  /// receives. There is one list for each partner, in rising order of partners.
  static std::vector<std::vector<Item>> by_partner(const std::vector<ExchangeField>& fields, bool sends);
  /// True if the message that consists of `items` can be sent in place.
  bool needs_no_packing(const std::vector<Item>& items) const;
  /// True if any rank sends a message that has to be packed. Collective.
  bool some_rank_packs(MPI_Comm communicator, const std::vector<std::vector<Item>>& sends) const;
  /// Finds the places of all parcels, and allocates their buffer. With shared windows, all ranks throw the
  /// same InputError if `has_memory` is false on any of them.
  void make_parcels(Side& side, const std::vector<std::vector<Item>>& items_by_partner, bool sends,
                    bool has_memory = true);
  void allocate_buffers(Side& side, std::int64_t bytes, bool sends, bool has_memory);
  void list_copies(Side& side, const std::vector<std::vector<Item>>& items_by_partner, bool sends) const;
  /// Tells each partner on this machine node the offset of the parcel for that partner in the buffer of this
  /// rank. Also receives the offsets of the parcels for this rank in the buffers of these partners.
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
  /// Requests for receipts. A partner on this machine node sends a receipt, which is an empty message, when
  /// it has unpacked a parcel. The sender may then overwrite the parcel. There is one request per parcel,
  /// which is null if the parcel is not shared.
  std::vector<MPI_Request> receipts_awaited_;
  std::vector<MPI_Request> receipts_given_;
};

/// The setting that says whether MPI may be given addresses in a device's memory: yes (`on`), no (`off`), or
/// only if a test succeeds (`detect`, see choose_transport).
enum class GpuAware : std::uint8_t { detect, on, off };

/// The transport that was chosen for messages, and the reason for this choice.
struct ChosenTransport {
  /// The transport that was chosen.
  Transport transport;
  /// The reason in words, which a program prints when it starts.
  std::string reason;
};

/// Chooses the transport for all ranks of `communicator` together. With GpuAware::detect, device addresses
/// are used only if MPI says that it supports them, and if a value that is sent from device to device
/// arrives. The second condition is tested because some MPI libraries wrongly say that they support device
/// addresses. If one of the conditions fails on any rank, messages are sent through pinned host memory.
/// Collective.
ChosenTransport choose_transport(MPI_Comm communicator, GpuAware wanted);

/// Sends a number from the kernel memory (MemorySpace) of this rank to the kernel memory of the next rank.
/// The last rank sends to the first one. Returns true when the number of the previous rank has arrived.
/// Collective.
bool device_message_arrives(MPI_Comm communicator);

}  // namespace tessera
