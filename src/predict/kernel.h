// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "op/work.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace strata {

// What a kernel's time is made of. Arithmetic and latency hide each other, as do both of them,
// traffic to the L2 cache and traffic to memory; launch and split are added.
enum class Term { launch, arithmetic, latency, l2, dram, split };
inline constexpr std::array<std::string_view, 6> names_of(Term) {
    return {"launch", "arithmetic", "latency", "l2", "dram", "split"};
}
inline constexpr std::array all_terms = {Term::launch, Term::arithmetic, Term::latency,
                                         Term::l2,     Term::dram,       Term::split};

// A number for each term.
template <class Value>
struct ByTerm {
    std::array<Value, all_terms.size()> values = {};

    Value& operator[](Term term) { return values[static_cast<std::size_t>(term)]; }
    const Value& operator[](Term term) const { return values[static_cast<std::size_t>(term)]; }
};

// Problems whose rates were fitted together (DeviceRates). The first three are products, the others
// read and write tensors.
enum class RateClass {
    linear,       // a transposed second operand, as a fully connected layer's forward pass has
    batched,      // any other product
    convolution,  // an implicit product
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
};
inline constexpr std::array<std::string_view, 14> names_of(RateClass) {
    return {"linear",
            "bmm",
            "convolution",
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
            "ln by long rows"};
}
inline constexpr std::size_t product_classes = 3;
inline constexpr std::size_t rate_classes = names_of(RateClass{}).size();

// How a product is cut into blocks: for explanations.
struct PlannedTiles {
    std::int64_t batch = 1, m = 1, n = 1, k = 1;
    bool b_is_transposed = false;
    int tile_m = 0, tile_n = 0, splits = 1;
    double blocks = 0;
    double rounds = 0;  // of resident blocks on the busiest processor
};

// A kernel's prediction: its time with the terms that it is made of.
struct KernelPrediction {
    std::string name = {};       // "volta_sgemm_128x64_tn", "relu"
    std::string algorithm = {};  // "implicit-gemm"; empty where there is no choice
    RateClass rates = RateClass::add;
    double repeats = 1;  // one after the other, as the steps of a recurrent layer are
    Seconds time = {};   // of all repeats, as all that follows
    ByTerm<Seconds> terms = {};
    Flops flops = {};                      // that it executes, with what pads tiles
    std::optional<Bytes> l2_traffic = {};  // between the processors and the L2 cache
    Bytes dram_traffic = {};
    Bytes workspace = {};
    std::optional<PlannedTiles> tiles = {};  // of products

    Term binding() const {
        const auto at = std::ranges::max_element(terms.values);
        return static_cast<Term>(at - terms.values.begin());
    }
};

// A layer's pass on a device: the kernels that do it, one after another. None: it costs nothing,
// its result is its input under another name.
using Kernels = std::vector<KernelPrediction>;

// Why a layer's pass has no prediction: "opaque layers have no model".
struct NoModel {
    std::string reason;
};
using LayerPrediction = std::variant<Kernels, NoModel>;

Seconds time_of(const Kernels& kernels);

}  // namespace strata
