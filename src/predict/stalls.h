// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "device/description.h"
#include "predict/kernel_plan.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// What a resident warp does in a cycle, by the names of NVIDIA's profilers since Volta: it issues
// an instruction, or there is a reason why not. `tail` is the time in which a warp slot stays empty
// because the last blocks do not fill the processors.
enum class Stall {
    selected,
    not_selected,        // ready, but another warp issued
    math_pipe_throttle,  // the fp32 units are busy
    mio_throttle,        // shared memory is busy
    lg_throttle,         // the first-level cache is busy
    short_scoreboard,    // waits for data from shared memory
    long_scoreboard,     // waits for data from the caches or DRAM
    barrier,
    wait,  // for an instruction's fixed latency
    tail,
};
inline constexpr std::array<std::string_view, 10> names_of(Stall) {
    return {"selected",
            "not_selected",
            "math_pipe_throttle",
            "mio_throttle",
            "lg_throttle",
            "short_scoreboard",
            "long_scoreboard",
            "barrier",
            "wait",
            "tail"};
}

// A closed network of queues. Each customer visits stations that serve one customer at a time, with
// `demands` in each round, and pauses for `delay` between rounds.
struct ClosedNetwork {
    std::vector<double> demands;
    double delay = 0;
};

// Its steady state with a number of customers.
struct NetworkFlow {
    double rate = 0;                 // rounds per unit of time, all customers together
    std::vector<double> residences;  // time at each station per round, including waiting
    double round = 0;                // customers / rate
};

// Exact mean-value analysis (Reiser and Lavenberg 1980): R_k(n) = D_k (1 + Q_k(n - 1)), rate(n) = n
// / (delay + sum of R), Q_k(n) = rate(n) R_k(n), from Q(0) = 0. Requires: a customer; no negative
// demand or delay, and not all of them 0.
NetworkFlow flow_of(const ClosedNetwork& network, int customers);

// The cycles that a load waits for data on an idle device. Published numbers.
struct Latencies {
    double l1, l2, dram, shared, arithmetic;
};
Latencies latencies_of(const DeviceDescription& device);

// Shares of the warps' time, which sum to 1, and of the units' time.
struct StallShares {
    std::array<double, names_of(Stall{}).size()> shares = {};  // by value of Stall
    double instructions_per_cycle = 0;                         // per processor
    Seconds time = {};  // the queues' time for a run of the kernel, at the highest clock
    // The busy share of that time for the schedulers, fp32 units, shared memory, first-level cache,
    // second-level cache and DRAM.
    double issue = 0, math = 0, shared = 0, l1 = 0, l2 = 0, dram = 0;
    double dram_share = 0;  // of the warps' time, spent in DRAM and its queue

    double operator[](Stall stall) const { return shares[static_cast<std::size_t>(stall)]; }
};

// Where the time of a kernel's warps goes. The warps of a scheduler are the customers of a closed
// network with stations for issue, fp32 units, shared memory, L1, L2 and DRAM; a scheduler has its
// share of the stations that all use. A round is a step of a block. A load's latency is a delay;
// for loops that load ahead, only the part beyond the step counts. Modelled, not fitted. Requires:
// a device and a kernel from plan_kernel.
StallShares stall_shares(const KernelPlan& kernel, const SimulatedKernel& traffic,
                         const DeviceDescription& device);

}  // namespace strata
