// SPDX-License-Identifier: MIT
#pragma once

#include "record/kernels.h"
#include "report/document.h"
#include "store/database.h"

#include <cstdint>

namespace strata {

class TableWriter;

// Whether a set was already stored.
enum class Stored { anew, before };

// Stores a set in one transaction and sets its id; a set with the content of a stored one gets
// that one's id. Throws Error if two kernels share a key, naming them, or the database cannot
// store it.
Stored store_kernels(const Database& database, KernelSet& set);

// The same for a run's trace, within the caller's transaction; it replaces the run's earlier
// set.
void store_kernels_within(TableWriter& to, KernelSet& set);

// A stored set. Throws Error if there is none with that id.
KernelSet load_kernels(const Database& database, std::int64_t id);

// The number of kernels that a set's keys distinguish.
KeyCount count_keys(const Database& database, std::int64_t set);

// The view kernel_census, of one set or (id 0) of all, newest set first.
Table kernel_census(const Database& database, std::int64_t set = 0);

// The rows of the view kernel_use for one set whose kernels serve several layers, most layers
// first.
Table shared_kernels(const Database& database, std::int64_t set);

}  // namespace strata
