// SPDX-License-Identifier: MIT
#pragma once

#include "measure/statistics.h"
#include "record/infeed_result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace strata {

// The cost of feeding a network with images. Times are medians with their intervals; for an
// overlapped iteration
//   waiting + copying + beside = overlapped,  infeed share = (waiting + copying) / overlapped
// iteration by iteration: the share that the network spends waiting for its input (Wang, Wei and
// Brooks 2020, "A Systematic Methodology for Analysis of Deep Learning Hardware and Software
// Platforms").
struct InfeedFindings {
    Estimate step;        // with the input ready
    Estimate serial;      // make a batch, copy it, run the step
    Estimate decode;      // of the batch, in processor time
    Estimate augment;     // likewise
    Estimate produce;     // until the batch was made, with nothing else running
    Estimate copy;        // copying the batch to the network
    Estimate overlapped;  // a step while the next batch is made
    Estimate waiting;
    Estimate copying;
    Estimate beside;   // the rest: the step itself
    double share = 0;  // of the overlapped iteration, with its interval
    double share_low = 0;
    double share_high = 0;
    double made_per_second = 0;   // images per second by the threads
    double taken_per_second = 0;  // images per second by the network with its input ready
    double processors = 0;        // threads busy making what the network consumes

    bool is_infeed_bound() const { return made_per_second < taken_per_second; }
};

// Nothing if one of the times is 0 because the clock is too coarse. Requires: a sample of every
// series.
std::optional<InfeedFindings> findings_on(const InfeedResult& infeed, std::int64_t batch);

// Whether the pipeline keeps up with the network, in two sentences: "Infeed-bound: 1 thread makes
// 512 images/s and the network takes 1930. ..."
std::string verdict_on(const InfeedFindings& findings, int threads);

}  // namespace strata
