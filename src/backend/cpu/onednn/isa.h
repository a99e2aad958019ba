// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/isa.h"

namespace strata::cpu {

// The widest instruction set that oneDNN uses here: the processor's, or less if ONEDNN_MAX_CPU_ISA
// (or DNNL_MAX_CPU_ISA, its earlier name) says so.
Isa effective_isa();

// Whether the library uses AMX tiles for bf16, and the operating system lets this process use them.
bool has_tiles();

// The bits of that instruction set's vectors: 512, 256 (AVX2) or 128.
int vector_bits();

}  // namespace strata::cpu
