// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

// One version of a loop for each instruction set, chosen when the program starts: what is shipped
// must run everywhere, and the widest registers are needed to keep memory busy. (The level v3 is
// AVX2 with FMA on any processor; "arch=haswell" would be chosen on that one model alone.)
#define STRATA_EACH_ISA __attribute__((target_clones("avx512f", "arch=x86-64-v3", "default")))

namespace strata::onednn {

// Instruction sets that make a difference to what can be computed and how, each with those before
// it.
enum class Isa { baseline, sse41, avx, avx2, avx512 };

// As processors' manuals write it: "AVX-512".
std::string_view text_of(Isa isa);

// The widest that the library uses here: the processor's, or less where ONEDNN_MAX_CPU_ISA (or
// DNNL_MAX_CPU_ISA, its name before) says so. Loops of our own that choose by hand keep to it as
// well.
Isa effective_isa();

}  // namespace strata::onednn
