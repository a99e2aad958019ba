// SPDX-License-Identifier: MIT
#pragma once

#include "record/settings.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The optional capabilities of a backend, beyond f32 and bf16 with a named algorithm.
enum class Capability {
    f16,
    tf32,
    layouts,            // image layouts, one of which can be requested
    fusion,             // fusing a convolution with the layers that follow it
    separate_bias,      // adding a convolution's bias in a separate loop
    algorithm_choices,  // algorithms for single layers and passes
    workspace_limit,    // limiting a convolution's scratch memory
    algorithm_trials,   // before the first iteration, keeping the best
    l1_bypass,          // kernels that bypass the L1 cache
    peer_options,       // options of a framework, by its own names
    cache_states,       // cold or warm caches before a step
    device_timeout,     // for a device that the process waits for
    profiling,          // recording kernels and counters (backend/profiling.h); not in the list
};

// A set of capabilities.
class Capabilities {
public:
    constexpr Capabilities() = default;
    constexpr Capabilities(std::initializer_list<Capability> all) {
        for (const Capability one : all) {
            bits_ |= 1U << static_cast<unsigned>(one);
        }
    }
    constexpr bool has(Capability one) const {
        return (bits_ >> static_cast<unsigned>(one) & 1U) != 0;
    }

private:
    unsigned bits_ = 0;
};

// The heading in `strata run --help` that lists an option.
enum class OptionGroup { execution, gpu, measurement, selection };

// What follows the option's flag. A switch takes no value: it sets the non-default
// one.
enum class OptionValue { none, one, several };

// How a stored run keeps the value: always, in a column or its policy's text; or among its further
// settings, if it is not the default.
enum class Kept { in_column, in_policy, further };

// Whether two runs that differ in an option are different experiments. A safeguard's value affects
// no result: it is stored and shown, but does not identify a run.
enum class OptionRole { experiment, safeguard };

// The capability of a backend that an option needs.
struct Requirement {
    Capability capability;
    std::string_view value;    // the value that needs it; empty: every value but the default
    std::string_view refusal;  // "does not fuse layers: omit --fuse", after the backend's name
};

// A setting of a run. Command line, experiment identity, stored runs, titles, JSON and suggested
// commands are all driven by the list of options (all_options).
struct Option {
    std::string_view name;  // name in stored runs, JSON and titles: "first_layer_gradient"
    std::string_view flag;  // "--first-layer-gradient"
    OptionGroup group;
    OptionValue value = OptionValue::one;
    Kept kept = Kept::further;
    OptionRole role = OptionRole::experiment;
    std::span<const std::string_view> (*choices)() = nullptr;  // null: any value that is `expected`
    std::string_view placeholder = {};  // for values without choices: "SECONDS"
    std::string_view expected = {};     // "a whole number of at least 1"
    std::string_view help = {};
    // The value in these settings as the text that `set` takes.
    std::string (*text)(const Settings& settings) = nullptr;
    // Returns false and changes nothing if the text is not a value.
    bool (*set)(Settings& settings, std::string_view text) = nullptr;
    std::optional<Requirement> requirement = {};
};

// THE list of options, in the order of help.
std::span<const Option> all_options();

// Requires: an option of that name exists.
const Option& option_named(std::string_view name);

// The values in help's form, "auto|nchw|nhwc" or "SECONDS"; empty for a switch.
std::string values_of(const Option& option);

// The value in these settings, even one unknown to this version.
std::string text_of(const Settings& settings, const Option& option);
std::string text_of(const Settings& settings, std::string_view option);

bool is_default(const Settings& settings, const Option& option);

// Throws Error with exit code usage, naming the flag and what it takes.
void set_option(Settings& settings, const Option& option, std::string_view text);

// All combinations of the settings with the values, the values varying fastest. Throws like
// set_option.
std::vector<Settings> with_values(const std::vector<Settings>& all, const Option& option,
                                  const std::vector<std::string>& texts);

// The non-default value of a switch. Requires: OptionValue::none.
std::string_view switched_value(const Option& option);

// The refusal of the first option that a backend with these capabilities does not support; empty:
// none.
std::string_view refusal_of(const Settings& settings, Capabilities capabilities);

// Null if there is none.
const Option* find_option(std::string_view name);

}  // namespace strata
