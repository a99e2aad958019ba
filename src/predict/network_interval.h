// SPDX-License-Identifier: MIT
#pragma once

#include "predict/interval.h"
#include "predict/network.h"

#include <optional>
#include <string>
#include <vector>

namespace strata {

// An interval and the residuals that it comes from.
struct FoundInterval {
    TimeInterval time;
    std::string basis;
};

// The intervals of a predicted iteration.
//
// The kernels of a step err together: its ends are the sums of theirs. What steps of one network
// have in common, such as the host, the framework and the clock, shows in the residuals of whole
// networks, to which nothing was fitted. Apart from that, steps err independently, except those of
// which nothing was measured: these may all be wrong in the same way. In logarithms of the whole's
// time, by which `share` of it each step takes, an end is away from the whole networks' median by
//
//   (common^2 + sum of (share * step)^2 + (sum of share * unmeasured step)^2)^(1/2)
struct NetworkIntervals {
    std::vector<std::optional<FoundInterval>> steps;  // nothing: it has no time, or costs nothing
    FoundInterval whole;
};

// `is_changed`: numbers of the device were changed. Devices that divide a step and exchange
// results are not in it.
NetworkIntervals intervals_of(const NetworkPrediction& prediction, const DeviceModel& device,
                              bool is_changed);

// "Eight of ten measured times would be 7.9 ms to 11.2 ms (left-out, network on a gpu on 6
// devices)."
std::string interval_sentence(const FoundInterval& whole);

}  // namespace strata
