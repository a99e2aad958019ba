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

// A device as documents and micro-benchmarks describe it: what a prediction for hardware that is
// not at hand starts from. A `Device` holds what was reached on it instead.
//
// Every number has a source; what no source states is absent, never zero.
struct DeviceDescription {
    std::string name;          // "v100", the file's stem
    std::string model;         // "NVIDIA Tesla V100 SXM2 16 GB"
    std::string architecture;  // "volta", which decides what kernels its libraries have
    DeviceKind kind = DeviceKind::gpu;
    std::vector<std::string> also;  // what data sets call it: "NV_V100"

    std::optional<Fact<Count>> processors;    // streaming multiprocessors; cores
    std::optional<Fact<Count>> lanes;         // fp32 multiply-adds of a processor per clock
    std::optional<Fact<Count>> matrix_lanes;  // the same of its matrix units, in bf16
    std::optional<Fact<Hertz>> base_clock;
    std::optional<Fact<Hertz>> boost_clock;
    std::optional<Fact<FlopRate>> f32_peak;   // as stated, dense
    std::optional<Fact<FlopRate>> tf32_peak;  // of matrix units
    std::optional<Fact<FlopRate>> f16_peak;   // of matrix units where there are any
    std::optional<Fact<FlopRate>> bf16_peak;
    std::optional<Fact<Bytes>> l1;             // of a processor
    std::optional<Fact<Bytes>> shared_memory;  // of a processor, the most that blocks can use
    std::optional<Fact<Bytes>> l2;
    std::optional<Fact<Bandwidth>> l2_bandwidth;
    std::optional<Fact<Bytes>> l3;
    std::optional<Fact<Bytes>> memory;
    std::optional<Fact<Bandwidth>> dram_bandwidth;
    std::optional<Fact<Count>> bus_width;       // bits between the device and its memory
    std::optional<Fact<Hertz>> transfer_rate;   // of each of these bits
    std::optional<Fact<Watts>> power;           // the most that it may draw for long
    std::optional<Fact<DollarsPerHour>> price;  // a public list price for renting it, as dated
};

// A number of a description: its key in the file and for --set, its unit, and what it means.
struct DeviceField {
    template <class Q>
    using Member = std::optional<Fact<Q>> DeviceDescription::*;

    std::string_view key;
    std::variant<Member<Count>, Member<Hertz>, Member<FlopRate>, Member<Bytes>, Member<Bandwidth>,
                 Member<Watts>, Member<DollarsPerHour>>
        member;
    std::string_view meaning;
};
std::span<const DeviceField> device_fields();

// A field's number in its unit ("B/s", "" of a count), and its source; nothing where it is absent.
struct DescribedNumber {
    double value = 0;
    std::string_view unit;
    std::string source;
    bool is_doubtful = false;  // as Fact has it
};
std::optional<DescribedNumber> number_of(const DeviceDescription& device, const DeviceField& field);

// A description in TOML. A number is [value, source], and a source that [sources] names is replaced
// by what it says there:
//
//     dram_bandwidth = ["900 GB/s", "sheet"]
//     [sources]
//     sheet = "NVIDIA Tesla V100 GPU accelerator, data sheet, 2018"
//
// `origin` is named in errors. Throws Error that names the place of what is unknown, has no source
// or another unit, or cannot be: no processor, a cache smaller than a line.
DeviceDescription parse_description(std::string_view toml, std::string_view origin);

// The descriptions that are part of strata, data/devices in the order of their list in
// src/device/CMakeLists.txt.
std::span<const EmbeddedFile> device_files();

// The one of this name, or that data sets call so ("V100" is NeuSight's, a V100 PCIe); failing
// that, the one of this name in small letters. Nothing if there is none.
std::optional<DeviceDescription> description_called(std::string_view name);

// One of these by either name, or a file (a name with a dot or a slash). What a file changes of the
// description that it is a copy of is followed (`follow`). Throws Error that names similar ones.
DeviceDescription find_description(std::string_view name);

// Changes a number: "l2=128MiB" sets it, "dram_bandwidth=2x" multiplies it. "sms" is another name
// for processors. What follows is left to `follow`. Throws Error for an unknown key, another unit,
// or a factor of what is absent.
void change(DeviceDescription& device, std::string_view key_and_value);

// Whether its 16-bit numbers, if it has any, are computed by the lanes of fp32: no matrix units.
bool multiplies_in_lanes(const DeviceDescription& device);

// What follows from what, unless it was changed itself: from processors, lanes and clock the peaks
// (those of matrix units from processors, matrix lanes and clock), from processors and clock the
// L2 cache's bandwidth, from bus and transfers the memory's, which on TPUs each core has for
// itself. `before` is the description that `device` was made of.
void follow(const DeviceDescription& before, DeviceDescription& device);

// The same in a sentence.
std::string what_follows(const DeviceDescription& device);

// The description that is part of strata and that this one is a changed copy of: of the same name,
// or else the same model, with its kind and architecture; nothing if there is none.
std::optional<DeviceDescription> origin_of(const DeviceDescription& device);

// The fp32 peak that processors, lanes and a clock give; nothing where one of them is absent.
std::optional<FlopRate> derived_f32_peak(const DeviceDescription& device,
                                         const std::optional<Fact<Hertz>>& clock);

// Stated numbers that the other numbers contradict by more than 3 %, a sentence each: a peak (f32,
// or bf16 of matrix units) that neither clock gives, a bandwidth that bus and transfers do not
// give.
std::vector<std::string> contradictions(const DeviceDescription& device);

}  // namespace strata
