// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Events that the kernel's perf_event interface may count. The last four need no processor
// counters.
enum class CounterEvent {
    cycles,
    instructions,
    cache_references,
    cache_misses,
    branch_misses,
    stalled_cycles_frontend,
    stalled_cycles_backend,
    task_clock,  // nanoseconds on a processor
    page_faults,
    context_switches,
    migrations,
};
inline constexpr std::array<std::string_view, 11> names_of(CounterEvent) {
    return {"cycles",
            "instructions",
            "cache-references",
            "cache-misses",
            "branch-misses",
            "stalled-cycles-frontend",
            "stalled-cycles-backend",
            "task-clock",
            "page-faults",
            "context-switches",
            "migrations"};
}

// A group of events of the calling thread, counted together. An event that the machine or the
// permissions do not allow is left out with its reason, and the others are counted; a virtual
// machine often has no hardware events at all.
class CounterGroup {
public:
    explicit CounterGroup(std::span<const CounterEvent> events);
    CounterGroup(const CounterGroup&) = delete;
    CounterGroup& operator=(const CounterGroup&) = delete;
    ~CounterGroup();

    // For each event, why it is not counted; empty if it is.
    std::span<const std::string> refusals() const { return refusals_; }

    // Counts from 0 until stop, which returns one number per event: nothing if it was refused or
    // never got a processor counter; otherwise scaled to the whole time if the kernel multiplexed
    // it.
    void start();
    std::vector<std::optional<double>> stop();

private:
    void open(CounterEvent event);

    std::vector<int> descriptors_;  // one per event; -1: refused
    std::vector<std::string> refusals_;
    int leader_ = -1;
};

// All events, in order.
std::vector<CounterEvent> all_counter_events();

// For each event, why it cannot be counted here; empty if it can. Tries each one alone.
std::vector<std::string> probe_counters();

}  // namespace strata
