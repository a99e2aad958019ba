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

// By what a kernel of one run is found again in another run of the same iteration (Dong et al.,
// ICPE 2018). The full name is needed: kernels that differ in template arguments alone are
// different kernels, each with its own count of invocations.
struct KernelKey {
    std::string device = {};  // "pascal", "NVIDIA H200"
    std::int64_t batch = 1;
    std::string full_name = {};   // with template arguments
    std::int64_t invocation = 1;  // of that full name in one iteration, from 1

    auto operator<=>(const KernelKey&) const = default;
};

// A kernel and the layer's pass that it does (a part of).
struct TrackedKernel {
    KernelKey key = {};
    std::string name = {};          // bare, for people
    std::string layer = {};         // empty: not known
    std::optional<Pass> pass = {};  // nothing where the layer is not known
    std::optional<LaunchShape> launch = {};
    std::optional<Nanoseconds> time = {};
    std::vector<MetricResult> metrics = {};

    bool operator==(const TrackedKernel&) const = default;
};

// The kernels of one network's iteration, on any number of devices and at any number of batches.
struct KernelSet {
    std::int64_t id = 0;       // 0: not stored yet
    std::string created = {};  // UTC; empty: as it is stored
    Origin origin = Origin::measured;
    std::string network = {};
    std::string source = {};  // the file that it was imported from; empty: measured here
    std::int64_t run = 0;     // whose trace it is; 0: imported
    std::vector<TrackedKernel> kernels = {};
};

// How many kernels of a set their keys distinguish, and how many bare names would.
struct KeyCount {
    std::int64_t kernels = 0;
    std::int64_t keys = 0;       // different (device, batch, full name, invocation)
    std::int64_t name_keys = 0;  // the same with the bare name in the full one's place
};

// A trace's kernels, in the order of their starts. Spans without a believable start are left out:
// they have no place in the order of invocations.
std::vector<TrackedKernel> tracked_kernels(const TraceResult& trace, std::int64_t batch);

// The first key that two kernels share, if any: a set in which it does is no dictionary.
std::optional<KernelKey> repeated_key(const KernelSet& set);

}  // namespace strata
