// SPDX-License-Identifier: MIT
#pragma once

#include "op/work.h"
#include "record/metric_result.h"
#include "record/run.h"
#include "trace/attribute.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The key that identifies a kernel across runs of the same iteration (Dong et al., ICPE 2018). It
// needs the full name: kernels that differ only in template arguments are different kernels, each
// with its own invocation count.
struct KernelKey {
    std::string device = {};  // "pascal", "NVIDIA H200"
    std::int64_t batch = 1;
    std::string full_name = {};   // with template arguments
    std::int64_t invocation = 1;  // invocation of that full name in one iteration, from 1

    auto operator<=>(const KernelKey&) const = default;
};

// A kernel and the layer's pass that it is (a part of).
struct TrackedKernel {
    KernelKey key = {};
    std::string name = {};          // bare name, for display
    std::string layer = {};         // empty: unknown
    std::optional<Pass> pass = {};  // nothing if the layer is unknown
    std::optional<LaunchShape> launch = {};
    std::optional<Nanoseconds> time = {};
    std::vector<MetricResult> metrics = {};

    bool operator==(const TrackedKernel&) const = default;
};

// The kernels of one network's iteration, on any number of devices and at any number of batches.
struct KernelSet {
    std::int64_t id = 0;       // 0: not stored yet
    std::string created = {};  // UTC; empty: set when stored
    Origin origin = Origin::measured;
    std::string network = {};
    std::string source = {};  // the imported file; empty: measured here
    std::int64_t run = 0;     // the run it was traced in; 0: imported
    std::vector<TrackedKernel> kernels = {};
};

// How many kernels of a set the keys distinguish, and how many the bare names would.
struct KeyCount {
    std::int64_t kernels = 0;
    std::int64_t keys = 0;       // different (device, batch, full name, invocation)
    std::int64_t name_keys = 0;  // the same with the bare name instead of the full name
};

// A trace's kernels, in the order of their starts. Spans without a plausible start are left out:
// they have no place in the invocation order.
std::vector<TrackedKernel> tracked_kernels(const TraceResult& trace, std::int64_t batch);

// The first key that two kernels share, if any; such a set is not a dictionary.
std::optional<KernelKey> repeated_key(const KernelSet& set);

}  // namespace strata
