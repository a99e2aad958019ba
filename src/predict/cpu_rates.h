// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// Rates of one family of products: "convolution forward". Each is positive; a fit moves them.
struct CpuProductRates {
    Seconds call{2e-6};
    double efficiency = 0.85;  // of the peak, in the middle of long loops
    double sum = 6;            // multiply-adds along the sum that its start costs
    double row = 0.5;          // rows that loading the other operand's registers costs
    double columns = 2;        // columns that starting a row costs
    double traffic = 1;        // how often operands move, relative to once
    double refetch = 0.02;     // bytes that each operation moves again through the caches
};

// Rates of an operator's pass that reads and writes its tensors: "relu backward_data".
struct CpuStreamRates {
    Seconds call{1e-6};
    double operations = 1;  // operations at the peak that each of its own costs
    double traffic = 1;
};

// Rates of a CPU and of the library that runs its layers. All are relative to the device's
// description, so they mean the same on another device.
struct CpuRates {
    std::map<std::string, CpuProductRates, std::less<>> products = {};
    std::map<std::string, CpuStreamRates, std::less<>> streams = {};
    CpuProductRates usual_product = {};  // if no family is similar
    CpuStreamRates usual_stream = {};
    double l2 = 0.6;     // of the second cache's bandwidth
    double l3 = 0.25;    // of the same, for the third cache
    double dram = 0.7;   // of the memory's bandwidth
    double share = 0.5;  // of the last cache; other processes and machines use it, too
    RateSource source = {};

    // For an unfitted family or pass: the rates of the nearest fitted one, else the usual ones.
    const CpuProductRates& product(std::string_view family) const;
    const CpuStreamRates& stream(std::string_view pass) const;
};

// The file of such rates, TOML, and back. Errors name `origin`. Throws Error that names an unknown
// key, or a rate that is not a positive number.
std::string to_toml(const CpuRates& rates, std::string_view source);
CpuRates parse_cpu_rates(std::string_view toml, std::string_view origin);

// data/rates/cpu: rates of oneDNN by the width of its registers. They apply to any CPU without
// fitted rates.
std::span<const EmbeddedFile> cpu_rate_files();

// The file of the rates that `strata calibrate --operators` fitted here. Throws Error if no home is
// known.
std::filesystem::path own_cpu_rates_file(std::string_view device);

// The rates that `strata calibrate --operators` fitted here for a device of this name; else those
// of cpu_rate_files with its number of lanes.
CpuRates cpu_rates_of(const DeviceDescription& device);

// A device and its rates.
struct Cpu {
    DeviceDescription device;
    CpuRates rates;
};

// The arithmetic peak, and the bandwidths that rates are relative to. Throws Error if the
// description lacks processors, lanes, a clock or the memory's bandwidth.
struct CpuCeilings {
    FlopRate peak;
    double cores = 1;
    Bandwidth l2, dram;
    Bytes l2_size, last_size;  // of all cores together; the last cache before memory
};
CpuCeilings ceilings_for_rates(const DeviceDescription& device);

// Multiplies a resource by a factor.
void scale(Cpu& cpu, Resource resource, double factor);

// Applies changes (DeviceChanges). Throws Error as `change` does.
void apply(Cpu& cpu, const DeviceChanges& changes);

}  // namespace strata
