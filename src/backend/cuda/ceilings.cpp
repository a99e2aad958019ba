// SPDX-License-Identifier: MIT
#include "backend/cuda/ceilings.h"

#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/kernels/streams.h"
#include "base/enumeration.h"
#include "base/unit_text.h"
#include "measure/rates.h"
#include "measure/statistics.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata::cuda {

namespace {

constexpr Seconds time_of_sample{3e-3};
constexpr double max_repetitions = 1000;
constexpr int samples_of_kernel = 20;

constexpr Seconds sustained{1};
constexpr Seconds time_of_sustained_sample{50e-3};  // the pauses between them are microseconds

Seconds time_of(Machine& machine, const std::function<void()>& enqueue, std::size_t repetitions,
                const std::function<void()>& meanwhile = {}) {
    machine.stamp(0);
    for (std::size_t i = 0; i < repetitions; ++i) {
        enqueue();
    }
    machine.stamp(1);
    if (meanwhile) {
        meanwhile();
    }
    return machine.between(0, 1) / static_cast<double>(repetitions);
}

// The number of repetitions that takes this long, after one that loads and compiles.
std::size_t repetitions_of(Machine& machine, const std::function<void()>& enqueue, Seconds wanted) {
    time_of(machine, enqueue, 1);
    const Seconds once = std::max(time_of(machine, enqueue, 1), Seconds{1e-9});
    return static_cast<std::size_t>(std::clamp(wanted / once, 1.0, max_repetitions));
}

}  // namespace

std::vector<Seconds> times_of(Machine& machine, const std::function<void()>& enqueue) {
    const std::size_t repetitions = repetitions_of(machine, enqueue, time_of_sample);
    std::vector<Seconds> times(samples_of_kernel);
    std::ranges::generate(times, [&] { return time_of(machine, enqueue, repetitions); });
    return times;
}

Seconds sustained_time_of(Machine& machine, const std::function<void()>& enqueue,
                          const std::function<void()>& meanwhile) {
    const std::size_t repetitions = repetitions_of(machine, enqueue, time_of_sustained_sample);
    std::vector<Seconds> late;
    Seconds passed;
    while (passed < sustained) {
        const Seconds time = time_of(machine, enqueue, repetitions);
        passed += time * static_cast<double>(repetitions);
        if (passed > sustained / 2) {
            late.push_back(time);
        }
    }
    time_of(machine, enqueue, repetitions, meanwhile);
    return median_of(late);
}

namespace {

constexpr std::int64_t largest_array = std::int64_t{1} << 30U;  // bytes
constexpr std::int64_t elements_apart = 1024;  // array lengths are multiples of this
constexpr std::int64_t passes_in_cache = 100;
constexpr std::size_t launches = 1000;
constexpr double loaded_per_cycle = 128;  // bytes of a multiprocessor: 4 for each lane of a warp
constexpr double most_over_writing = 4;

bool writes(const Rates& rates) {
    return rates.kernel != name_of(StreamPattern::read);
}

// Why a cache cannot have this rate, as a note; empty if it can.
std::string impossible(const Rates& rates, std::span<const Rates> all,
                       const DeviceProperties& device) {
    const double clock = 1e3 * device.core_clock_khz;
    const double loadable = loaded_per_cycle * device.multiprocessors * clock;
    const std::string what =
        fmt::format(" (left out: {} with {}, ", rates.kernel, text_with_unit(rates.best, "B/s"));
    if (loadable > 0 && rates.best > loadable) {
        return fmt::format("{}but {} multiprocessors load at most {} at {})", what,
                           device.multiprocessors, text_with_unit(loadable, "B/s"),
                           text_with_unit(clock, "Hz"));
    }
    double writing = 0;
    for (const Rates& one : all) {
        writing = std::max(writing, writes(one) ? one.best : 0);
    }
    return !writes(rates) && rates.best > most_over_writing * writing
               ? fmt::format("{}{:.1f} times the best of the patterns that write)", what,
                             rates.best / writing)
               : "";
}

// Removes impossible rates; returns the notes that say so.
std::string remove_impossible(std::vector<Rates>& all, const DeviceProperties& device) {
    std::string notes;
    std::vector<Rates> possible;
    for (const Rates& rates : all) {
        const std::string note = impossible(rates, all, device);
        notes += note;
        if (note.empty()) {
            possible.push_back(rates);
        }
    }
    all = std::move(possible);
    return notes;
}

class Calibration {
public:
    Calibration(Machine& machine, DeviceWatch* watch,
                const std::function<void(const std::string&)>& progress)
        : machine_(machine), watch_(watch), progress_(progress) {}

