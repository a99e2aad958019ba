// SPDX-License-Identifier: MIT
#include <cstdint>

// A module left over from another build with different headers.
extern "C" std::uint64_t strata_module_interface() {
    return 1;
}
extern "C" void* strata_make_backend() {
    return nullptr;
}
