// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// This header includes the public headers of the library Tessera::operators.

#include "tessera/operators/block_matching.hpp"
#include "tessera/operators/colour.hpp"
#include "tessera/operators/convolution.hpp"
#include "tessera/operators/expression.hpp"
#include "tessera/operators/geometry.hpp"
#include "tessera/operators/global.hpp"
#include "tessera/operators/neighbourhood.hpp"
#include "tessera/operators/point.hpp"
#include "tessera/operators/registry.hpp"
