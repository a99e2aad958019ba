// SPDX-License-Identifier: MIT
#pragma once

#include "store/database.h"

#include <cstddef>
#include <filesystem>

namespace strata {

// The result of a merge.
struct Merged {
    std::size_t runs = 0;     // runs new here
    std::size_t known = 0;    // runs already here
    std::size_t partial = 0;  // incomplete runs, which are not copied
    std::size_t points = 0;   // points of sweeps that had no outcome here
};

// Copies the complete runs of another database, with their tags and notes, and the outcomes of its
// sweeps' points. A run is already here if one has equal settings, creation time and bit-identical
// samples, so merging twice changes nothing; a tag that is taken here stays with its run.
// Everything is one transaction. Throws Error, and changes nothing here, if the other file is
// damaged, foreign, of a newer strata or the same file.
Merged merge_database(const Database& into, const std::filesystem::path& from);

}  // namespace strata
