// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exchange.hpp"

#include <limits>

#include "tessera/domain/error.hpp"
#include "tessera/view/copy.hpp"

namespace tessera {
namespace {

/// One MPI element per array element, so that counts reach further than bytes would.
class ElementDatatype {
 public:
  explicit ElementDatatype(std::int64_t size) {
    MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~ElementDatatype() { MPI_Type_free(&type_); }
  ElementDatatype(const ElementDatatype&) = delete;
  ElementDatatype& operator=(const ElementDatatype&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

int count_of(const Box& box) {
  if (box.size() > std::numeric_limits<int>::max())
    throw InternalError("a message of more than 2^31 - 1 elements: use more ranks");
  return static_cast<int>(box.size());
}

}  // namespace

Exchange::Side::Side(const std::vector<Message>& messages, std::int64_t element_size) {
  std::int64_t bytes = 0;
  for (const Message& message : messages) {
    count_of(message.box);  // throws before the memory is asked for
    layouts.push_back(dense_layout(message.box, element_size));
    offsets.push_back(bytes);
    bytes += layouts.back().bytes;
  }
  buffer = Buffer(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: messages"),
                  static_cast<std::size_t>(bytes));
  host = Kokkos::create_mirror_view(buffer);
}

Exchange::Exchange(MPI_Comm communicator, int tag, const ExchangeLists& lists, std::int64_t element_size)
    : sent_(lists.sends, element_size), received_(lists.receives, element_size) {
  const ElementDatatype element(element_size);
  for (std::size_t i = 0; i < lists.receives.size(); ++i) {
    receive_requests_.emplace_back();
    MPI_Recv_init(received_.host.data() + received_.offsets[i], count_of(lists.receives[i].box),
                  element.get(), lists.receives[i].partner, tag, communicator, &receive_requests_.back());
  }
  for (std::size_t i = 0; i < lists.sends.size(); ++i) {
    send_requests_.emplace_back();
    MPI_Send_init(sent_.host.data() + sent_.offsets[i], count_of(lists.sends[i].box), element.get(),
                  lists.sends[i].partner, tag, communicator, &send_requests_.back());
  }
}

Exchange::~Exchange() {
  for (MPI_Request& request : send_requests_) MPI_Request_free(&request);
  for (MPI_Request& request : receive_requests_) MPI_Request_free(&request);
}

void Exchange::run(const ExecutionSpace& execution, const ArrayReference& array) {
  // A kernel may still write what is sent, or read the buffer of the last receive.
  execution.fence();
  MPI_Startall(static_cast<int>(receive_requests_.size()), receive_requests_.data());
  for (std::size_t i = 0; i < sent_.layouts.size(); ++i)
    copy_points(execution, array, sent_.layouts[i].reference(sent_.buffer.data() + sent_.offsets[i]),
                sent_.layouts[i].box, sent_.layouts[i].element_size);
  compat::copy(execution, sent_.host, sent_.buffer);
  execution.fence();
  MPI_Startall(static_cast<int>(send_requests_.size()), send_requests_.data());
  MPI_Waitall(static_cast<int>(receive_requests_.size()), receive_requests_.data(), MPI_STATUSES_IGNORE);
  compat::copy(execution, received_.buffer, received_.host);
  for (std::size_t i = 0; i < received_.layouts.size(); ++i)
    copy_points(execution, received_.layouts[i].reference(received_.buffer.data() + received_.offsets[i]),
                array, received_.layouts[i].box, received_.layouts[i].element_size);
  MPI_Waitall(static_cast<int>(send_requests_.size()), send_requests_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace tessera
