// SPDX-License-Identifier: MIT
#pragma once

// One version of a loop for each instruction set, chosen when the program starts: what is shipped
// must run everywhere, and the widest registers are needed to keep memory busy.
#define STRATA_EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
