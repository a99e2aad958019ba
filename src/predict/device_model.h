// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"
#include "graph/execution.h"
#include "graph/graph.h"
#include "op/op.h"
#include "predict/device_change.h"
#include "predict/kernel.h"
#include "predict/rates.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// What of a device can be imagined better, each independent of the others: with all but l2_size
// twice as good, every time is half as long.
enum class Resource { compute, latency, l2_bandwidth, l2_size, dram_bandwidth, launch };
inline constexpr std::array<std::string_view, 6> names_of(Resource) {
    return {"compute", "latency", "l2_bandwidth", "l2_size", "dram_bandwidth", "launch"};
}
inline constexpr std::array all_resources = {Resource::compute,        Resource::latency,
                                             Resource::l2_bandwidth,   Resource::l2_size,
                                             Resource::dram_bandwidth, Resource::launch};

// Where the rates of a class come from.
enum class RateOrigin {
    fitted,   // by `strata calibrate` to times of this device, on this machine
    shipped,  // the same, as a part of strata
    related,  // those of a similar device, by clocks, processors and bandwidth
    prior,    // what devices have in common
};
inline constexpr std::array<std::string_view, 4> names_of(RateOrigin) {
    return {"fitted", "shipped", "related", "prior"};
}

struct RateSource {
    RateOrigin origin = RateOrigin::prior;
    std::string device = {};  // whose rates they are; empty: no device's
    std::string name = {};    // of the class as it was fitted: "gemm fp32"
};

// A layer's pass as a device is asked for it: operands as the device holds them.
struct LayerTask {
    const Op& op;
    const Signature& signature;
    Pass pass = Pass::forward;
    const Execution& execution;
};

// What a host feeds a device in an iteration: the values of the samples, and, in training, one for
// each class where the network ends in a loss.
struct FedValues {
    double samples = 0;
    double classes = 0;
};
FedValues fed_values(const Graph& graph, const Execution& execution);
double values_of(const Tensor& tensor);

// Another kernel that could do the same product.
struct Alternative {
    std::string name;
    int splits = 1;
    Seconds time;
};

// THE seam between networks and devices: whatever can predict the passes of layers. One thread at a
// time, because it remembers what it has planned.
class DeviceModel {
public:
    virtual ~DeviceModel() = default;
    virtual const DeviceDescription& device() const = 0;

    // Deterministic. What has no model is an answer, with its reason.
    virtual LayerPrediction predict(const LayerTask& task) const = 0;

    // The same device with so many times as much of a resource.
    virtual std::unique_ptr<DeviceModel> scaled(Resource resource, double factor) const = 0;

    // What an iteration takes beyond the time of its steps, such as the part of a host's infeed
    // that they do not hide.
    virtual Seconds beyond_steps(Seconds /*steps*/, const FedValues& /*fed*/) const { return {}; }

    virtual RateSource source_of(RateClass rates) const = 0;

    // What could do a product instead, fastest first, with the kernel itself; none for others.
    virtual std::vector<Alternative> alternatives_to(const KernelPrediction& kernel) const = 0;
};

// The model for a device's kind. Throws Error where the description lacks a number that the model
// needs, and for a change that is none.
std::unique_ptr<DeviceModel> model_of(const DeviceDescription& device,
                                      const DeviceChanges& changes = {});

}  // namespace strata
