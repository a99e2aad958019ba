// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "measure/sampled_infeed.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// What feeding a network with stored images costs: where they came from, who decoded them, and
// every time (measure/infeed.h).
struct InfeedResult {
    std::string source;       // "synthetic", or the folder's own name
    std::int64_t images = 0;  // different ones
    Bytes encoded;            // of all of them, as JPEG
    double pixels = 0;        // of all of them
    int threads = 1;          // that decoded and augmented
    SampledInfeed times;
};

// The series of samples by their names in the database and in JSON.
struct InfeedSeries {
    std::string_view name;
    Samples SampledInfeed::*samples;
};
inline constexpr std::array<InfeedSeries, 9> infeed_series = {{
    {"step", &SampledInfeed::step},
    {"serial", &SampledInfeed::serial},
    {"decode", &SampledInfeed::decode},
    {"augment", &SampledInfeed::augment},
    {"produce", &SampledInfeed::produce},
    {"copy", &SampledInfeed::copy},
    {"overlapped", &SampledInfeed::overlapped},
    {"waiting", &SampledInfeed::waiting},
    {"copying", &SampledInfeed::copying},
}};

}  // namespace strata
