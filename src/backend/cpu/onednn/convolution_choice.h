// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/lowering.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Which ways to compute a convolution's pass are tried, in which order.
namespace strata::cpu {

// A primitive of the library of this kind. Only one implementation of it is meant if that is named.
struct LibraryWay {
    dnnl::algorithm kind = dnnl::algorithm::convolution_direct;
    std::string implementation = {};
};

// A method of our own, by its name.
struct OwnWay {
    std::string_view method;
};

// Of our own: images whose batch is last, and the gradient of depthwise weights.
inline constexpr std::string_view direct_method = "direct";
inline constexpr std::string_view gemm_method = "implicit-gemm";

using ConvolutionWay = std::variant<LibraryWay, OwnWay>;

// What a layer's pass was asked to be computed by, and by whom.
struct AskedAlgorithm {
    std::string name = {};    // "fft", or the library's implementation
    std::string source = {};  // "user", "tuned"; empty: nothing was chosen for this layer alone
    std::vector<ConvolutionWay> ways = {};  // the last one is what everything falls back to
    std::string refusal = {};               // why none but the last one is tried; empty: others are
};
AskedAlgorithm asked_algorithm(const Lowering& lowering, const Layer& layer, Pass pass);

// What a step says of its choice if one of the ways is taken. The last one may be taken for want of
// the others: then `refusal` says what the one before it lacks.
StepChoice choice_of(const AskedAlgorithm& asked, std::size_t taken, const std::string& refusal);

// The same for a layer that only the library's direct convolution computes.
StepChoice choice_of_direct(const Lowering& lowering, const Layer& layer, Pass pass);

// The algorithm of the library's implementation of this name: "winograd", "gemm", "direct".
std::string algorithm_of(std::string_view implementation);

// Whether an implementation has the wanted name, if one is, and needs no more scratch memory than
// allowed.
struct SuitedImplementation {
    std::string name = {};
    std::optional<Bytes> limit = {};

    bool operator()(const dnnl::primitive_desc_base& described) const {
        return (name.empty() || name == described.impl_info_str()) &&
               (!limit || scratchpad_of(described) <= *limit);
    }
};

}  // namespace strata::cpu
