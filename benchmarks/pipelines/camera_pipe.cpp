// SPDX-License-Identifier: BSD-3-Clause
#include "apps/camera_pipe/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {

/// Raw values of 9 bits: brighter ones would mostly be white.
Cases camera_pipe_cases(Size size) {
  if (size.width < 96 || size.height < 56)
    throw tessera::InputError("camera_pipe takes images of 96x56 or more, not " + size.text());
  const auto sample = [](int x, int y, int) {
    return static_cast<std::uint16_t>(synthetic_sample(x, y) >> 7);
  };
  return {{"camera_pipe", "u16-u8x3", "camera_pipe", camera_pipe::make_pipeline(box_of(size)),
           filled<std::uint16_t>(sample)}};
}

}  // namespace bench
