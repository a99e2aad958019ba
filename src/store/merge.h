// SPDX-License-Identifier: MIT
#pragma once

#include "store/database.h"

#include <cstddef>
#include <filesystem>

namespace strata {

// What a merge brought.
struct Merged {
    std::size_t runs = 0;     // that are new here
    std::size_t known = 0;    // that were here already
    std::size_t partial = 0;  // that are not complete and stay where they are
    std::size_t points = 0;   // of sweeps, that had no outcome here
};

// Copies the complete runs of another database, with their tags and notes, and the outcomes of its
// sweeps' points. A run is known here where one has equal settings, time of creation and samples to
// the last bit, so merging twice changes nothing; a tag that is taken here stays with its run. All
// of it is one transaction. Throws Error, and
// changes nothing here, where the other file is damaged, foreign, of a newer strata or this one.
Merged merge_database(const Database& into, const std::filesystem::path& from);

}  // namespace strata
