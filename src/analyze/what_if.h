// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/budget.h"
#include "graph/fuse.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The methods that predict the time saved by fusion from a run without fusion.
enum class FusionMethod {
    // A fused layer keeps the share of its step's time for the traffic that remains (a sum still
    // reads its other operand), and at least its arithmetic at the peak. The rest is saved: traffic
    // between the layers and the start-up cost of a step. Forward passes only.
    traffic,
    // All passes of the ReLUs are saved, as if the layers were deleted (Dong et al. 2018 measured
    // fusion this way). Sums and normalisations keep their time.
    removal,
};
inline constexpr std::array<std::string_view, 2> names_of(FusionMethod) {
    return {"traffic", "removal"};
}

// The layers to fuse: all that an engine fuses (graph/fuse.h), or only ReLUs that directly follow a
// convolution or a fully connected layer.
enum class FusionScope { all, conv_relu };
inline constexpr std::array<std::string_view, 2> names_of(FusionScope) {
    return {"all", "conv+relu"};
}

// The chains of this scope.
std::vector<FusedChain> chains_in(const Graph& graph, Mode mode, FusionScope scope);

// One layer that would be fused into another's step.
struct FusedLayer {
    std::string layer;
    std::string into;
    std::string operation;
    Estimate now;   // its steps that the method counts
    Estimate gain;  // the part that fusion would save
};

// The prediction for a whole iteration. Its uncertainty is that of the measured times it is
// computed from, including the iteration's, not that of the method.
struct FusionForecast {
    std::vector<FusedLayer> layers;
    std::size_t steps_saved = 0;
    Bytes traffic_saved;
    std::optional<Estimate> now;    // an iteration without time stamps
    std::optional<Estimate> gain;   // sum over the layers
    std::optional<Estimate> after;  // now - gain, with the errors of both added as independent
    std::optional<Ratio> expected;  // after over now
};

// Layers whose steps were not measured are left out. Throws Error if the run is fused already, or
// if nothing in it can be fused.
FusionForecast forecast_of_fusion(const Run& run, const Graph& graph, FusionScope scope,
                                  FusionMethod method);

// Whether a measured ratio and the predicted one are compatible: their intervals overlap.
bool agree(const Ratio& predicted, const Ratio& measured);

}  // namespace strata
