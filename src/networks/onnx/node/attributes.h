// SPDX-License-Identifier: MIT
#pragma once

#include "base/text.h"
#include "networks/onnx/node/layer_writer.h"
#include "networks/onnx/node/node_import.h"

#include <algorithm>
#include <array>
#include <string>

namespace strata {

// The attributes of a node that match an operator's fields are listed once, for both directions:
//
//   constexpr auto lrn_attributes = [](auto& op, auto&& attribute) {
//       attribute("size", op.size);
//       attribute("alpha", op.alpha);
//   };

// Import: a field keeps its value if the node lacks the attribute.
struct ReadAttribute {
    const NodeImport& node;

    void operator()(std::string_view name, std::int64_t& field) const {
        field = node.integer(name, field);
    }
    void operator()(std::string_view name, double& field) const {
        field = node.number(name, field);
    }
    void operator()(std::string_view name, bool& field) const {
        field = node.integer(name, field ? 1 : 0) != 0;
    }
};

template <class T, class List>
T with_attributes(const NodeImport& node, T op, const List& list) {
    list(op, ReadAttribute{node});
    return op;
}

// Export: every attribute is written.
struct WriteAttribute {
    LayerWriter::Attributes& written;

    template <class Field>
    void operator()(std::string_view name, const Field& field) const {
        written.emplace_back(name, field);
    }
};

template <class T, class List>
LayerWriter::Attributes attributes_of(const T& op, const List& list) {
    LayerWriter::Attributes written;
    list(op, WriteAttribute{written});
    return written;
}

// The values of a text attribute, in the order of their enumeration.
template <class Kind, std::size_t count>
Kind kind_called(const std::array<std::string_view, count>& names, std::string_view name,
                 std::string_view what) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        throw Unsupported{std::string(what) + " '" + printable(name) + "' is not supported"};
    }
    return static_cast<Kind>(found - names.begin());
}

template <class Kind, std::size_t count>
std::string name_among(const std::array<std::string_view, count>& names, Kind kind) {
    return std::string(names.at(static_cast<std::size_t>(kind)));
}

}  // namespace strata
