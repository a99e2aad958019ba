// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/compare.h"
#include "analyze/what_if.h"
#include "report/document.h"

#include <optional>

namespace strata {

// The time that fusion is predicted to save in a run, and, if it was measured, the time it saved.
struct FusionFindings {
    const Run& run;
    FusionScope scope = FusionScope::all;
    FusionMethod method = FusionMethod::traffic;
    FusionForecast forecast = {};
    std::optional<Comparison> measured = {};  // unfused against fused, in turn
    std::string refusal = {};                 // why it was not measured although requested
};

// Sentence, summary, layers:
//
//   Fusing 7 layers of alexnet into the steps before them is predicted to take 1.9 ± 0.1 ms
//   off 23.4 ms, 0.92 [0.91, 0.92] times the time. Measured in turn it was 0.93 [0.92, 0.95] times:
//   the prediction agrees.
//
//   forecast       time [ms]       ratio
//   now (run 12)   23.4 ± 0.2
//   predicted      21.5 ± 0.2      0.92 [0.91, 0.92]
//   measured off   23.5 ± 0.3
//   measured on    21.9 ± 0.3      0.93 [0.92, 0.95]
//
//   layer  fused into  operator  now [ms]  saved [ms]
//   relu1  conv1       relu          0.62        0.62
Document what_if_document(const FusionFindings& findings);

}  // namespace strata
