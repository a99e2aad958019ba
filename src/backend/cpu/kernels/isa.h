// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// One version of a loop for each instruction set, chosen when the program starts: a shipped binary
// must run everywhere, and only the widest registers saturate memory. (x86-64-v3 is AVX2 with FMA
// on any processor; "arch=haswell" would match only that model.)
#define STRATA_EACH_ISA __attribute__((target_clones("avx512f", "arch=x86-64-v3", "default")))

namespace strata::cpu {

// Instruction sets that affect which computations are possible and how; each includes those before
// it.
enum class Isa { baseline, sse41, avx, avx2, avx512 };

// As in processor manuals: "AVX-512".
std::string_view text_of(Isa isa);

// The widest instruction set that our hand-dispatched loops use: the processor's, or the limit set
// by cap_isa. An engine caps it at the library's, so that a run limited to AVX2 is limited
// throughout.
Isa widest_isa();
void cap_isa(Isa widest);

}  // namespace strata::cpu
