// SPDX-License-Identifier: MIT
#pragma once

#include "measure/statistics.h"
#include "record/infeed_result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace strata {

// What feeding a network with images comes to. Times are medians with their intervals; of an
// overlapped iteration
//   waiting + copying + beside = overlapped,  infeed share = (waiting + copying) / overlapped
// iteration by iteration: the part of it that the network waits for its input (Wang, Wei and Brooks
// 2020, "A Systematic Methodology for Analysis of Deep Learning Hardware and Software Platforms").
struct InfeedFindings {
    Estimate step;        // the input at hand
    Estimate serial;      // make a batch, copy it, run the step
    Estimate decode;      // of the batch, in processor time
    Estimate augment;     // likewise
    Estimate produce;     // until the batch was made, nothing else running
    Estimate copy;        // until the network had it
    Estimate overlapped;  // a step while the next batch is made
    Estimate waiting;
    Estimate copying;
    Estimate beside;   // the rest of it: the step itself
    double share = 0;  // of the overlapped iteration, with its interval
    double share_low = 0;
    double share_high = 0;
    double made_per_second = 0;   // images, by the threads that made them
    double taken_per_second = 0;  // images, by the network with its input at hand
    double processors = 0;        // that would be busy with making what the network takes

    bool is_infeed_bound() const { return made_per_second < taken_per_second; }
};

// Nothing where one of the times is 0: a clock too coarse. Requires: a sample of every series.
std::optional<InfeedFindings> findings_on(const InfeedResult& infeed, std::int64_t batch);

// Whether the pipeline keeps up with the network, in two sentences: "Infeed-bound: 1 thread makes
// 512 images/s and the network takes 1930. ..."
std::string verdict_on(const InfeedFindings& findings, int threads);

}  // namespace strata
