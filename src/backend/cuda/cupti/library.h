// SPDX-License-Identifier: MIT
#pragma once

namespace strata::cuda {

// A function of CUPTI, which is opened when it is first called: strata measures without it. Throws
// ProfilerError if the library or the function is missing.
void* cupti_function(const char* name);

}  // namespace strata::cuda

// Defines a function of CUPTI's headers as a call of the one in the opened library. Weak, so that a
// program may define its own. A function that is called but not listed this way does not link.
#define STRATA_CUPTI_FUNCTION(name, parameters, arguments)                          \
    extern "C" __attribute__((weak)) CUptiResult name parameters {                  \
        static const auto function =                                                \
            reinterpret_cast<decltype(&name)>(strata::cuda::cupti_function(#name)); \
        return function arguments;                                                  \
    }
