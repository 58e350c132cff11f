// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/registry.hpp"

#include <fmt/format.h>

#include "tessera/domain/nearest.hpp"
#include "tessera/operators/detail/families.hpp"

namespace tessera::operators {
namespace {

std::vector<Operator> collected() {
  std::vector<Operator> all;
  for (auto family :
       {detail::arithmetic_operators, detail::tone_operators, detail::threshold_operators,
        detail::combination_operators, detail::convolution_operators, detail::gradient_operators,
        detail::edge_operators, detail::morphology_operators, detail::neighbourhood_operators,
        detail::bilateral_operators, detail::geometry_operators, detail::resampling_operators,
        detail::colour_operators, detail::global_operators})
    for (Operator& one : family()) all.push_back(std::move(one));
  return all;
}

}  // namespace

const std::vector<Operator>& all_operators() {
  static const std::vector<Operator> all = collected();
  return all;
}

const Operator& find_operator(std::string_view name) {
  std::vector<std::string> names;
  for (const Operator& one : all_operators()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw InputError(fmt::format("there is no operator '{}'{}", name, suggestion(name, names)));
}

}  // namespace tessera::operators
