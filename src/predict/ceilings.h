// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"
#include "predict/device_model.h"

namespace strata {

// A device's numbers as the ceilings of its runs, caches first. If no source states a cache's
// bandwidth, it is derived from processors and clock, and its source says so.
Device ceilings_of(const DeviceDescription& device);

// The least time that memory needs, by its ceilings.
struct LeastTraffic {
    Seconds cache;   // from the nearest cache that holds the traffic, else from the last one
    Seconds memory;  // for what the caches together do not hold
};
LeastTraffic least_time(const Device& ceilings, Bytes traffic);

// The model's kernels of a pass. Fits know no ceilings: if the kernels would be faster than the
// ceilings allow for the pass's operations and compulsory traffic, the longest kernel is extended
// by the difference. An algorithm that saves operations has its own bound.
LayerPrediction predict_within(const DeviceModel& model, const Device& ceilings,
                               const LayerTask& task);

}  // namespace strata
