// SPDX-License-Identifier: MIT
#include "backend/cpu/convolution/fft_plan.h"
#include "backend/lower/program.h"

// For builds without FFTW.
namespace strata::cpu {

const FftPlan& FftPlan::of(const FftExtents&) {
    throw Refusal{"strata was built without FFTW (Debian: libfftw3-dev)"};
}

void FftPlan::forward(float*, const TileRows&) const {}
void FftPlan::backward(float*, const TileRows&) const {}
Operations FftPlan::operations(std::size_t) const {
    return {};
}

}  // namespace strata::cpu
