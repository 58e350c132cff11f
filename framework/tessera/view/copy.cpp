// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/copy.hpp"

#include "tessera/view/box_copies.hpp"

namespace tessera {

void copy_points(const ExecutionSpace& execution, const ArrayReference& from, const ArrayReference& to,
                 const Box& box, std::int64_t element_size, const Point& shift) {
  BoxCopies copies;
  copies.add(from, to, box, shift, element_size);
  copies.commit();
  copies.run(execution);
}

}  // namespace tessera
