// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/program.h"

namespace strata::cpu {

// The dense extents that begin `first` floats into a place.
Place part_of(const Place& place, dnnl::memory::dim first, const dnnl::memory::dims& extents);

// Loops over so many floats: to = 0, to = from, to = a + b.
Call clear_call(const Place& to, dnnl::memory::dim count);
Call copy_call(const Place& from, const Place& to, dnnl::memory::dim count);
Call add_call(const Place& a, const Place& b, const Place& to, dnnl::memory::dim count);

}  // namespace strata::cpu
