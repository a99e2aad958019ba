// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "measure/policy.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace strata {

// What was requested for a run. Equal settings on equal machines are the same experiment.
struct Settings {
    std::string backend = {};  // "onednn"; for a predicted run "modelled:v100"
    std::string network = {};  // "alexnet", "model.onnx"
    std::int64_t batch = 1;
    std::string slice = {};  // glob of the layers to run alone; empty: the whole network
    Execution execution = {};
    Policy policy = {};
    std::map<std::string, std::int64_t> dims = {};      // values of a file's symbolic dimensions
    std::map<std::string, std::string> variables = {};  // values of a template's $NAMES
    std::map<std::string, std::string> inputs = {};     // tensor name -> file name
    // For a predicted run, the changes to the device: "l2" -> "128MiB".
    std::map<std::string, std::string> device_changes = {};
    // Hashes of the files' contents: "network", "input NAME".
    std::map<std::string, std::string> content = {};
    // Entries of a stored run unknown to this version, by name: a setting, or a value of an option
    // below. They are shown and stored again unchanged.
    std::map<std::string, std::string> unknown = {};

    int threads() const { return execution.scheduling.threads; }
};

// The beginning of a predicted run's backend, before its device.
inline constexpr std::string_view modelled_prefix = "modelled:";
inline bool is_modelled(const Settings& settings) {
    return settings.backend.starts_with(modelled_prefix);
}

// The measuring policy in one line: "warmup=3 min_time=0.5 ...". Parsing keeps unknown
// entries.
std::string policy_text(const Settings& settings);
void set_policy(Settings& settings, const std::string& text);

// Sets the settings stored in columns. Invalid values are kept as unknown.
void set_stored(Settings& settings, std::string_view option, const std::string& text);

// All other non-default settings, by their names in stored runs and JSON: {"seed", "7"}, {"dim
// tokens", "64"}, {"network content", "0123456789abcdef"}.
std::map<std::string, std::string> further_settings(const Settings& settings);
// The subset that makes it a different experiment.
std::map<std::string, std::string> identifying_settings(const Settings& settings);
void set_further(Settings& settings, const std::string& name, const std::string& value);

}  // namespace strata