    Device measure() {
        Device device{.name = device_file_name(machine_.properties().name),
                      .model = machine_.properties().name,
                      .threads = 1,
                      .compute = product_ceilings(machine_, watch_, progress_),
                      .memory = {},
                      .launch = {}};
        add_memory(device);
        device.launch = launch();
        return device;
    }

private:
    void tell(std::string_view what, std::string_view kernel) const {
        if (progress_) {
            progress_(fmt::format("{}: {}", what, kernel));
        }
    }

    std::int64_t bytes_of_array() const {
        const DeviceProperties& device = machine_.properties();
        const std::int64_t maximum = std::min(largest_array, device.memory_bytes / 8);
        return maximum / (4 * elements_apart) * (4 * elements_apart);
    }

    void add_memory(Device& device) {
        const std::int64_t bytes = bytes_of_array();
        std::vector<Memory> arrays;
        for (int i = 0; i < 3; ++i) {
            arrays.push_back(machine_.allocate(static_cast<std::size_t>(bytes)));
        }
        if (const std::int64_t cache = machine_.properties().l2_bytes; cache > 0) {
            std::vector<Rates> all = rates_of_patterns("L2", arrays, cache / 4, passes_in_cache);
            const std::string notes = remove_impossible(all, machine_.properties());
            if (!all.empty()) {
                device.memory.push_back({.name = "L2",
                                         .capacity = Bytes{static_cast<double>(cache)},
                                         .bandwidth = best_of<Bandwidth>(
                                             std::move(all), size_note(cache / 4) + notes)});
            }
        }
        device.memory.push_back(
            {.name = "DRAM",
             .capacity = {},
             .bandwidth = best_of<Bandwidth>(rates_of_patterns("DRAM", arrays, 3 * bytes, 1),
                                             size_note(3 * bytes))});
        machine_.wait();
    }

    static std::string size_note(std::int64_t working_set) {
        return fmt::format(", {:.0f} MiB", static_cast<double>(working_set) / (1 << 20));
    }

    // Of every pattern; its arrays together are at most `working_set` bytes.
    std::vector<Rates> rates_of_patterns(std::string_view level, const std::vector<Memory>& arrays,
                                         std::int64_t working_set, std::int64_t passes) {
        std::vector<Rates> all;
        for (const StreamPattern pattern : {StreamPattern::read, StreamPattern::write,
                                            StreamPattern::copy, StreamPattern::triad}) {
            tell(level, name_of(pattern));
            const std::int64_t each =
                std::min(working_set / arrays_of(pattern), bytes_of_array()) / 4;
            const std::int64_t elements = each / elements_apart * elements_apart;
            all.push_back(rates_of(pattern, arrays, elements, passes));
        }
        return all;
    }

    Rates rates_of(StreamPattern pattern, const std::vector<Memory>& arrays, std::int64_t elements,
                   std::int64_t passes) {
        const Call call = {stream(pattern, elements, passes), {}};
        const std::array addresses = {arrays[0].get(), arrays[1].get(), arrays[2].get()};
        const double bytes = 4.0 * static_cast<double>(arrays_of(pattern) * elements * passes);
        return rates_from(std::string(name_of(pattern)), bytes,
                          times_of(machine_, [&] { machine_.enqueue(call, addresses); }));
    }

    BestRate recorded_launch(Replay& recorded, const std::vector<Seconds>& from_stream) {
        const auto from_replay = times_of(machine_, [&] { recorded.enqueue(); });
        return best_rate(
            {rates_from("from one recorded kernel to the next", launches, from_replay)}, "",
            fmt::format(", launched one by one: {:.2f} us",
                        1e6 * std::ranges::min(from_stream).value));
    }

    Fact<Seconds> launch() {
        tell("launch", "kernels that do nothing");
        const Memory memory = machine_.allocate(sizeof(float));
        const Call nothing = {fill("nothing", 1, ElementType::f32, 0), {}};
        const auto enqueue = [&] { machine_.enqueue(nothing, std::array{memory.get()}); };
        enqueue();  // loads the kernel, which cannot be recorded
        const auto recorded = machine_.record([&] {
            for (std::size_t i = 0; i < launches; ++i) {
                enqueue();
            }
        });
        const auto from_stream = times_of(machine_, enqueue);
        const BestRate best =
            recorded ? recorded_launch(*recorded, from_stream)
                     : best_rate({rates_from("launched one by one because graph capture failed", 1,
                                             from_stream)},
                                 "");
        machine_.wait();
        return {.value = Seconds{1 / best.value}, .source = best.source};
    }

    Machine& machine_;
    DeviceWatch* watch_;
    const std::function<void(const std::string&)>& progress_;
};

}  // namespace

Device measure_ceilings(Machine& machine, DeviceWatch* watch,
                        const std::function<void(const std::string&)>& progress) {
    return Calibration(machine, watch, progress).measure();
}

}  // namespace strata::cuda
