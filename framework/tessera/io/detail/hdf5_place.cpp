// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/hdf5_place.hpp"

#include <mpi.h>

#include "tessera/io/detail/hdf5_transfer.hpp"

namespace tessera::io::detail {

std::int64_t create_hdf5_place(const std::string& file_name, const std::string& path,
                               const FileArray& array) {
  const QuietHdf5 quiet;
  const NewHdf5 how{.bytes = most_stored_bytes(array, {}, path)};
  // Parallel HDF5 gives a contiguous data set its place as soon as it is created.
  Hdf5Id file = create_in_parallel(MPI_COMM_SELF, file_name, path, how);
  Hdf5Id dataset = create_dataset(file, path, array, {});
  const haddr_t place = H5Dget_offset(dataset);
  const bool is_closed = dataset.close() && file.close();
  if (place == HADDR_UNDEF || !is_closed)
    fail_with_hdf5(path, "cannot be written", "free some space, or choose another place");
  return static_cast<std::int64_t>(place);
}

}  // namespace tessera::io::detail
