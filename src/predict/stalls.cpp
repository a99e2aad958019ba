// SPDX-License-Identifier: MIT
#include "predict/stalls.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

constexpr double schedulers = 4;  // per processor, Kepler to Hopper
constexpr double warp_lanes = 32;
constexpr double shared_width = 128;  // bytes per wavefront, one per cycle

// Each thread has a vector of 16 bytes; threads that share a row or a column read the same one.
constexpr double wavefronts_of_load = 2;
constexpr double wavefronts_of_store = 4;

enum Station { at_issue, at_math, at_shared, at_l1, at_l2, at_dram, stations };

// A round: the demands of a warp in one step of its block, in cycles of a scheduler.
struct Round {
    std::array<double, stations> demands = {};
    double instructions = 0;
    double short_wait = 0, long_wait = 0, barrier_wait = 0, fixed_wait = 0;

    double delay() const { return short_wait + long_wait + barrier_wait + fixed_wait; }
};

double cycles_per_second(const DeviceDescription& device) {
    return (device.boost_clock ? device.boost_clock : device.base_clock)->value.value;
}

double sector_bytes_of(double sectors) {
    return sectors * static_cast<double>(sector_bytes);
}

// Memory stations that all processors share: the bytes of a warp's step over a scheduler's share.
void add_memory(Round& round, const SimulatedKernel& traffic, double steps,
                const DeviceDescription& device) {
    const double cycles = cycles_per_second(device) * device.processors->value.value;
    const auto demand = [&](double sectors, double bytes_of_processor_cycle) {
        return sector_bytes_of(sectors) / steps / bytes_of_processor_cycle * schedulers;
    };
    if (traffic.l1) {
        round.demands[at_l1] = demand(traffic.l1->sectors.accesses(), shared_width);
    }
    round.demands[at_l2] =
        demand(traffic.l2.sectors.accesses(), prior_gemm_rates(device).l2.value / cycles);
    round.demands[at_dram] = demand(traffic.dram_reads + traffic.dram_writes,
                                    device.dram_bandwidth->value.value / cycles);
}

// The average latency of a load, weighted by the level that serves it.
double load_latency(const SimulatedKernel& traffic, const Latencies& latencies) {
    const auto missed = [](const SectorCounts& sectors) {
        return sectors.reads > 0 ? 1 - sectors.read_hits / sectors.reads : 0;
    };
    const double below_l1 = traffic.l1 ? missed(traffic.l1->sectors) : 1;
    const double below_l2 = below_l1 * missed(traffic.l2.sectors);
    return latencies.l1 * (1 - below_l1) + latencies.l2 * (below_l1 - below_l2) +
           latencies.dram * below_l2;
}

Round round_of(const KernelPlan& kernel, const SimulatedKernel& traffic,
               const DeviceDescription& device) {
    const double steps = traffic.blocks * kernel.warps * kernel.steps;
    Instructions each = kernel.instructions;
    each *= 1 / steps;
    const Latencies latencies = latencies_of(device);
    Round round;
    round.instructions = each.total();
    round.demands[at_issue] = each.total();
    // (With as many lanes as threads in a warp, one instruction starts per cycle; issue covers it.)
    const double interval = warp_lanes / (device.lanes->value.value / schedulers);
    round.demands[at_math] = interval > 1 ? each.multiply_adds * interval : 0;
    round.demands[at_shared] = schedulers * (each.shared_loads * wavefronts_of_load +
                                             each.shared_stores * wavefronts_of_store);
    add_memory(round, traffic, steps, device);
    // A slice of the step is loaded from shared memory while the previous slice is multiplied.
    if (each.shared_loads > 0) {
        const double slices = kernel.has_loop ? 8 : 1;
        round.short_wait = slices * std::max(0.0, latencies.shared - each.multiply_adds / slices *
                                                                         std::max(1.0, interval));
    }
    round.fixed_wait =
        (latencies.arithmetic - 1) / 2 * (each.other + (kernel.has_loop ? 0 : each.multiply_adds));
    round.barrier_wait = each.barriers * kernel.warps / 2;  // they arrive in sequence
    return round;
}

}  // namespace

NetworkFlow flow_of(const ClosedNetwork& network, int customers) {
    check(customers > 0, "a closed network has customers");
    NetworkFlow flow{.residences = std::vector<double>(network.demands.size())};
    std::vector<double> queues(network.demands.size());
    for (int n = 1; n <= customers; ++n) {
        flow.round = network.delay;
        for (std::size_t k = 0; k < queues.size(); ++k) {
            flow.residences[k] = network.demands[k] * (1 + queues[k]);
            flow.round += flow.residences[k];
        }
        check(flow.round > 0, "a closed network has a demand or a delay");
        flow.rate = n / flow.round;
        for (std::size_t k = 0; k < queues.size(); ++k) {
            queues[k] = flow.rate * flow.residences[k];
        }
    }
    return flow;
}

