// SPDX-License-Identifier: MIT
#pragma once

#include "base/file.h"
#include "base/quantity.h"
#include "device/device.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

using Count = Quantity<0, 0, 0>;
using Hertz = Quantity<-1, 0, 0>;
struct Watts {
    double value = 0;
};
struct DollarsPerHour {
    double value = 0;
};

enum class DeviceKind { gpu, cpu, tpu };
inline constexpr std::array<std::string_view, 3> names_of(DeviceKind) {
    return {"gpu", "cpu", "tpu"};
}

// A device as documents and micro-benchmarks describe it: the basis of predictions for hardware
// that is not at hand. A `Device` holds measured ceilings instead.
//
// Every number has a source; a number without one is absent, never zero.
struct DeviceDescription {
    std::string name;          // "v100", the file's stem
    std::string model;         // "NVIDIA Tesla V100 SXM2 16 GB"
    std::string architecture;  // "volta"; decides which kernels its libraries have
    DeviceKind kind = DeviceKind::gpu;
    std::vector<std::string> also;  // its names in data sets, and its driver's: "NV_V100"

    std::optional<Fact<Count>> processors;    // streaming multiprocessors; cores
    std::optional<Fact<Count>> lanes;         // fp32 multiply-adds of a processor per clock
    std::optional<Fact<Count>> matrix_lanes;  // the same for its matrix units, in bf16
    std::optional<Fact<Hertz>> base_clock;
    std::optional<Fact<Hertz>> boost_clock;
    std::optional<Fact<FlopRate>> f32_peak;   // as stated, dense
    std::optional<Fact<FlopRate>> tf32_peak;  // of matrix units
    std::optional<Fact<FlopRate>> f16_peak;   // of matrix units if there are any
    std::optional<Fact<FlopRate>> bf16_peak;
    std::optional<Fact<FlopRate>> f8_peak;  // of 8-bit numbers with a point, and of whole ones
    std::optional<Fact<FlopRate>> i8_peak;
    std::optional<Fact<Bytes>> l1;             // of a processor
    std::optional<Fact<Bytes>> shared_memory;  // of a processor, the maximum for its blocks
    std::optional<Fact<Bytes>> l2;
    std::optional<Fact<Bandwidth>> l2_bandwidth;
    std::optional<Fact<Bytes>> l3;
    std::optional<Fact<Bytes>> memory;
    std::optional<Fact<Bandwidth>> dram_bandwidth;
    std::optional<Fact<Count>> bus_width;       // bits between the device and its memory
    std::optional<Fact<Hertz>> transfer_rate;   // transfers per second of each of these bits
    std::optional<Fact<Watts>> power;           // maximum continuous power
    std::optional<Fact<DollarsPerHour>> price;  // a public list price for renting it, with its date
};

// A numeric field of a description: its key in the file and for --set, its unit, and its meaning.
struct DeviceField {
    template <class Q>
    using Member = std::optional<Fact<Q>> DeviceDescription::*;

    std::string_view key;
    std::variant<Member<Count>, Member<Hertz>, Member<FlopRate>, Member<Bytes>, Member<Bandwidth>,
                 Member<Watts>, Member<DollarsPerHour>>
        member;
    std::string_view meaning;
    std::string_view without = {};  // what a prediction for a GPU lacks without it; empty: nothing
};
std::span<const DeviceField> device_fields();

// A field's number in its unit ("B/s", "" for a count), and its source; nothing if it is absent.
struct DescribedNumber {
    double value = 0;
    std::string_view unit;
    std::string source;
    bool is_doubtful = false;  // as in Fact
};
std::optional<DescribedNumber> number_of(const DeviceDescription& device, const DeviceField& field);

// A description in TOML. A number is [value, source]; a source listed in [sources] is replaced by
// its text there:
//
//     dram_bandwidth = ["900 GB/s", "sheet"]
//     [sources]
//     sheet = "NVIDIA Tesla V100 GPU accelerator, data sheet, 2018"
//
// Errors name `origin`. Throws Error, naming the place, for an unknown key, a missing source, a
// wrong unit or an impossible value: no processor, a cache smaller than a line.
DeviceDescription parse_description(std::string_view toml, std::string_view origin);

// The built-in descriptions: data/devices, in the order listed in
// src/device/CMakeLists.txt.
std::span<const EmbeddedFile> device_files();

// The description of this name, or with this name in data sets ("V100" is NeuSight's, a V100 PCIe)
// or to its driver; failing that, the one of this name in lower case. Nothing if there is none.
std::optional<DeviceDescription> description_called(std::string_view name);

// A built-in description by either name, or a file (a name with a dot or a slash). If a file is a
// changed copy of a built-in description, dependent numbers follow the changes (`follow`). Throws
// Error that names similar devices.
DeviceDescription find_description(std::string_view name);

// Changes a number: "l2=128MiB" sets it, "dram_bandwidth=2x" multiplies it. "sms" is another name
// for processors. It leaves dependent numbers to `follow`. Throws Error for an unknown key, a wrong
// unit, or a factor of an absent number.
void change(DeviceDescription& device, std::string_view key_and_value);

// Whether the fp32 lanes compute its 16-bit types, if it has any: no matrix units.
bool multiplies_in_lanes(const DeviceDescription& device);

// Rescales dependent numbers that were not changed themselves: the peaks by processors, lanes and
// clock (those of matrix units by processors, matrix lanes and clock), the L2 cache's bandwidth by
// processors and clock, the memory's by bus and transfers (on TPUs by cores, since each has
// its own memory). `before` is the description that `device` was made from.
void follow(const DeviceDescription& before, DeviceDescription& device);

// The same as a sentence.
std::string what_follows(const DeviceDescription& device);

// The built-in description that this one is a changed copy of: the same name, or else the same
// model, with the same kind and architecture; nothing if there is none.
std::optional<DeviceDescription> origin_of(const DeviceDescription& device);

// The fp32 peak from processors, lanes and a clock; nothing if one of them is absent.
std::optional<FlopRate> derived_f32_peak(const DeviceDescription& device,
                                         const std::optional<Fact<Hertz>>& clock);

// Stated numbers that differ by more than 3 % from what the other numbers give, one sentence
// each: a peak (f32, or bf16 of matrix units) at neither clock, a bandwidth from bus and
// transfers.
std::vector<std::string> contradictions(const DeviceDescription& device);

}  // namespace strata
