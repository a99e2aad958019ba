// SPDX-License-Identifier: MIT
#pragma once

#include "predict/device_model.h"
#include "predict/training_step.h"

#include <memory>

namespace strata {

// What a TPU's model needs: the description of a chip or board and the rates of its training steps.
struct Tpu {
    DeviceDescription device;
    TrainingStepRates rates;
    RateSource source;  // of all classes, which were fitted together
};

// The rates that were fitted here or are part of strata; else those of the TPU v2, because
// efficiencies and times of launches are alike while clocks, arrays and bandwidths are the
// device's own.
Tpu tpu_of(const DeviceDescription& device);

// Applies changes (DeviceChanges). Throws Error as `change` does.
void apply(Tpu& tpu, const DeviceChanges& changes);

// A TPU whose cores divide the batch, each with all weights.
//
// A pass's products take the longer of their cycles on a core's arrays (overlapped_cycles) and
// their traffic: a third each of weight_copies and activation_copies, which were fitted to the
// three passes of a layer together. Operators element by element cost nothing: XLA fuses them with
// the products, and the copies have their traffic. Other operators read and write their tensors
// once at the bandwidth reached. An update has its passes over the parameters and then the sum of
// their gradients between cores. What belongs to no layer is outside of all steps
// (DeviceModel::beyond_steps): the time of a step's own launch, and of the infeed what the steps
// do not hide.
//
// Products in other types than fp32 and bf16, recurrent layers and opaque operators have no model.
std::unique_ptr<DeviceModel> tpu_model(Tpu tpu);

}  // namespace strata
