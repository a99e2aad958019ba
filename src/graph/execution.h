// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "base/quantity.h"
#include "op/optimizer.h"
#include "op/tensor.h"
#include "op/work.h"

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// Whether a network is trained (forward, backward, update) or only evaluated (forward).
enum class Mode { training, inference };
inline constexpr std::array<std::string_view, 2> names_of(Mode) {
    return {"training", "inference"};
}

// The algorithm of convolutions. `direct` is the library's; `gemm` copies windows into a matrix and
// multiplies, `implicit_gemm` reads them in place; winograd_MxM_RxR computes tiles of MxM results
// of an RxR window at once (Lavin and Gray 2016), `fft` multiplies spectra of whole images and
// `fft_tiled` of tiles. `winograd` leaves the tile open: the library's own, or the largest of
// strata's whose rounding error is near that of direct. `automatic` is what the engine expects to
// be the fastest, `fastest` measures the candidates first. If the requested one cannot compute a
// layer, the layer falls back to direct and says so.
enum class ConvolutionAlgorithm {
    direct,
    gemm,
    implicit_gemm,
    winograd,
    winograd_2x2_3x3,
    winograd_4x4_3x3,
    winograd_6x6_3x3,
    winograd_2x2_5x5,
    winograd_4x4_5x5,
    fft,
    fft_tiled,
    automatic,
    fastest
};
inline constexpr std::array<std::string_view, 13> names_of(ConvolutionAlgorithm) {
    return {"direct",           "gemm",
            "implicit-gemm",    "winograd",
            "winograd-2x2-3x3", "winograd-4x4-3x3",
            "winograd-6x6-3x3", "winograd-2x2-5x5",
            "winograd-4x4-5x5", "fft",
            "fft-tiled",        "auto",
            "fastest"};
}

// How the product of a linear layer is computed: a fully connected layer's, or that of all steps of
// a recurrent layer together. `usual` is what the engine picks by its own rules; `inner_product`
// and `matmul` are the library's primitives of these names, `transposed` its forward product with a
// transposed copy of the weights, `panels` a loop of strata's own for few rows and weights in
// panels of columns. If the requested one cannot compute a pass, the pass falls back to the usual
// one and says so.
enum class LinearAlgorithm { usual, inner_product, transposed, matmul, panels };
inline constexpr std::array<std::string_view, 5> names_of(LinearAlgorithm) {
    return {"usual", "inner-product", "transposed", "matmul", "panels"};
}

// The algorithm of a pass, for either kind of layer.
struct PassAlgorithm {
    std::variant<ConvolutionAlgorithm, LinearAlgorithm> kind = ConvolutionAlgorithm::automatic;

    PassAlgorithm() = default;
    PassAlgorithm(ConvolutionAlgorithm algorithm) : kind(algorithm) {}
    PassAlgorithm(LinearAlgorithm algorithm) : kind(algorithm) {}
    auto operator<=>(const PassAlgorithm&) const = default;

    bool is_linear() const { return std::holds_alternative<LinearAlgorithm>(kind); }
    // The algorithms of a pass for which nothing was chosen.
    bool is_usual() const {
        return *this == LinearAlgorithm::usual || *this == ConvolutionAlgorithm::automatic;
    }
};
inline std::string_view name_of(const PassAlgorithm& algorithm) {
    return std::visit([](auto one) { return name_of(one); }, algorithm.kind);
}
// Inverse of name_of; nothing for other text.
inline std::optional<PassAlgorithm> pass_algorithm_named(std::string_view name) {
    if (const auto convolution = value_named<ConvolutionAlgorithm>(name)) {
        return *convolution;
    }
    const auto linear = value_named<LinearAlgorithm>(name);
    return linear ? std::optional<PassAlgorithm>(*linear) : std::nullopt;
}

// The source of a choice: the user named it, it is the library's first guess, it was measured on
// this machine before, or the engine's model expects it to be the fastest.
enum class ChoiceSource { user, heuristic, tuned, model };
inline constexpr std::array<std::string_view, 4> names_of(ChoiceSource) {
    return {"user", "heuristic", "tuned", "model"};
}

