// SPDX-License-Identifier: MIT
#pragma once

#include "device/description.h"
#include "graph/execution.h"
#include "graph/graph.h"
#include "op/op.h"
#include "predict/device_change.h"
#include "predict/framework.h"
#include "predict/kernel.h"
#include "predict/rates.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The independent resources of a device that can be scaled. If all but l2_size are doubled, every
// time is halved.
enum class Resource { compute, latency, l2_bandwidth, l2_size, dram_bandwidth, launch };
inline constexpr std::array<std::string_view, 6> names_of(Resource) {
    return {"compute", "latency", "l2_bandwidth", "l2_size", "dram_bandwidth", "launch"};
}
inline constexpr std::array all_resources = {Resource::compute,        Resource::latency,
                                             Resource::l2_bandwidth,   Resource::l2_size,
                                             Resource::dram_bandwidth, Resource::launch};

// The origin of the rates of a class.
enum class RateOrigin {
    fitted,   // by `strata calibrate` to times of this device, on this machine
    shipped,  // the same, but part of strata
    related,  // of a similar device, adjusted by clocks, processors and bandwidth
    prior,    // typical of all devices
};
inline constexpr std::array<std::string_view, 4> names_of(RateOrigin) {
    return {"fitted", "shipped", "related", "prior"};
}

struct RateSource {
    RateOrigin origin = RateOrigin::prior;
    std::string device = {};  // whose rates they are; empty: none
    std::string name = {};    // of the class as fitted: "gemm fp32"
};

// A layer's pass as a device sees it: operands in the device's storage format.
struct LayerTask {
    const Op& op;
    const Signature& signature;
    Pass pass = Pass::forward;
    const Execution& execution;
};

// The values that a host feeds a device in an iteration: the samples and, in training, one value
// for each class if the network ends in a loss.
struct FedValues {
    double samples = 0;
    double classes = 0;
};
FedValues fed_values(const Graph& graph, const Execution& execution);
double values_of(const Tensor& tensor);

// Another kernel that could compute the same product.
struct Alternative {
    std::string name;
    int splits = 1;
    Seconds time;
};

// THE seam between networks and devices: anything that can predict the passes of layers. Use it
// from one thread at a time, because it remembers its plans.
class DeviceModel {
public:
    virtual ~DeviceModel() = default;
    virtual const DeviceDescription& device() const = 0;

    // Deterministic. If there is no model, the answer says why.
    virtual LayerPrediction predict(const LayerTask& task) const = 0;

    // The same device with a resource multiplied by a factor.
    virtual std::unique_ptr<DeviceModel> scaled(Resource resource, double factor) const = 0;

    // The framework that was asked for; null: the one that predictions assume.
    virtual const Framework* framework() const { return nullptr; }
    LayerFusion fusion() const {
        return framework() == nullptr ? LayerFusion::nothing : framework()->fusion;
    }

    // The time of an iteration beyond its steps, such as the part of a host's infeed that they do
    // not hide.
    virtual Seconds beyond_steps(Seconds /*steps*/, const FedValues& /*fed*/) const { return {}; }

    virtual RateSource source_of(RateClass rates) const = 0;

    // The kernels that could compute a product, fastest first, including this one; none for others.
    virtual std::vector<Alternative> alternatives_to(const KernelPrediction& kernel) const = 0;
};

// The model for a device's kind. Throws Error if the description lacks a number that the model
// needs, and for an invalid change.
std::unique_ptr<DeviceModel> model_of(const DeviceDescription& device,
                                      const DeviceChanges& changes = {});

}  // namespace strata
