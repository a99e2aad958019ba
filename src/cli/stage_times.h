// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// The time a run spends in each stage: preparing, warming up, measuring. The clock starts with the
// object.
class StageTimes {
public:
    StageTimes() : since_(std::chrono::steady_clock::now()) {}

    // Enters a stage; entering the current stage again changes nothing.
    void enter(const std::string& stage);

    // Says how long the whole took, and where the time went, if it took clearly longer than
    // `bound`, which limits only warming up and measuring.
    std::optional<std::string> sentence_beyond(Seconds bound);

private:
    void end_stage();

    std::chrono::steady_clock::time_point since_;
    std::string stage_ = "loading the network";
    std::vector<std::pair<std::string, Seconds>> stages_;  // as they came
};

}  // namespace strata
