// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// How long a run spends on what: preparing, warming up, measuring. It begins when it is made.
class StageTimes {
public:
    StageTimes() : since_(std::chrono::steady_clock::now()) {}

    // From now on the run does this; told again of the same stage, it goes on.
    void enter(const std::string& stage);

    // Where the whole took clearly longer than `bound`, which holds for warming up and measuring
    // alone: how long, and what took the rest.
    std::optional<std::string> sentence_beyond(Seconds bound);

private:
    void end_stage();

    std::chrono::steady_clock::time_point since_;
    std::string stage_ = "loading the network";
    std::vector<std::pair<std::string, Seconds>> stages_;  // as they came
};

}  // namespace strata
