// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace strata::libtorch {

using Json = nlohmann::json;
using Dims = std::vector<std::int64_t>;

// libtorch cannot run a layer, or the whole network; the text is the reason.
struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct ToldTensor {
    Dims dims = {};
    std::string dtype = {};
    std::string role = {};
};

struct ToldLayer {
    std::string type = {};
    std::string kind = {};
    Json attributes = Json::object();
    std::vector<std::size_t> inputs = {};
    std::vector<std::size_t> outputs = {};
    std::vector<Dims> result_dims = {};
};

// An operand whose gradient a task gives; the first of an iteration replaces the last iteration's.
struct Contribution {
    std::size_t operand = 0;
    bool is_first = false;
};

struct ToldTask {
    std::size_t layer = 0;
    std::string pass = {};
    std::vector<Contribution> gradients = {};
    std::vector<std::size_t> parameters = {};  // that an update changes
    std::string omitted = {};                  // why; empty if it is not
};

// The network of a request `prepare` (docs/peers.md).
struct Network {
    explicit Network(const Json& request);

    bool is_loss(std::size_t layer) const { return layers[layer].type == "softmax_cross_entropy"; }

    std::vector<ToldTensor> tensors;
    std::vector<ToldLayer> layers;
    std::vector<ToldTask> tasks;
    std::vector<std::size_t> outputs;
    std::vector<bool> needs_gradient;         // by tensor
    std::vector<std::size_t> gradient_given;  // tensors
    std::vector<std::size_t> starts;  // of gradients: losses, and tensors with a given gradient
    std::vector<bool> is_end;         // by tensor: an output or a start
    std::vector<std::vector<std::size_t>>
        forget_after;  // by layer, the tensors that no later one reads
    bool training = false;
    bool kept = false;         // every tensor can be read after its step
    bool images_last = false;  // NHWC
    std::uint64_t seed = 0;
    Json optimizer;

    // Calls `use` with each place of the file of values, and the values.
    void for_each_value(
        const std::function<void(const Json& place, std::vector<float>& values)>& use) const;

private:
    std::string file_;
    Json places_;
};

// The tensors that no task reads after this one.
struct Releases {
    std::vector<std::size_t> values;     // tensors
    std::vector<std::size_t> gradients;  // tensors
    std::vector<std::size_t> saved;      // layers
};

// How tasks divide the work, each by its number. If one call gives the gradients of data and of
// weights, the data's task requests both and the weights' is included in it.
struct Plan {
    std::vector<std::vector<Contribution>> operands;
    std::vector<std::optional<std::size_t>> included_in;
    std::vector<Releases> releases;  // empty if every tensor is kept
};

Plan plan_of(const Network& network);

}  // namespace strata::libtorch
