// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <any>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/operators/image.hpp"

namespace tessera::operators {

namespace detail {

/// Adds an operator of the registry to a pipeline. `parameters` has the structure of its parameters.
Image add_operator(std::string_view name, Pipeline& pipeline, const std::vector<Image>& images,
                   const std::any& parameters);

/// Returns the parameters of a call that gives none. Those of some operators must be given.
template <class Parameters>
Parameters default_parameters() {
  static_assert(
      !requires { Parameters::must_be_given; }, "this operator needs its parameters");
  return {};
}

}  // namespace detail

/// The parameters of operators that have no parameters but the name of the stage.
struct Named {
  std::string name = {};  ///< the name of the stage, by default that of the operator
};

/// An operator that takes `least` to `most` images, as a C++ function with the structure `Parameters`. Calls
/// add it to a pipeline, and return its result. They throw ParameterError and OperandError (see
/// registry.hpp).
template <class Parameters, int least = 1, int most = least>
struct Function {
  /// The name of the operator in the registry.
  std::string_view name;

  /// Adds the operator on one image.
  Image operator()(Pipeline& pipeline, const Image& image,
                   const Parameters& parameters = detail::default_parameters<Parameters>()) const
      requires(least == 1) {
    return detail::add_operator(name, pipeline, {image}, parameters);
  }
  /// Adds the operator on two images.
  Image operator()(Pipeline& pipeline, const Image& first, const Image& second,
                   const Parameters& parameters = detail::default_parameters<Parameters>()) const
      requires(least <= 2 && most >= 2) {
    return detail::add_operator(name, pipeline, {first, second}, parameters);
  }
  /// Adds the operator on three images.
  Image operator()(Pipeline& pipeline, const Image& first, const Image& second, const Image& third,
                   const Parameters& parameters = detail::default_parameters<Parameters>()) const
      requires(most == 3) {
    return detail::add_operator(name, pipeline, {first, second, third}, parameters);
  }
};

}  // namespace tessera::operators
