// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"
#include "predict/training_step.h"

#include <memory>

namespace strata {

// The inputs of a TPU's model: the description of a chip or board and the rates of its steps.
struct Tpu {
    DeviceDescription device;
    TrainingStepRates rates;
    RateSource source;  // of all classes, fitted together
};

// The rates fitted here or shipped with strata; otherwise those of the TPU v2, because efficiencies
// and launch times are similar while clocks, arrays and bandwidths are the device's own.
Tpu tpu_of(const DeviceDescription& device);

// Applies changes (DeviceChanges). Throws Error as `change` does.
void apply(Tpu& tpu, const DeviceChanges& changes);

// A TPU whose cores divide the batch; each core has all weights.
//
// A pass's products take the longer of their cycles on a core's arrays (overlapped_cycles) and
// their traffic: a third each of weight_copies and activation_copies, which were fitted to the
// three passes of a layer together. Elementwise operators cost nothing: XLA fuses them with the
// products, and the copies include their traffic. Other operators read and write their tensors once
// at the bandwidth reached. An update has its passes over the parameters and then the sum of their
// gradients between cores. The rest belongs to no step (DeviceModel::beyond_steps): the launch of
// the whole step, and the part of the infeed that the steps do not hide.
//
// Products of types other than fp32 and bf16, recurrent layers and opaque operators have no model.
std::unique_ptr<DeviceModel> tpu_model(Tpu tpu);

}  // namespace strata
