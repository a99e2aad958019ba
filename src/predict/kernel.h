// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "op/work.h"
#include "predict/attention.h"
#include "predict/convolution.h"
#include "predict/recurrent.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// The terms of a kernel's time. Arithmetic and latency hide each other; so do these two, L2 traffic
// and memory traffic. Launch, transforms and split are added.
enum class Term { launch, arithmetic, latency, l2, dram, transforms, split };
inline constexpr std::array<std::string_view, 7> names_of(Term) {
    return {"launch", "arithmetic", "latency", "l2", "dram", "transforms", "split"};
}
inline constexpr std::array all_terms = {Term::launch, Term::arithmetic, Term::latency, Term::l2,
                                         Term::dram,   Term::transforms, Term::split};

// One number for each term.
template <class Value>
struct ByTerm {
    std::array<Value, all_terms.size()> values = {};

    Value& operator[](Term term) { return values[static_cast<std::size_t>(term)]; }
    const Value& operator[](Term term) const { return values[static_cast<std::size_t>(term)]; }
};

// Problems whose rates were fitted together (DeviceRates): products, operators that read and write
// tensors, convolutions by pass, sequences of recurrent cells, and attention in one kernel.
enum class RateClass {
    linear,         // a transposed second operand, as in a fully connected layer's forward pass
    batched,        // any other product
    convolution,    // implicit products of convolutions without their own model
    low_precision,  // any product of 16-bit numbers
    tf32,           // any product of f32 in TF32
    fp8,            // any product of narrowed numbers
    int8,
    add,
    multiply,
    divide,
    power,
    relu,
    tanh,
    gelu,
    short_softmax,  // rows of up to 1,024 elements
    long_softmax,
    short_norm,  // normalisation of such rows
    long_norm,
    convolution_forward,
    convolution_backward_data,
    convolution_backward_weights,
    low_precision_convolution_forward,
    low_precision_convolution_backward_data,
    low_precision_convolution_backward_weights,
    tf32_convolution_forward,
    tf32_convolution_backward_data,
    tf32_convolution_backward_weights,
    recurrent_forward,
    recurrent_backward_data,
    low_precision_recurrent_forward,
    low_precision_recurrent_backward_data,
    fused_attention,
};
inline constexpr std::array<std::string_view, 32> names_of(RateClass) {
    return {"linear",
            "bmm",
            "convolution",
            "gemm 16 bits",
            "gemm tf32",
            "gemm fp8",
            "gemm int8",
            "add",
            "mul",
            "div",
            "pow",
            "relu",
            "tanh",
            "gelu",
            "softmax by warps",
            "softmax by blocks",
            "ln by short rows",
            "ln by long rows",
            "convolution fp32 forward",
            "convolution fp32 backward_data",
            "convolution fp32 backward_weights",
            "convolution 16 bits forward",
            "convolution 16 bits backward_data",
            "convolution 16 bits backward_weights",
            "convolution tf32 forward",
            "convolution tf32 backward_data",
            "convolution tf32 backward_weights",
            "recurrent fp32 forward",
            "recurrent fp32 backward_data",
            "recurrent fp16_mixed forward",
            "recurrent fp16_mixed backward_data",
            "fused attention"};
}
inline constexpr std::size_t rate_classes = names_of(RateClass{}).size();

// The number of classes of each kind, in this order.
inline constexpr std::size_t product_classes = 7;
inline constexpr std::size_t stream_classes = 11;
inline constexpr std::size_t convolution_classes = 9;  // the passes, in fp32, 16 bits and TF32
inline constexpr std::size_t recurrent_classes = 4;

// The class `place` places after another: a convolution's other passes follow the forward pass.
constexpr RateClass class_after(RateClass first, std::size_t place) {
    return static_cast<RateClass>(static_cast<std::size_t>(first) + place);
}

// A product that a layer's pass needs, and how often it runs in sequence.
struct LayerProduct {
    GemmProblem problem;
    std::string_view algorithm = {};  // of a convolution: "implicit-gemm"
    double repeats = 1;
    bool shares_a = false, shares_b = false;  // one operand for all of the batch
    std::string_view name = "product";        // its purpose: "queries by keys"

    RateClass rates() const;
};

// A kernel that passes over tensors: those of the operator's pass (op/moved.h), or some that only
// this kernel and its neighbours see, like attention's scores.
struct LayerStream {
    bool moves_operands = true;
    Bytes written = {};        // of the others' traffic
    std::int64_t columns = 0;  // of rows that are reduced before they are written; 0: none
};

// A convolution in a library's form, and the kernel that runs it.
struct LayerConvolution {
    ConvolutionProblem problem;
    ConvolutionKernel kernel;
};

// What a kernel computes. Its time, its alternatives and its simulated accesses all follow from
// this.
using KernelWork =
    std::variant<LayerStream, LayerProduct, LayerConvolution, RecurrentProblem, AttentionProblem>;

// The division of a product into blocks.
struct PlannedTiles {
    int tile_m = 0, tile_n = 0, warps = 8, splits = 1;
    double blocks = 0;
    double rounds = 0;             // waves of resident blocks on the busiest processor
    bool waits_for_loads = false;  // its L2 term is that of loads of the problem's load_bytes
};

// A kernel's prediction: its time and its terms.
struct KernelPrediction {
    std::string name = {};       // "volta_sgemm_128x64_tn", "relu"
    std::string algorithm = {};  // "implicit-gemm"; empty if there is no choice
    RateClass rates = RateClass::add;
    double repeats = 1;  // in sequence, like the steps of a recurrent layer
    Seconds issue = {};  // host time of a pass's first kernel; in `time` if the device waits
    Seconds time = {};   // of all repeats, like everything below
    ByTerm<Seconds> terms = {};
    Flops flops = {};                      // executed, including the padding of tiles
    std::optional<Bytes> l2_traffic = {};  // between the processors and the L2 cache
    Bytes dram_traffic = {};
    Bytes workspace = {};
    KernelWork work = {};
    std::optional<PlannedTiles> tiles = {};  // for products

    const LayerProduct* product() const { return std::get_if<LayerProduct>(&work); }
    const LayerConvolution* convolution() const { return std::get_if<LayerConvolution>(&work); }
    // Its time without its launch.
    Seconds on_device() const { return time - terms[Term::launch]; }

    Term binding() const {
        const auto at = std::ranges::max_element(terms.values);
        return static_cast<Term>(at - terms.values.begin());
    }
};

// A layer's pass on a device: the kernels that do it, in sequence. None if it costs nothing because
// its result is its input under another name.
using Kernels = std::vector<KernelPrediction>;

// Why a layer's pass has no prediction: "opaque layers have no model".
struct NoModel {
    std::string reason;
};
using LayerPrediction = std::variant<Kernels, NoModel>;

// The sum from the last kernel to the first: only the first waits for the host, so the sum of the
// others can be kept.
Seconds time_of(std::span<const KernelPrediction> kernels);

// The passes of an iteration, issued by a host and executed by a device in the same order. The host
// runs ahead, so its time shows only if the device has nothing left to do.
class IssueQueue {
public:
    // How long the device waits for the next pass. The host needs `issue` for it, then the device
    // needs `work`.
    Seconds wait(Seconds issue, Seconds work) {
        const Seconds late = issue - ahead_;
        ahead_ = std::max(-late, Seconds{}) + work;
        return std::max(late, Seconds{});
    }

private:
    Seconds ahead_ = {};  // device work left when the host issued the last pass
};

}  // namespace strata
