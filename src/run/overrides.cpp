// SPDX-License-Identifier: MIT
#include "run/overrides.h"

#include <fmt/format.h>

namespace strata {

namespace {

// The contradictions, variable by variable.
class Overrides {
public:
    Overrides(const std::map<std::string, std::string>& variables, const Execution& execution)
        : variables_(variables), numerics_(execution.numerics) {}

    std::vector<Doubt> on_device() {
        const std::string tf32 = value("NVIDIA_TF32_OVERRIDE");
        const bool asks_tf32 = numerics_.single_precision == SinglePrecision::tf32;
        if (tf32 == "0" && asks_tf32) {
            add("NVIDIA_TF32_OVERRIDE", "keeps libraries from TF32, which --tf32 requests");
        }
        if (tf32 == "1" && numerics_.dtype == DataType::f32 && !asks_tf32) {
            add("NVIDIA_TF32_OVERRIDE",
                "may let libraries compute f32 in TF32, but full f32 is requested");
        }
        if (const std::string blocking = value("CUDA_LAUNCH_BLOCKING");
            !blocking.empty() && blocking != "0") {
            add("CUDA_LAUNCH_BLOCKING",
                "makes the host wait for each kernel, so the times include the host's part");
        }
        return std::move(doubts_);
    }

    std::vector<Doubt> on_processors() {
        for (const char* name : {"ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE"}) {
            const std::string mode = value(name);
            const bool is_strict = mode.empty() || mode == "strict" || mode == "STRICT";
            if (!is_strict && numerics_.dtype == DataType::f32) {
                add(name, "lets oneDNN compute f32 in fewer bits, but full f32 is requested");
            }
        }
        return std::move(doubts_);
    }

private:
    // Empty if it is not set.
    std::string value(const std::string& name) const {
        const auto found = variables_.find(name);
        return found == variables_.end() ? "" : found->second;
    }

    void add(const std::string& name, std::string_view what) {
        doubts_.push_back(
            {DoubtKind::overridden,
             fmt::format("{}={} {}; unset it and measure again", name, value(name), what)});
    }

    const std::map<std::string, std::string>& variables_;
    const Numerics& numerics_;
    std::vector<Doubt> doubts_;
};

}  // namespace

std::vector<Doubt> doubts_about_overrides(const std::map<std::string, std::string>& variables,
                                          const Execution& execution, bool is_on_device) {
    Overrides overrides(variables, execution);
    return is_on_device ? overrides.on_device() : overrides.on_processors();
}

}  // namespace strata
