// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "op/optimizer.h"
#include "op/tensor.h"
#include "op/work.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Whether a network learns (forward, backward, update) or only answers (forward).
enum class Mode { training, inference };
inline constexpr std::array<std::string_view, 2> names_of(Mode) {
    return {"training", "inference"};
}

// Which algorithm convolutions use: `automatic` leaves it to the library's own heuristic, `fastest`
// tries what that offers first; where the asked one cannot do a layer, the layer falls back to
// direct and says so.
enum class ConvolutionAlgorithm { direct, winograd, automatic, fastest };
inline constexpr std::array<std::string_view, 4> names_of(ConvolutionAlgorithm) {
    return {"direct", "winograd", "auto", "fastest"};
}

// Whether the gradient of the network's own input is computed. Nothing needs it in training, and
// frameworks that compute it anyway pay for it (Kim et al. 2017: 3.7 % of AlexNet).
enum class FirstLayerGradient { omitted, computed };
inline constexpr std::array<std::string_view, 2> names_of(FirstLayerGradient) {
    return {"omitted", "computed"};
}

// Whether buffers are shared by tensors that are never alive together, or each tensor keeps its own
// so that it can be read after a step.
enum class MemoryReuse { shared, kept };

// The element order of images, if a backend has a choice: `automatic` is the order in which its
// convolutions run fastest.
enum class ImageLayout { automatic, channels_first, channels_last };
inline constexpr std::array<std::string_view, 3> names_of(ImageLayout) {
    return {"auto", "nchw", "nhwc"};
}

// How f32 products are computed if the hardware offers less precision: with all 24 bits of an f32,
// or the 11 of TF32 on tensor cores.
enum class SinglePrecision { full, tf32 };
inline constexpr std::array<std::string_view, 2> names_of(SinglePrecision) {
    return {"full", "tf32"};
}

// A layer's pass that is not to be executed, and why: an attempt at it made the device unusable.
struct Omission {
    std::string layer = {};
    Pass pass = Pass::forward;
    std::string reason = {};
};

// Whether layers that follow a convolution are done in one operation with it, where a library
// offers that (graph/fuse.h).
enum class Fusion { none, convolution };
inline constexpr std::array<std::string_view, 2> names_of(Fusion) {
    return {"off", "on"};
}

// Whether a GPU's kernels of our own read global memory through the L1 cache or past it.
enum class L1Caching { used, bypassed };
inline constexpr std::array<std::string_view, 2> names_of(L1Caching) {
    return {"use", "bypass"};
}

// What is computed, and in which number formats.
struct Numerics {
    Mode mode = Mode::training;
    DataType dtype = DataType::f32;  // of activations; parameters' masters stay f32
    SinglePrecision single_precision = SinglePrecision::full;
    FirstLayerGradient first_layer_gradient = FirstLayerGradient::omitted;
    Optimizer optimizer = SgdMomentum{};
    std::uint64_t seed = 1;  // of the values drawn for inputs and parameters
};

// Where and in which memory it is computed, and what of it is left out.
struct Scheduling {
    int threads = 0;     // 0: all that this process may use
    bool pinned = true;  // each thread bound to one processor
    MemoryReuse memory = MemoryReuse::shared;
    std::vector<Omission> omissions = {};
    Seconds device_timeout{300};  // work on a device that takes longer counts as hung
};

// Options of a framework itself, by name: {"inter-op", "2"}. Which there are, and their values,
// only its adapter knows.
using PeerOptions = std::map<std::string, std::string>;

// Choices of an engine that change results only by rounding.
struct EngineOptions {
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::direct;
    ImageLayout image_layout = ImageLayout::automatic;
    Fusion fusion = Fusion::none;
    L1Caching l1 = L1Caching::used;
    PeerOptions peer_options = {};  // empty: all as the framework has them
};

// How to execute a graph, independent of the backend.
struct Execution {
    Numerics numerics = {};
    Scheduling scheduling = {};
    EngineOptions engine = {};
};

}  // namespace strata
