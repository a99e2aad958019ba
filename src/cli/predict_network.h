// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"
#include "cli/options.h"
#include "predict/device_model.h"
#include "run/experiment.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace strata {

// The options of `strata predict NETWORK`.
struct PredictNetworkOptions {
    NetworkOptions network;
    std::vector<std::string> devices;
    OutputOptions output;
    std::vector<Settings> asked{1};  // several if an option has several values
    std::string database;
    std::string layers;
    std::string passes;
    std::vector<std::string> by;
    bool shows_all = false;
    std::string explained;  // a glob of layers; empty: none
    bool shows_sensitivity = false;
};

// A device that networks are predicted on, as jobs change it (Job::device_changes).
class PredictedDevice {
public:
    explicit PredictedDevice(DeviceDescription device) : device_(std::move(device)) {}

    const std::string& name() const { return device_.name; }
    // Throws Error for an invalid change.
    const DeviceModel& model(const Job& job) const;

private:
    DeviceDescription device_;
    mutable std::map<std::map<std::string, std::string>, std::unique_ptr<DeviceModel>> models_;
};

// The jobs and the devices that the options ask for. Throws Error if they name none.
struct RequestedPredictions {
    std::vector<PredictedDevice> devices;
    Experiment experiment;
};
RequestedPredictions requested_predictions(const PredictNetworkOptions& options);

// Adds all options but the devices and the output.
void add_predicted_network_options(CLI::App& verb, PredictNetworkOptions& options);

// Predicts networks on described devices, stores each prediction as a run, and shows it as `run`
// does; for several devices, shows their whole times side by side. Explanations are not stored.
ExitCode predict_networks(const PredictNetworkOptions& options);

}  // namespace strata