// The algorithm of one layer's pass, decided before the network is prepared. If a glob matches both
// convolutions and linear layers, each kind ignores the other's algorithms.
struct AlgorithmChoice {
    std::string problem = {};  // as problem_text returns it, or a glob of layers' names
    Pass pass = Pass::forward;
    PassAlgorithm algorithm = ConvolutionAlgorithm::automatic;
    std::string implementation = {};  // the library's implementation of that name: "brgconv:avx2";
                                      // empty: its first
    ChoiceSource source = ChoiceSource::user;

    bool operator==(const AlgorithmChoice&) const = default;
};

// Whether the gradient of the network's own input is computed. Nothing needs it in training, and
// frameworks that compute it anyway pay for it (Kim et al. 2017: 3.7 % of AlexNet).
enum class FirstLayerGradient { omitted, computed };
inline constexpr std::array<std::string_view, 2> names_of(FirstLayerGradient) {
    return {"omitted", "computed"};
}

// Whether tensors that are never alive together share buffers, or each tensor keeps its own so that
// it can be read after a step.
enum class MemoryReuse { shared, kept };

// The element order of images, if a backend has a choice: `automatic` is the order in which its
// convolutions run fastest, `blocked` has blocks of as many channels as a register holds,
// `batch_last` has the same element of all images side by side (Li et al. 2016 compare it with
// channels first on GPUs).
enum class ImageLayout { automatic, channels_first, channels_last, blocked, batch_last };
inline constexpr std::array<std::string_view, 5> names_of(ImageLayout) {
    return {"auto", "nchw", "nhwc", "blocked", "chwn"};
}

// The precision of f32 products if the hardware offers less: all 24 bits of an f32, or the 11 of
// TF32 on tensor cores.
enum class SinglePrecision { full, tf32 };
inline constexpr std::array<std::string_view, 2> names_of(SinglePrecision) {
    return {"full", "tf32"};
}

// A layer's pass that must not be executed, and why: a previous attempt made the device unusable.
struct Omission {
    std::string layer = {};
    Pass pass = Pass::forward;
    std::string reason = {};
};

// Whether layers that follow a convolution are fused with it if a library offers that
// (graph/fuse.h).
enum class Fusion { none, convolution };
inline constexpr std::array<std::string_view, 2> names_of(Fusion) {
    return {"off", "on"};
}

// Whether a convolution adds its bias while it writes its result, or a separate loop reads and
// writes the result once more; the bias's gradient likewise.
enum class BiasAddition { fused, separate };
inline constexpr std::array<std::string_view, 2> names_of(BiasAddition) {
    return {"fused", "separate"};
}

// Whether our own GPU kernels read global memory through the L1 cache or bypass it.
enum class L1Caching { used, bypassed };
inline constexpr std::array<std::string_view, 2> names_of(L1Caching) {
    return {"use", "bypass"};
}

// The computation: mode and element types.
struct Numerics {
    Mode mode = Mode::training;
    DataType dtype = DataType::f32;  // of activations; master weights stay f32
    SinglePrecision single_precision = SinglePrecision::full;
    FirstLayerGradient first_layer_gradient = FirstLayerGradient::omitted;
    Optimizer optimizer = SgdMomentum{};
    std::uint64_t seed = 1;  // of the values drawn for inputs and parameters
};

// Where and in which memory the graph is computed, and which passes are left out.
struct Scheduling {
    int threads = 0;     // 0: all that this process may use
    bool pinned = true;  // each thread is bound to one processor
    MemoryReuse memory = MemoryReuse::shared;
    std::vector<Omission> omissions = {};
    Seconds device_timeout{300};  // longer work on a device counts as hung
};

// Options of a framework itself, by name: {"inter-op", "2"}. Only its adapter knows the names and
// values.
using PeerOptions = std::map<std::string, std::string>;

// Choices of an engine that change results only by rounding.
struct EngineOptions {
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::automatic;
    std::vector<AlgorithmChoice> choices = {};  // override `algorithm`; the first match applies
    // An algorithm that needs more scratch memory is refused for the layer; nothing: no limit.
    std::optional<Bytes> workspace_limit = {};
    ImageLayout image_layout = ImageLayout::automatic;
    Fusion fusion = Fusion::none;
    BiasAddition bias = BiasAddition::fused;
    L1Caching l1 = L1Caching::used;
    PeerOptions peer_options = {};  // empty: the framework's defaults
};

// How to execute a graph, independent of the backend.
struct Execution {
    Numerics numerics = {};
    Scheduling scheduling = {};
    EngineOptions engine = {};
};

}  // namespace strata
