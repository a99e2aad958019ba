// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/gains.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The groupings of steps.
enum class Grouping {
    operation,       // the layer's operator; reorders and accumulations form groups of their own
    block,           // the part of the network, derived from the layer's name
    pass,            // forward, backward_data, backward_weights, update
    algorithm,       // of convolutions, in the library's words; "" if there is none
    implementation,  // the library's kernel: "jit:avx512_core"
    layer,           // all passes of one layer
    family,          // one pass of equal layers (analyze/family.h): "h.0–h.47.attention forward"
};
inline constexpr std::array<std::string_view, 7> names_of(Grouping) {
    return {"operator", "block", "pass", "algorithm", "implementation", "layer", "family"};
}

// A group of steps and its subgroups by the next grouping. Times are sums of the steps' medians, so
// that the parts add up to the whole.
struct StepGroup {
    std::string name = {};
    std::vector<std::size_t> members = {};  // indices in Run::steps, measured or not
    std::size_t layers = 0;                 // layers that they belong to
    Reach reach = {};                       // median, gain, share of the ceilings
    std::optional<double> share = {};       // share of the sum of all the run's steps
    Flops flops = {};                       // sum over the measured steps
    Bytes traffic = {};
    std::array<std::optional<Seconds>, all_passes.size()> passes = {};  // median by Pass
    std::vector<StepGroup> parts = {};

    // Both gradients over the forward pass, after Zhao et al. 2017; the update is excluded.
    std::optional<double> backward_over_forward() const;
};

// The steps at `members` as one group.
StepGroup group_of(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds,
                   std::string name, std::vector<std::size_t> members);

// The layers of a group's steps, each once.
std::vector<std::string> layers_of(const Run& run, std::span<const std::size_t> members);

// All layers of a run, in its order.
std::vector<std::string> layers_of(const Run& run);

// "backward_data", or "forward reorder" for steps that the engine adds.
std::string pass_text(const StepResult& step);

// The steps at `chosen`, grouped by the first grouping, each group by the next, and so on. Groups
// are in network order, passes in the order of a training step.
std::vector<StepGroup> rolled_up(const Run& run, const Summary& summary,
                                 const std::vector<StepBound>& bounds, std::span<const Grouping> by,
                                 std::span<const std::size_t> chosen);

// The block of each layer, by name, for layers in network order. If a name is a path ('.' or '/'),
// the block is the path to its first component that is a number ("layer1.0" of layer1.0.conv1,
// "encoder.3" of encoder.3.attention.query), else all but the last component ("fire2" of
// fire2/squeeze1x1); a layer named like a block belongs to it. Names that are not paths form a
// block as long as their first number stays the same: conv2_1, relu2_1 and pool2 are
// "conv2_1..pool2".
std::vector<std::string> blocks_of(std::span<const std::string> layers);

}  // namespace strata
