// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// One version of a loop for each instruction set, chosen when the program starts: what is shipped
// must run everywhere, and the widest registers are needed to keep memory busy. (The level v3 is
// AVX2 with FMA on any processor; "arch=haswell" would be chosen on that one model alone.)
#define STRATA_EACH_ISA __attribute__((target_clones("avx512f", "arch=x86-64-v3", "default")))

namespace strata::cpu {

// Instruction sets that make a difference to what can be computed and how, each with those before
// it.
enum class Isa { baseline, sse41, avx, avx2, avx512 };

// As processors' manuals write it: "AVX-512".
std::string_view text_of(Isa isa);

// The widest that loops of our own choose by hand: the processor's, or what cap_isa allows. An
// engine caps it at what its library uses, so that a run held to AVX2 is held to it throughout.
Isa widest_isa();
void cap_isa(Isa widest);

}  // namespace strata::cpu
