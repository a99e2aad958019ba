// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"

#include <array>
#include <optional>
#include <vector>

namespace strata {

// Rates of one class of products, with the kernels that a library could take.
struct ProductRates {
    GemmRates rates;
    std::vector<GemmKernel> candidates;
};

// Every rate that a GPU's model needs, found once: predictions look nothing up by name.
struct GpuRates {
    std::array<ProductRates, product_classes> products;
    std::array<StreamingRates, stream_classes> streaming;
    // Of tensors in 16 bits; nothing if no device like this one was measured.
    std::array<std::optional<StreamingRates>, stream_classes> streaming_in_16_bits;
    std::array<ConvolutionRates, convolution_classes> convolutions;
    std::array<RecurrentRates, recurrent_classes> recurrent;
    std::array<FusedRates, attention_phases> attention;  // in one kernel
    std::array<RateSource, rate_classes> sources;
    Seconds gap;  // between two kernels of one layer's pass, which the host queues together

    const ProductRates& product(RateClass rates) const {
        return products[place_after(RateClass::linear, rates)];
    }
    const StreamingRates& stream(RateClass rates) const {
        return streaming[place_after(RateClass::add, rates)];
    }
    const std::optional<StreamingRates>& stream_in_16_bits(RateClass rates) const {
        return streaming_in_16_bits[place_after(RateClass::add, rates)];
    }
    const ConvolutionRates& convolution(RateClass rates) const {
        return convolutions[place_after(RateClass::convolution_forward, rates)];
    }
    const RecurrentRates& sequence(RateClass rates) const {
        return recurrent[place_after(RateClass::recurrent_forward, rates)];
    }

private:
    static std::size_t place_after(RateClass first, RateClass rates) {
        return static_cast<std::size_t>(rates) - static_cast<std::size_t>(first);
    }
};

// The rates of a device: fitted here, else shipped, else those of the most similar device that has
// the class, by clocks, processors and bandwidth, else priors. Throws Error where the device has no
// lanes.
GpuRates gpu_rates_of(const DeviceDescription& device);

// The same by class of problem, as tables have them: "linear" and "add" are launched by PyTorch,
// "gemm fp32" and "convolution fp32 forward" by DeepBench's loop.
DeviceRates rates_for_problems(const DeviceDescription& device);

// Adds the classes that are missing as the most similar other devices have them.
void add_rates_of_relatives(const DeviceDescription& device, DeviceRates& found);

// The rates of a kernel that is queued behind another: a launch that is shorter hides less.
StreamingRates queued(const StreamingRates& rates, Seconds gap);

// A device with its rates.
struct Gpu {
    DeviceDescription device;
    GpuRates rates;
};

// The rates of the description that this one is a changed copy of (`origin_of`), moved to it as
// `apply` moves them; else the device's own.
Gpu gpu_of(const DeviceDescription& device);

// Makes so many times as much of a resource. A launch hides what the memory moves meanwhile, so
// that follows both.
void scale(Gpu& gpu, Resource resource, double factor);

// Applies changes (DeviceChanges) to the device, and to its rates what follows from them. Throws
// Error as `change` does.
void apply(Gpu& gpu, const DeviceChanges& changes);

}  // namespace strata