// Maxwell and Turing: Arafa et al., PPT-GPU, 2019. Pascal: Jia et al., 2018, for a P4. Kepler: for
// a K80, the same, with DRAM as cited by Dong et al., 2018. Volta, Ampere, Hopper: measured by
// RRZE-HPC's gpu-benches. Our estimates: Kepler's shared memory and arithmetic, Pascal's DRAM
// (assumed equal to Kepler's); Ada and Blackwell are assumed equal to Ampere and Hopper.
Latencies latencies_of(const DeviceDescription& device) {
    const std::string& of = device.architecture;
    if (of == "kepler") {
        return {.l1 = 35, .l2 = 200, .dram = 440, .shared = 26, .arithmetic = 9};
    }
    if (of == "maxwell") {
        return {.l1 = 110, .l2 = 250, .dram = 379, .shared = 35, .arithmetic = 6};
    }
    if (of == "pascal") {
        return {.l1 = 82, .l2 = 216, .dram = 440, .shared = 23, .arithmetic = 6};
    }
    if (of == "volta") {
        return {.l1 = 28, .l2 = 212, .dram = 430, .shared = 19, .arithmetic = 4};
    }
    if (of == "turing") {
        return {.l1 = 31, .l2 = 231, .dram = 279, .shared = 30, .arithmetic = 4};
    }
    if (of == "hopper" || of == "blackwell") {
        return {.l1 = 32, .l2 = 253, .dram = 632, .shared = 23, .arithmetic = 4};
    }
    return {.l1 = 33, .l2 = 205, .dram = 532, .shared = 23, .arithmetic = 4};
}

StallShares stall_shares(const KernelPlan& kernel, const SimulatedKernel& traffic,
                         const DeviceDescription& device) {
    Round round = round_of(kernel, traffic, device);
    const double places = device.processors->value.value * kernel.resident_blocks;
    // A grid that does not fill the device has fewer blocks per processor.
    const double resident = std::min<double>(
        kernel.resident_blocks, std::ceil(traffic.blocks / device.processors->value.value));
    const int customers =
        std::max(1, static_cast<int>(std::lround(resident * kernel.warps / schedulers)));
    const double latency =
        kernel.instructions.global_loads > 0 ? load_latency(traffic, latencies_of(device)) : 0;
    round.long_wait = latency;
    if (kernel.has_loop) {
        ClosedNetwork own{.demands = {round.demands.begin(), round.demands.begin() + at_l2},
                          .delay = round.delay() - latency};
        round.long_wait = std::max(0.0, latency - flow_of(own, customers).round);
    }
    const NetworkFlow flow =
        flow_of({.demands = {round.demands.begin(), round.demands.end()}, .delay = round.delay()},
                customers);
    const double waves = std::ceil(traffic.blocks / places);
    const double busy =
        waves > 1 ? traffic.blocks / (waves * places)
                  : std::min(1.0, traffic.blocks / device.processors->value.value / resident);
    StallShares found;
    const auto set = [&](Stall stall, double cycles) {
        found.shares[static_cast<std::size_t>(stall)] = busy * cycles / flow.round;
    };
    set(Stall::selected, round.instructions);
    set(Stall::not_selected, flow.residences[at_issue] - round.instructions);
    set(Stall::math_pipe_throttle, flow.residences[at_math]);
    set(Stall::mio_throttle, flow.residences[at_shared]);
    set(Stall::lg_throttle, flow.residences[at_l1]);
    set(Stall::short_scoreboard, round.short_wait);
    set(Stall::long_scoreboard,
        round.long_wait + flow.residences[at_l2] + flow.residences[at_dram]);
    set(Stall::barrier, round.barrier_wait);
    set(Stall::wait, round.fixed_wait);
    found.shares[static_cast<std::size_t>(Stall::tail)] = 1 - busy;
    found.dram_share = busy * flow.residences[at_dram] / flow.round;
    const auto utilization = [&](Station station) {
        return busy * flow.rate * round.demands[station];
    };
    found.issue = utilization(at_issue);
    found.math =
        std::max(utilization(at_math), busy * flow.rate * kernel.instructions.multiply_adds /
                                           (traffic.blocks * kernel.warps * kernel.steps) *
                                           warp_lanes * schedulers / device.lanes->value.value);
    found.shared = utilization(at_shared);
    found.l1 = utilization(at_l1);
    found.l2 = utilization(at_l2);
    found.dram = utilization(at_dram);
    found.instructions_per_cycle = schedulers * found.issue;
    const double rounds = traffic.blocks * kernel.warps * kernel.steps /
                          (schedulers * device.processors->value.value);
    found.time = Seconds{rounds / (busy * flow.rate) / cycles_per_second(device)};
    return found;
}

}  // namespace strata
