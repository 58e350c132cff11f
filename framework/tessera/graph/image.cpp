// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/image.hpp"

#include <fmt/format.h>

#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera::graph {

std::string plan_key(const Box& domain, ElementType type) {
  return fmt::format("{} {}", to_string(domain), name_of(type));
}

void Image::become_input(std::shared_ptr<const PlannedPipeline> planned, const Box& more) {
  const std::string array = planned->input;
  become(std::move(planned), array, more);
}

void Image::become_output(std::shared_ptr<const PlannedPipeline> planned, const Box& more) {
  const std::string array = planned->output;
  become(std::move(planned), array, more);
}

void Image::become(std::shared_ptr<const PlannedPipeline> planned, const std::string& array,
                   const Box& more) {
  const ArrayDeclaration& declared = planned->algorithm[planned->algorithm.find(array)];
  domain_ = declared.domain;
  type_ = declared.type;
  block_ = block_for(planned->algorithm, planned->plan, array, memory_, more);
  memory_ = block_.memory();
  planned_ = std::move(planned);
}

HostBlock Image::points() const { return block_.host_block(domain_, block_.memory().data(), type_); }

}  // namespace tessera::graph
