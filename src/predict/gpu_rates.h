// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"

#include <array>
#include <optional>
#include <vector>

namespace strata {

// Rates of one class of products, and the kernels that a library could use.
struct ProductRates {
    GemmRates rates;
    std::vector<GemmKernel> candidates;
};

// All rates of a GPU's model, found once, so predictions look nothing up by name.
struct GpuRates {
    std::array<ProductRates, product_classes> products;
    std::array<StreamingRates, stream_classes> streaming;
    // For tensors in 16 bits; nothing if no similar device was measured.
    std::array<std::optional<StreamingRates>, stream_classes> streaming_in_16_bits;
    std::array<ConvolutionRates, convolution_classes> convolutions;
    std::array<RecurrentRates, recurrent_classes> recurrent;
    std::array<FusedRates, attention_phases> attention;  // in one kernel
    std::array<RateSource, rate_classes> sources;
    Seconds gap;  // between two kernels of one pass, queued together by the host
    // What the host needs to issue a pass, whatever its type; nothing where it is part of the
    // launches that the rates were fitted with.
    std::optional<Seconds> host = {};
    bool convolves_in_tf32 = false;        // f32 convolutions, not products: PyTorch's default
    const Framework* framework = nullptr;  // that was asked for; null: the first of the list
    // What narrowing a product's inputs takes on the device, where the rates of products in 8 bits
    // were fitted to times that contain it; 0: they do not.
    Seconds narrowing_for_fp8 = {}, narrowing_for_int8 = {};
    std::optional<Seconds> cast = {};  // the host's, to narrow a layer's weights in each pass

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

// The rates of a device: fitted here, else shipped, else converted from the most similar device
// that has the class by clocks, processors and bandwidth, else priors. Throws Error if the device
// has no lanes.
GpuRates gpu_rates_of(const DeviceDescription& device);

// The same by class of problem, as in tables: PyTorch launches "linear" and "add", DeepBench's loop
// "gemm fp32" and "convolution fp32 forward".
DeviceRates rates_for_problems(const DeviceDescription& device);

// Adds the missing classes from the most similar other devices.
void add_rates_of_relatives(const DeviceDescription& device, DeviceRates& found);

// The rates of a kernel queued behind another: a shorter launch hides less.
StreamingRates queued(const StreamingRates& rates, Seconds gap);

// A device and its rates.
struct Gpu {
    DeviceDescription device;
    GpuRates rates;
};

// If this description is a changed copy (`origin_of`), the original's rates, adjusted as `apply`
// does; else the device's own.
Gpu gpu_of(const DeviceDescription& device);

// Multiplies a resource by a factor. A launch hides the memory traffic during it, so that changes
// with both.
void scale(Gpu& gpu, Resource resource, double factor);

// Applies changes (DeviceChanges) to the device and to the rates that depend on them. Throws Error
// as `change` does.
void apply(Gpu& gpu, const DeviceChanges& changes);

}  // namespace strata
