// SPDX-License-Identifier: MIT
#include "networks/onnx/file/model.h"

#include "base/error.h"
#include "base/text.h"

#include <array>
#include <string>

namespace strata {

namespace {

// What a file that is not a model appears to be, by its first bytes.
std::string_view likeness(std::string_view start) {
    struct Signature {
        std::string_view start;
        std::string_view name;
    };
    constexpr std::array<Signature, 7> signatures = {
        {{"\x89PNG", "a PNG image"},
         {"PK\x03\x04", "a ZIP archive"},
         {"\x1f\x8b", "a gzip archive"},
         {"\x7f"
          "ELF",
          "a program"},
         {"\x89HDF", "an HDF5 file"},
         {"\x93NUMPY", "a NumPy array"},
         {"version https://git-lfs", "a Git LFS pointer"}}};
    for (const Signature& signature : signatures) {
        if (start.starts_with(signature.start)) {
            return signature.name;
        }
    }
    const auto is_text = [](char c) { return c == '\t' || c == '\n' || c == '\r' || c >= ' '; };
    for (char c : start.substr(0, 16)) {
        if (!is_text(c)) {
            return {};
        }
    }
    return "text";
}

// Reports what the file is instead, if that can be recognised.
void refuse_other_formats(const WireFile& file) {
    const std::string_view start(reinterpret_cast<const char*>(file.bytes.data()),
                                 file.bytes.size());
    const std::string name = quoted_name(file);
    if (start.empty()) {
        throw Error(name + " is empty; export or copy it again");
    }
    if (const auto what = likeness(start); !what.empty()) {
        throw Error(name + " is not an ONNX file but " + std::string(what) +
                    "; name the .onnx file itself");
    }
}

// Each switch is a table of the field numbers of onnx.proto, a line each.
// clang-format off

std::pair<std::string_view, std::string_view> parse_entry(WireReader message) {
    std::pair<std::string_view, std::string_view> entry;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: entry.first = as_text(*field); break;
            case 2: entry.second = as_text(*field); break;
        }
    }
    return entry;
}

// The value of the only metadata entry that is read; other entries leave it unchanged.
void parse_stated_role(WireReader message, std::string_view& role) {
    const auto [key, value] = parse_entry(message);
    role = key == onnx_role_key ? value : role;
}

}  // namespace

OnnxTensor parse_onnx_tensor(WireReader message) {
    OnnxTensor tensor;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: append_integers(*field, tensor.dims); break;
            case 2: tensor.data_type = as_integer(*field); break;
            case 4: tensor.float_data.append(*field, 4); break;
            case 5: append_integers(*field, tensor.int32_data); break;
            case 6: ++tensor.strings; break;
            case 7: append_integers(*field, tensor.int64_data); break;
            case 8: tensor.name = as_text(*field); break;
            case 9: tensor.raw_data = std::as_bytes(std::span(as_text(*field))); break;
            case 10: tensor.double_data.append(*field, 8); break;
            case 11: append_integers(*field, tensor.uint64_data); break;
            case 13: tensor.external_data.push_back(parse_entry(as_message(*field))); break;
            case 14: tensor.is_external = as_integer(*field) == 1; break;
            case 16: parse_stated_role(as_message(*field), tensor.role); break;
        }
    }
    return tensor;
}

OnnxAttribute parse_onnx_attribute(WireReader message) {
    OnnxAttribute attribute;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: attribute.name = as_text(*field); break;
            case 2: attribute.f = as_float(*field); break;
            case 3: attribute.i = as_integer(*field); break;
            case 4: attribute.s = as_text(*field); break;
            case 5: attribute.t = parse_onnx_tensor(as_message(*field)); break;
            case 6:
            case 11: attribute.graphs.push_back(as_message(*field)); break;
            case 7: append_floats(*field, attribute.floats); break;
            case 8: append_integers(*field, attribute.ints); break;
            case 9: attribute.strings.push_back(as_text(*field)); break;
            case 21: attribute.is_reference = !as_text(*field).empty(); break;
        }
    }
    return attribute;
}

namespace {

OnnxNamedMessage parse_attribute_name(WireReader message) {
    OnnxNamedMessage attribute{.name = {}, .message = message};
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: attribute.name = as_text(*field); break;
            case 6:
            case 11: attribute.has_graphs = true; break;
        }
    }
    return attribute;
}

OnnxNamedMessage parse_tensor_name(WireReader message) {
    OnnxNamedMessage tensor{.name = {}, .message = message};
    while (const auto field = message.next()) {
        if (field->number == 8) {
            tensor.name = as_text(*field);
        }
    }
    return tensor;
}

// Metadata that exporters write in addition to what a node computes.
void parse_node_metadata(WireReader message, OnnxNode& node) {
    const auto [key, value] = parse_entry(message);
    if (key == "pkg.torch.onnx.name_scopes") {
        node.name_scopes = value;
    } else if (key == "pkg.torch.onnx.class_hierarchy") {
        node.class_hierarchy = value;
    } else if (key == "pkg.torch.onnx.stack_trace") {
        node.stack_trace = value;
    } else if (key == "pkg.onnxscript.rewriter.rule_name") {
        node.rewriting_rules = value;
    }
}

