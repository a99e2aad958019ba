// SPDX-License-Identifier: MIT
#pragma once

#include "backend/lower/program.h"

#include <utility>

namespace strata {

// Whether a step was added for a layer and some followers, and why the others stay separate; empty
// if none does.
enum class Fused { no, done };
struct FusedResult {
    Fused fused = Fused::no;
    std::string apart = {};
};

// Whether to try a layer without followers as well: its bias may need fusion.
enum class ChainEnd { one_follower, none };

// Fuses as many of a chain's followers as the library can: the last is dropped until
// `lower(followers, apart)` succeeds, which adds the step, or throws Refusal before it adds
// anything. `apart` says why the dropped ones stay apart.
template <class Lower>
FusedResult lower_longest_chain(std::vector<LayerId> followers, ChainEnd end, const Lower& lower) {
    std::string apart;
    while (!followers.empty() || end == ChainEnd::none) {
        try {
            lower(std::as_const(followers), apart);
            return {Fused::done, apart};
        } catch (const Refusal& refusal) {
            apart = "not fused further: " + refusal.reason;
        }
        if (followers.empty()) {
            break;
        }
        followers.pop_back();
    }
    return {Fused::no, apart};
}

// "direct", "not fused further: ...", or both: how the algorithm of such a step is named.
inline std::string with_reason(std::string algorithm, const std::string& apart) {
    const bool both = !algorithm.empty() && !apart.empty();
    return std::move(algorithm) + (both ? ", " : "") + apart;
}

}  // namespace strata
