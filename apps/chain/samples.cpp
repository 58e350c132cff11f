// SPDX-License-Identifier: BSD-3-Clause
#include "samples.hpp"

#include <optional>

namespace chain {
namespace {

using namespace tessera;

/// Returns the pipeline for an image, if the chain accepts the image.
std::optional<Sample> sample_of(const Chain& chain, ElementType type, const Box& domain,
                                const std::set<std::string>& wanted) {
  try {
    return Sample{type, domain, build(chain, type, domain, wanted)};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::optional<Sample> sample_with(const Chain& chain, ElementType type, int channels,
                                  const std::set<std::string>& wanted) {
  for (const std::set<std::string>& steps : {wanted, std::set<std::string>{chain.output}})
    for (const std::int64_t side : {std::int64_t(1) << 14, std::int64_t(1) << 18}) {
      const Box domain = channels == 0 ? Box{{0, side}, {0, side}} : Box{{0, side}, {0, side}, {0, channels}};
      if (auto sample = sample_of(chain, type, domain, steps)) return sample;
    }
  return std::nullopt;
}

}  // namespace

std::vector<Sample> samples_of(const Chain& chain, const std::set<std::string>& wanted) {
  std::vector<Sample> samples;
  for (const ElementType type :
       {ElementType::int16, ElementType::uint8, ElementType::uint16, ElementType::float32})
    for (const int channels : {0, 3, 1, 2, 4})
      if (auto sample = sample_with(chain, type, channels, wanted)) samples.push_back(std::move(*sample));
  return samples;
}

}  // namespace chain
