// SPDX-License-Identifier: MIT
#pragma once

#include "record/kernels.h"
#include "report/document.h"
#include "store/database.h"

#include <cstdint>

namespace strata {

// Whether a set was there before.
enum class Stored { anew, before };

// Stores a set in one transaction and gives it its id; one that holds the same as a stored one gets
// the stored one's. Throws Error where two kernels share a key, naming them, or the database cannot
// take it.
Stored store_kernels(const Database& database, KernelSet& set);

// The same of a run's trace, within a transaction of the caller's; what was stored of that run
// before is replaced.
void store_kernels_within(const Database& database, KernelSet& set);

// A set as it was stored. Throws Error where there is none of that id.
KernelSet load_kernels(const Database& database, std::int64_t id);

// The number of kernels that a set's keys distinguish.
KeyCount count_keys(const Database& database, std::int64_t set);

// The view kernel_census, of one set or (id 0) of all, newest set first.
Table kernel_census(const Database& database, std::int64_t set = 0);

// Of the view kernel_use what serves several layers, of one set, the most layers first.
Table shared_kernels(const Database& database, std::int64_t set);

}  // namespace strata
