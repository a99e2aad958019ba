// SPDX-License-Identifier: MIT
#pragma once

#include "graph/plan.h"
#include "predict/ceilings.h"
#include "predict/network.h"
#include "record/run.h"
#include "run/job.h"

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// Settings::backend and Job::backend of a predicted run, "modelled:v100", and the device that such
// a name contains; nothing for another backend.
std::string modelled_backend(std::string_view device);
std::optional<std::string> modelled_device(std::string_view backend);

// Sets the device, and the convolution algorithm if none was requested: on CPUs the default of
// `strata run`, elsewhere the choice of the device's library.
void set_device(Job& job, const DeviceDescription& device);

// The device memory that a prediction needs.
struct ModelledMemory {
    Footprint footprint;  // by liveness
    Bytes workspace;      // the largest of a step
    std::optional<Bytes> of_device = {};

    Bytes needed() const { return footprint.peak + workspace; }
    bool fits() const { return !of_device || needed() <= *of_device; }
};
ModelledMemory memory_of(const Plan& plan, const NetworkPrediction& prediction,
                         const DeviceDescription& device);

// The content of a predicted run: every number of its device with its source and the origin of the
// rates; or, as one of thousands, its steps and only the name of its device, whose ceilings are
// included anyway; or its work instead of the steps.
enum class ModelledDetail { whole, steps, time };

// Whether a device can have such a time and memory, and a database can store them.
bool is_believable(Seconds time, Bytes memory);

// The common part of all runs of a sweep with one device and these settings: everything but
// network, batch, time, work and memory.
Run modelled_prototype(const Job& job, const DeviceDescription& device);

// The prediction as a run: a time for every step, their sum as the whole, the assumptions about the
// device, the origin of its rates and the error of predictions with them. Requires: a planned
// job, and the device with its changes applied.
Run modelled_run(const Job& job, const DeviceModel& device, const NetworkPrediction& prediction);

// The same if the memory is already known.
Run modelled_run(const Job& job, const DeviceModel& device, const NetworkPrediction& prediction,
                 const ModelledMemory& memory, ModelledDetail detail);

}  // namespace strata
