// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "store/database.h"
#include "store/tables.h"

#include <span>

namespace strata {

// What a run has besides its own row, one entry for each kind of result. A new kind adds its table
// to tables.h and an entry to the list.
struct RunPart {
    // Stores it for a run of which it is not stored. Requires: a transaction; the run's row.
    void (*store)(TableWriter& to, const Run& run);
    // Adds it to a loaded run. Throws Error if its rows are invalid.
    void (*load)(const Database& from, Run& run);
    // Deletes it, if measuring changes it: each checkpoint stores it again. Null: what is stored
    // when a run begins stays.
    void (*remove)(TableWriter& from, const Run& run) = nullptr;
};

// In an order in which each can refer to those before it; the steps come first.
std::span<const RunPart> run_parts();

// Stores all of them for a new run.
void store_parts(TableWriter& to, const Run& run);
// Stores again those that measuring changes.
void renew_parts(TableWriter& to, const Run& run);
void load_parts(const Database& from, Run& run);

// Sets the status and samples of every step.
void update_steps(TableWriter& to, const Run& run);

}  // namespace strata
