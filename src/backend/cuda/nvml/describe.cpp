// SPDX-License-Identifier: MIT
#include "backend/cuda/nvml/library.h"
#include "backend/cuda/nvml/state.h"
#include "base/text.h"

#include <array>

#include <fmt/format.h>

namespace strata::cuda {

namespace {

std::string on_or_off(unsigned state) {
    return state == 0 ? "off" : "on";
}

std::string compute_mode_text(unsigned mode) {
    constexpr std::array names = {"default", "exclusive thread", "prohibited", "exclusive process"};
    return mode < names.size() ? names[mode] : std::to_string(mode);
}

// Collects the facts as text, and the refused queries with the reason.
class Description {
public:
    explicit Description(std::map<std::string, std::string>& words) : words_(words) {}

    template <class Value, class Wording>
    void add(const std::string& name, const NvmlAnswer<Value>& answer, const Wording& wording) {
        if (answer.value) {
            words_["gpu." + name] = wording(*answer.value);
        } else {
            refuse(name, answer.status);
        }
    }

    // Values that change all the time are reported with each moment; this only reports whether they
    // can be read.
    template <class Value>
    void probe(const std::string& name, const NvmlAnswer<Value>& answer) {
        if (!answer.value) {
            refuse(name, answer.status);
        }
    }

    void close() {
        if (!refused_.empty()) {
            words_["gpu.nvml.refused"] = join(refused_, ", ");
        }
    }

private:
    void refuse(const std::string& name, NvmlStatus status) {
        refused_.push_back(fmt::format("{} ({})", name, words_of_nvml(status)));
    }

    std::map<std::string, std::string>& words_;
    std::vector<std::string> refused_;
};

// The first of a pair: the current value.
template <class Function>
NvmlAnswer<unsigned> ask_flag(const Function& function, NvmlHandle handle) {
    if (!function) {
        return {{}, nvml_function_not_found};
    }
    unsigned now = 0;
    unsigned later = 0;
    const NvmlStatus status = function(handle, &now, &later);
    return status == nvml_success ? NvmlAnswer<unsigned>{now} : NvmlAnswer<unsigned>{{}, status};
}

}  // namespace

std::map<std::string, std::string> NvmlDevice::describe() const {
    std::map<std::string, std::string> words;
    if (!refusal_.empty()) {
        words["gpu.nvml"] = "absent: " + refusal_;
        return words;
    }
    Description told(words);
    const auto text = [](const std::string& foreign) { return printable(foreign); };
    const auto in_megahertz = [](unsigned clock) { return fmt::format("{} MHz", clock); };
    const auto in_watts = [](unsigned milliwatts) {
        return fmt::format("{:g} W", milliwatts * 1e-3);
    };
    told.add("nvml", ask_nvml_text(library_.library_version), text);
    told.add("driver", ask_nvml_text(library_.driver_version), text);
    told.add("uuid", ask_nvml_text(library_.uuid, handle_), text);
    for (const auto& [name, domain] :
         {std::pair("core_clock", nvml_clock_sm), std::pair("memory_clock", nvml_clock_memory)}) {
        const std::string clock = name;
        told.add(clock + ".most", ask_nvml<unsigned>(library_.max_clock, handle_, domain),
                 in_megahertz);
        told.add(clock + ".setting", ask_nvml<unsigned>(library_.set_clock, handle_, domain),
                 in_megahertz);
    }
    told.add("power.limit", ask_nvml<unsigned>(library_.power_limit, handle_), in_watts);
    told.add("ecc", ask_flag(library_.ecc, handle_), on_or_off);
    told.add("mig", ask_flag(library_.mig, handle_), on_or_off);
    told.add("persistence", ask_nvml<unsigned>(library_.persistence, handle_), on_or_off);
    told.add("compute_mode", ask_nvml<unsigned>(library_.compute_mode, handle_), compute_mode_text);
    told.probe("core_clock", ask_nvml<unsigned>(library_.clock, handle_, nvml_clock_sm));
    told.probe("power", ask_nvml<unsigned>(library_.power, handle_));
    told.probe("clock_limits", ask_nvml<unsigned long long>(library_.clock_limits, handle_));
    told.close();
    return words;
}

}  // namespace strata::cuda
