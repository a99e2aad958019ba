// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "predict/kernel_plan.h"
#include "simulate/product_accesses.h"
#include "simulate/stream_accesses.h"

namespace strata {

inline constexpr std::uint64_t planned_element_bytes = 4;

inline std::uint64_t bytes_of(std::int64_t elements) {
    return static_cast<std::uint64_t>(elements) * planned_element_bytes;
}

// Places tensors one after the other, like an allocator.
class Addresses {
public:
    std::uint64_t place(std::uint64_t bytes) {
        const std::uint64_t base = next_;
        if (bytes > most - next_) {
            throw Error("the tensors have more bytes than can be simulated, half a terabyte");
        }
        next_ += (bytes + alignment - 1) / alignment * alignment;
        return base;
    }
    std::uint64_t place_elements(std::int64_t elements) { return place(bytes_of(elements)); }

private:
    static constexpr std::uint64_t alignment = 512;
    static constexpr std::uint64_t most = std::uint64_t{1} << 38;
    std::uint64_t next_ = 0;
};

// Plans a predicted kernel: holds the kernels so far, and the tensors' addresses.
struct Planner {
    const DeviceDescription& device;
    const KernelPrediction& predicted;
    std::vector<KernelPlan> kernels = {};
    Addresses addresses = {};

    // The prediction's time for products, without transforms and the sum of splits.
    Seconds time_of_product() const {
        return predicted.on_device() - predicted.terms[Term::transforms] -
               predicted.terms[Term::split];
    }

    // A product whose rows and columns are divided as in the kernel; if it is split, also the sum
    // of the splits.
    void add_product(std::string_view name, TiledProduct product, const GemmKernel& kernel,
                     bool is_gathered, double runs = 1);
    // A kernel that passes over streams; streams without bytes are left out.
    void add_stream(std::string_view name, std::vector<StreamRange> streams, Seconds time,
                    std::uint64_t block_bytes = 4096);
    // A kernel whose threads each pass over a window, one element at a time; only A is read.
    void add_window(std::string_view name, TiledProduct window, Seconds time);
};

// The kernel of a product that the prediction does not name: the fastest by a device's priors.
GemmKernel kernel_by_priors(const GemmProblem& problem, const DeviceDescription& device);

// A tensor [N, C, H, W] as pixels by channels.
WindowView pixels(std::uint64_t base, std::int64_t all_channels, std::int64_t group_channels,
                  std::int64_t height, std::int64_t width);

// planner_convolution.cpp.
void plan(Planner& planner, const LayerConvolution& convolution);

}  // namespace strata
