// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/lowering.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// The ways to compute a convolution's pass, in the order in which they are tried.
namespace strata::cpu {

// A primitive of the library of this kind; if an implementation is named, only that one.
struct LibraryWay {
    dnnl::algorithm kind = dnnl::algorithm::convolution_direct;
    std::string implementation = {};
};

// One of our own methods, by name.
struct OwnWay {
    std::string_view method;
};

// Our own: for images whose batch is last, and the gradient of depthwise weights.
inline constexpr std::string_view direct_method = "direct";
inline constexpr std::string_view gemm_method = "implicit-gemm";

using ConvolutionWay = std::variant<LibraryWay, OwnWay>;

// The algorithm that was requested for a layer's pass, and by whom.
struct AskedAlgorithm {
    std::string name = {};    // "fft", or the library's implementation
    std::string source = {};  // "user", "tuned"; empty: nothing was chosen for this layer alone
    bool is_open = false;     // the fastest that this engine expects
    std::vector<ConvolutionWay> ways = {};  // the last one is the fallback
    std::string refusal = {};               // why only the last one is tried; empty if others are

    // Tries a method of ours that is expected to be faster than the library before it.
    void expect(std::string_view method);
};
AskedAlgorithm asked_algorithm(const Lowering& lowering, const Layer& layer, Pass pass);

// A step's account of its choice if one of the ways is used. If the last one is used because the
// others failed, `refusal` says what the one before it lacks.
StepChoice choice_of(const AskedAlgorithm& asked, std::size_t taken, const std::string& refusal);

// The same for a layer that only the library's direct convolution computes.
StepChoice choice_of_direct(const Lowering& lowering, const Layer& layer, Pass pass);

// The algorithm of the library's implementation of this name: "winograd", "gemm", "direct".
std::string algorithm_of(std::string_view implementation);

// Whether an implementation has the requested name, if any, and needs no more scratch memory than
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
