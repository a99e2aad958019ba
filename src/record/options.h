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

// What a backend may be able to do beyond f32 and bf16 by an algorithm that is named.
enum class Capability {
    f16,
    tf32,
    layouts,            // of images, one of which can be asked for
    fusion,             // of a convolution with the layers that follow it
    separate_bias,      // of a convolution, added by a loop of its own
    algorithm_choices,  // for single layers and passes
    workspace_limit,    // of convolutions
    algorithm_trials,   // before the first iteration, to keep the best
    l1_bypass,          // by kernels that read past the L1 cache
    peer_options,       // of a framework, by names of its own
    cache_states,       // cold or warm, brought about before a step
    device_timeout,     // of a device that the process waits for
    profiling,          // of kernels and counters (backend/profiling.h); no option of the list
};

// A set of them.
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

// The heading of `strata run --help` under which an option stands.
enum class OptionGroup { execution, gpu, measurement, selection };

// What follows the option's flag. A switch takes nothing: it sets the value that is not the
// default.
enum class OptionValue { none, one, several };

// Where a stored run has the value: always in a column of its own or in the text of its policy; or
// among its further settings, where it is not the default.
enum class Kept { in_column, in_policy, further };

// Whether two runs that differ in an option are two experiments. A safeguard's value decides no
// result: it is stored and shown, but not part of what identifies a run.
enum class OptionRole { experiment, safeguard };

// The capability of a backend that an option needs.
struct Requirement {
    Capability capability;
    std::string_view value;    // the one that needs it; empty: every one but the default
    std::string_view refusal;  // "does not fuse layers: omit --fuse", after the backend's name
};

// Something that a run can be asked for. Command line, experiment identity, stored runs, titles,
// JSON and suggested commands all go by the list of them (all_options).
struct Option {
    std::string_view name;  // in stored runs, JSON and titles: "first_layer_gradient"
    std::string_view flag;  // "--first-layer-gradient"
    OptionGroup group;
    OptionValue value = OptionValue::one;
    Kept kept = Kept::further;
    OptionRole role = OptionRole::experiment;
    std::span<const std::string_view> (*choices)() = nullptr;  // null: any of what is `expected`
    std::string_view placeholder = {};  // of a value that is no choice: "SECONDS"
    std::string_view expected = {};     // "a whole number of at least 1"
    std::string_view help = {};
    // The text that `set` takes for the value of these settings.
    std::string (*text)(const Settings& settings) = nullptr;
    // False, and nothing is changed, for a text that is no value.
    bool (*set)(Settings& settings, std::string_view text) = nullptr;
    std::optional<Requirement> requirement = {};
};

// THE list of options, in the order of help.
std::span<const Option> all_options();

// Requires: there is one of that name.
const Option& option_named(std::string_view name);

// The values as help shows them, "auto|nchw|nhwc" or "SECONDS"; empty for a switch.
std::string values_of(const Option& option);

// The value in these settings, also one that this version does not know.
std::string text_of(const Settings& settings, const Option& option);
std::string text_of(const Settings& settings, std::string_view option);

bool is_default(const Settings& settings, const Option& option);

// Throws Error with exit code usage that names the flag and what it takes.
void set_option(Settings& settings, const Option& option, std::string_view text);

// Each of the settings with each of the values, the values changing fastest. Throws as set_option.
std::vector<Settings> with_values(const std::vector<Settings>& all, const Option& option,
                                  const std::vector<std::string>& texts);

// The switch's value. Requires: OptionValue::none.
std::string_view switched_value(const Option& option);

// What a backend with these capabilities lacks for the settings: the refusal of an option; empty:
// nothing.
std::string_view refusal_of(const Settings& settings, Capabilities capabilities);

// Null where there is none.
const Option* find_option(std::string_view name);

}  // namespace strata
