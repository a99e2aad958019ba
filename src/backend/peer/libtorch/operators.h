// SPDX-License-Identifier: MIT
#pragma once

#include "backend/peer/libtorch/network.h"

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string_view>
#include <vector>

namespace strata::libtorch {

using Tensors = std::vector<at::Tensor>;

// A layer's results from its operands. Its attributes are read once, when it is made.
using Operator = std::function<Tensors(const Tensors& operands)>;

// How a layer is run.
struct Setting {
    bool training = false;
    bool verified = false;   // definitions that differ in libtorch are adapted to strata's
    at::Tensor scales = {};  // of a dropout that is verified
};

// Throws Refusal if libtorch has no such operator.
Operator operator_of(const ToldLayer& layer, const Setting& setting);

// A GRU's operand with the first two blocks of its rows, z and r, in libtorch's order, or back in
// strata's.
at::Tensor rows_of_gru(const at::Tensor& value, std::int64_t hidden);

// A layer's attributes, by name.
class Attributes {
public:
    explicit Attributes(const Json& told) : told_(told) {}
    Dims dims(const char* name) const { return told_.value(name, Dims()); }
    std::int64_t integer(const char* name) const { return told_.value(name, std::int64_t{0}); }
    double number(const char* name) const { return told_.value(name, 0.0); }
    bool flag(const char* name) const { return told_.value(name, false); }
    std::string word(const char* name) const { return told_.value(name, std::string()); }

private:
    const Json& told_;
};

using OperatorMaker = Operator (*)(const ToldLayer& layer, const Setting& setting);
using OperatorList = std::map<std::string_view, OperatorMaker>;

// The operators, by type, in three files.
const OperatorList& window_operators();
const OperatorList& block_operators();
const OperatorList& plain_operators();

// The entry of a table of functions of one kind of layer. Throws Refusal if it has none.
template <class Table>
const auto& chosen(const Table& table, const std::string& kind) {
    const auto found = table.find(kind);
    if (found == table.end()) {
        throw Refusal("the adapter of libtorch has no " + kind);
    }
    return found->second;
}

}  // namespace strata::libtorch
