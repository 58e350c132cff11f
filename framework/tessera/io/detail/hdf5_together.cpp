// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/hdf5_together.hpp"

#include "tessera/domain/error.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/io/unfinished_files.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {
namespace {

/// The time for which a rank waits for the other ranks after its own call has failed. The other ranks may
/// still be reading or writing.
constexpr double patience_seconds = 5;

/// Ensures that no HDF5 file is closed any more, because this needs all ranks. Also removes the unfinished
/// files of this process, because rank 0 may wait in another call and never remove these files.
void abandon_files() {
  Hdf5Id::abandon_all();
  remove_unfinished_files();
}

}  // namespace

void call_together(MPI_Comm communicator, const std::function<void()>& task) {
  try {
    collectively_within(communicator, patience_seconds, task);
  } catch (const InputError&) {
    throw;
  } catch (const AgreedInternalError&) {
    throw;
  } catch (...) {
    abandon_files();
    throw;
  }
}

void write_together(MPI_Comm communicator, const std::function<void()>& task) {
  try {
    call_together(communicator, task);
  } catch (const InputError& error) {
    int ranks = 1;
    MPI_Comm_size(communicator, &ranks);
    if (ranks == 1) throw;
    abandon_files();
    throw StrandedError(error.what());
  }
}

}  // namespace tessera::io::detail
