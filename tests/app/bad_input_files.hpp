// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace tessera::app_test {

/// Fills a folder with good and bad images and decks for tessera-blur. `good.yaml` and `image.png` are fine.
void write_bad_input(const std::filesystem::path& folder);

}  // namespace tessera::app_test
