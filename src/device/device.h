// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A number of a device and where it comes from: "measured 2026-11-21 by strata calibrate", or a
// data sheet. A device file without a source for a number is refused.
template <class Q>
struct Fact {
    Q value;
    std::string source;
    // Whether it was measured only once and not reproduced, so that the true value may be better.
    bool is_doubtful = false;
};

// Arithmetic peak for one element type.
struct ComputeCeiling {
    std::string dtype;  // "f32", "bf16"; or f32_of_avx2
    Fact<FlopRate> peak;
    // Of a GPU, whose power limit may hold down its clock under lasting load: the rate that it
    // keeps then, which is not a ceiling of shorter work.
    std::optional<Fact<FlopRate>> sustained = {};
};

// The f32 peak of a library limited to AVX2 on a processor with wider registers.
inline constexpr std::string_view f32_of_avx2 = "f32 avx2";

// One level of the memory hierarchy, nearest first; the last is main memory.
struct MemoryLevel {
    std::string name;               // "L1", "L2", "L3", "DRAM"
    std::optional<Bytes> capacity;  // of all used threads together; absent for main memory
    Fact<Bandwidth> bandwidth;      // of all used threads together, read + write
};

// The ceilings of a machine, by element type and memory level. Read from and written to TOML
// (data/devices, and this machine's own file after `strata calibrate`).
struct Device {
    std::string name;   // "xeon-platinum-8581c-2t", the file's stem
    std::string model;  // the machine's own name
    int threads = 1;    // the number of threads that the ceilings hold for
    std::vector<ComputeCeiling> compute = {};
    std::vector<MemoryLevel> memory = {};
    std::optional<Fact<Seconds>> launch =
        {};  // of a GPU: from one kernel's start to the next one's
};

// Only a GPU's ceilings include a launch. They hold for no number of threads.
inline bool is_gpu(const Device& device) {
    return device.launch.has_value();
}

// Nothing if the device file lacks it.
std::optional<FlopRate> peak_of(const Device& device, std::string_view dtype);
std::optional<Bandwidth> memory_bandwidth_of(const Device& device);  // of the last level

// Converts to and from TOML. Errors name `origin`. parse throws Error naming the key.
Device parse_device(std::string_view toml, std::string_view origin);
std::string to_toml(const Device& device);

// Reads and writes a device file. Both throw Error naming it.
Device read_device(const std::filesystem::path& path);
void write_device(const std::filesystem::path& path, const Device& device);

// The file with this machine's ceilings for this number of threads. It is $STRATA_DEVICE, or
// HOST.toml in $XDG_DATA_HOME/strata/devices (by default ~/.local/share). It holds the ceilings for
// one number of threads; those for another are next to it, in HOST-1t.toml. Throws Error if no home
// is known.
std::filesystem::path own_device_file(int threads);

// A model's name as a file stem: "NVIDIA H200" is "nvidia-h200".
std::string device_file_name(std::string_view model);

// The same for a device other than this machine's processors: MODEL.toml in that folder. Throws
// Error as above.
std::filesystem::path device_file_of(std::string_view model);

// Its ceilings; nothing if it was not calibrated or the file belongs to another model.
std::optional<Device> device_of(std::string_view model);

// This machine's ceilings for this number of threads, as measured by `strata calibrate`; nothing if
// they were not measured, or no home is known.
std::optional<Device> own_device(int threads);

// The same for every calibrated number of threads, in ascending order.
std::vector<Device> own_devices();

// A ceiling from an earlier calibration and from the repeated one, in its own unit.
struct Remeasured {
    std::string ceiling;  // "f32 peak", "L2 bandwidth", "launch"
    double before = 0;
    std::optional<double> now = {};  // nothing: not found this time
    bool was_impossible = false;     // the earlier one: it is replaced
};

// The better ceilings of two calibrations of one device.
struct BestOfBoth {
    Device device;
    std::vector<Remeasured> remeasured;  // in the device's order
};

// Disturbances only slow down, so the higher rate of each ceiling (the shorter time of a launch) is
// nearer the truth: it is kept with its source, which names its date. It is no longer doubtful if
// the other is within `repeated_within` of it. A bandwidth of a cache that was more than
// `impossible_change` times as high before is not kept: no disturbance explains that. Requires: the
// same model.
BestOfBoth best_of_both(const Device& before, const Device& now);
inline constexpr double repeated_within = 0.03;
inline constexpr double impossible_change = 4;

// The names of the device's doubtful ceilings: "DRAM bandwidth".
std::vector<std::string> doubtful_ceilings(const Device& device);

}  // namespace strata
