// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/lowering.h"

#include <string>

// How a linear layer's pass is computed, and who chose it.
namespace strata::cpu {

// The algorithm that was requested for a layer's pass.
struct AskedLinear {
    LinearAlgorithm algorithm = LinearAlgorithm::usual;
    std::string source = {};  // "user", "tuned"; empty: nothing was chosen for this layer
};
AskedLinear asked_linear(const Lowering& lowering, const Layer& layer, Pass pass);

// A step's account of it, if it runs as requested or, with a reason, in the usual way instead:
// "instead of matmul (tuned): bf16: it computes in f32". Empty if nothing was chosen.
StepText text_of(const AskedLinear& asked, const std::string& reason);

// Adds the step of a pass by `compute(algorithm, text)`, in the requested way or, if that throws
// Refusal or the library's error before it adds anything, in the usual one.
template <class Compute>
void by_asked(Lowering& lowering, const Layer& layer, Pass pass, const Compute& compute) {
    const AskedLinear asked = asked_linear(lowering, layer, pass);
    std::string reason;
    if (asked.algorithm != LinearAlgorithm::usual) {
        try {
            return compute(asked.algorithm, text_of(asked, {}));
        } catch (const Refusal& refused) {
            reason = refused.reason;
        } catch (const dnnl::error& error) {
            reason = library_refusal(error);
        }
    }
    compute(LinearAlgorithm::usual, text_of(asked, reason));
}

}  // namespace strata::cpu
