// SPDX-License-Identifier: MIT
// Any bytes as a NumPy file.
#include "base/npy.h"
#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        strata::parse_npy(std::as_bytes(std::span(data, size)), "fuzz.npy");
    } catch (const strata::Error&) {
    }
    return 0;
}
