// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>

namespace strata {

// The folder of published data that some tests read: STRATA_SHARED_DIR, otherwise "shared" next to
// the source folder. If it is absent, those tests are skipped.
inline std::filesystem::path shared_directory() {
    if (const char* given = std::getenv("STRATA_SHARED_DIR")) {
        return given;
    }
    return std::filesystem::path(__FILE__).parent_path() / "../../../shared";
}

}  // namespace strata
