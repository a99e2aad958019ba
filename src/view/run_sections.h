// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <vector>

namespace strata {

// A kind of result that a run may have besides its steps and its time: a member of its JSON, and
// what its page and its report show of it. A new kind adds an entry to the list.
struct RunSection {
    const char* key;
    nlohmann::ordered_json (*json)(const Run& run);  // null if the run does not have it
    // Empty if the run does not have it. Null: it is shown elsewhere.
    std::vector<Block> (*blocks)(const Run& run) = nullptr;
};

// In the order of JSON and of the page.
std::span<const RunSection> run_sections();

// Adds what people see of them.
void add_sections(std::vector<Block>& blocks, const Run& run);

}  // namespace strata