// Appends only items with a name, because nothing can refer to the others.
template <class Named>
void keep(std::vector<Named>& all, Named one) {
    if (!one.name.empty()) {
        all.push_back(std::move(one));
    }
}

OnnxNode parse_node(WireReader message) {
    OnnxNode node;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: node.inputs.push_back(as_text(*field)); break;
            case 2: node.outputs.push_back(as_text(*field)); break;
            case 3: node.name = as_text(*field); break;
            case 4: node.op_type = as_text(*field); break;
            case 5: keep(node.attributes, parse_attribute_name(as_message(*field))); break;
            case 7: node.domain = as_text(*field); break;
            case 9: parse_node_metadata(as_message(*field), node); break;
        }
    }
    return node;
}

OnnxDim parse_dim(WireReader message) {
    OnnxDim dim;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: dim.value = as_integer(*field); break;
            case 2: dim.name = as_text(*field); break;
        }
    }
    return dim;
}

// More axes than a shape may have are kept, so that such a shape is refused.
constexpr std::size_t max_kept_axes = 64;

std::vector<OnnxDim> parse_shape(WireReader message) {
    std::vector<OnnxDim> shape;
    while (const auto field = message.next()) {
        if (field->number == 1 && shape.size() <= max_kept_axes) {
            shape.push_back(parse_dim(as_message(*field)));
        }
    }
    return shape;
}

void parse_tensor_type(WireReader message, OnnxValueInfo& info) {
    info.is_tensor = true;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: info.element_type = as_integer(*field); break;
            case 2: info.shape = parse_shape(as_message(*field)); break;
        }
    }
}

void parse_type(WireReader message, OnnxValueInfo& info) {
    while (const auto field = message.next()) {
        if (field->number == 1) {
            parse_tensor_type(as_message(*field), info);
        }
    }
}

OnnxValueInfo parse_value_info(WireReader message) {
    OnnxValueInfo info;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: info.name = as_text(*field); break;
            case 2: parse_type(as_message(*field), info); break;
            case 4: parse_stated_role(as_message(*field), info.role); break;
        }
    }
    return info;
}

// A sparse tensor has the name of its values.
std::string_view parse_sparse_name(WireReader message) {
    while (const auto field = message.next()) {
        if (field->number == 1) {
            return parse_tensor_name(as_message(*field)).name;
        }
    }
    return {};
}

void keep_node(std::vector<OnnxNode>& nodes, OnnxNode node) {
    if (!node.outputs.empty()) {
        nodes.push_back(std::move(node));
    }
}

void parse_graph_into(WireReader message, OnnxGraph& graph) {
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: keep_node(graph.nodes, parse_node(as_message(*field))); break;
            case 2: graph.name = as_text(*field); break;
            case 5: keep(graph.initializers, parse_tensor_name(as_message(*field))); break;
            case 11: keep(graph.inputs, parse_value_info(as_message(*field))); break;
            case 12: keep(graph.outputs, parse_value_info(as_message(*field))); break;
            case 13: keep(graph.value_infos, parse_value_info(as_message(*field))); break;
            case 15:
                graph.sparse_initializers.push_back(parse_sparse_name(as_message(*field)));
                break;
        }
    }
}

std::pair<std::string_view, std::int64_t> parse_opset(WireReader message) {
    std::pair<std::string_view, std::int64_t> opset;
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: opset.first = as_text(*field); break;
            case 2: opset.second = as_integer(*field); break;
        }
    }
    return opset;
}

OnnxModel parse_fields(const WireFile& file) {
    OnnxModel model;
    WireReader message(file, file.bytes);
    while (const auto field = message.next()) {
        switch (field->number) {
            case 1: model.ir_version = as_integer(*field); break;
            case 2: model.producer = as_text(*field); break;
            // It may come in several parts; protobuf merges them.
            case 7:
                model.graph = model.graph ? std::move(model.graph) : OnnxGraph();
                parse_graph_into(as_message(*field), *model.graph);
                break;
            case 8: model.opsets.push_back(parse_opset(as_message(*field))); break;
        }
    }
    return model;
}

// clang-format on

}  // namespace

OnnxGraph parse_onnx_graph(WireReader message) {
    OnnxGraph graph;
    parse_graph_into(message, graph);
    return graph;
}

OnnxModel parse_onnx_model(const WireFile& file) {
    OnnxModel model;
    try {
        model = parse_fields(file);
    } catch (const Error&) {
        refuse_other_formats(file);
        throw;
    }
    if (!model.graph) {
        refuse_other_formats(file);
        throw Error(quoted_name(file) +
                    " is not an ONNX file: it holds no graph; name the .onnx file itself");
    }
    return model;
}

}  // namespace strata
