// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

// The functions of <cmath> that glibc also has for whole registers (libmvec, glibc 2.35 and later;
// error at most 4 units in the last place): a loop over them is vectorised in a file that is
// compiled with -O3 -fno-math-errno. Elsewhere the same calls process one element at a time.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
#define STRATA_VECTOR __attribute__((simd("notinbranch")))
extern "C" {
STRATA_VECTOR float expf(float) noexcept;
STRATA_VECTOR float logf(float) noexcept;
STRATA_VECTOR float powf(float, float) noexcept;
STRATA_VECTOR float sinf(float) noexcept;
STRATA_VECTOR float cosf(float) noexcept;
STRATA_VECTOR float tanf(float) noexcept;
STRATA_VECTOR float asinf(float) noexcept;
STRATA_VECTOR float acosf(float) noexcept;
STRATA_VECTOR float atanf(float) noexcept;
STRATA_VECTOR float sinhf(float) noexcept;
STRATA_VECTOR float coshf(float) noexcept;
STRATA_VECTOR float asinhf(float) noexcept;
STRATA_VECTOR float acoshf(float) noexcept;
STRATA_VECTOR float atanhf(float) noexcept;
STRATA_VECTOR float erff(float) noexcept;
}
#undef STRATA_VECTOR
#endif
#endif
