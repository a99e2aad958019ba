// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/isa.h"

namespace strata::cpu {

// The widest instruction set that oneDNN uses here: the processor's, or less if ONEDNN_MAX_CPU_ISA
// (or DNNL_MAX_CPU_ISA, its earlier name) says so.
Isa effective_isa();

}  // namespace strata::cpu
