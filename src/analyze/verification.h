// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

namespace strata {

// The result of verification over the steps that were compared with the reference.
struct VerificationFindings {
    std::size_t compared = 0;
    std::size_t disagreeing = 0;
    std::size_t without_reference = 0;
    const StepResult* worst = nullptr;  // by error over tolerance; nothing if none was compared
};

// Nothing if the run was not verified. Requires: the run outlives the result.
std::optional<VerificationFindings> verification_of(const Run& run);

}  // namespace strata
