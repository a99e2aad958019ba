// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "measure/sampled_infeed.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

// The cost of feeding a network with stored images: their source, their decoder, and all times
// (measure/infeed.h).
struct InfeedResult {
    std::string source;       // "synthetic", or the folder's own name
    std::int64_t images = 0;  // distinct images
    Bytes encoded;            // of all images, as JPEG
    double pixels = 0;        // total of all images
    int threads = 1;          // threads that decoded and augmented
    SampledInfeed times;
};

// The series of samples with their names in the database and in JSON.
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
