// SPDX-License-Identifier: MIT
#include "networks/onnx/export.h"
#include "networks/onnx/file/element_type.h"

#include "base/error.h"
#include "base/new_file.h"
#include "base/text.h"
#include "networks/onnx/file/model.h"
#include "networks/onnx/operator/families.h"
#include "op/problem.h"

#include <fmt/format.h>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace strata {

namespace {

constexpr std::int64_t ir_version = 10;
constexpr std::int64_t opset = 22;
constexpr std::uint64_t max_inline_bytes = 1'900'000'000;  // protobuf's limit is 2^31 - 1

WireMessage opset_message(std::string_view domain, std::int64_t version) {
    WireMessage message;
    return message.text(1, domain).integer(2, version);
}

WireMessage role_message(Role role) {
    WireMessage message;
    return message.text(1, onnx_role_key).text(2, name_of(role));
}

WireMessage value_info_message(const GraphTensor& tensor) {
    WireMessage shape;
    for (const std::int64_t extent : tensor.tensor.dims) {
        shape.message(1, WireMessage().integer(1, extent));
    }
    WireMessage type;
    type.integer(1, onnx_type_of(tensor.tensor.dtype)).message(2, shape);
    WireMessage info;
    info.text(1, tensor.name).message(2, WireMessage().message(1, type));
    if (tensor.role == Role::label) {
        info.message(4, role_message(tensor.role));
    }
    return info;
}

// A TensorProto without its data.
WireMessage tensor_heading(std::string_view name, const Tensor& tensor) {
    WireMessage message;
    for (const std::int64_t extent : tensor.dims) {
        message.integer(1, extent);
    }
    return message.integer(2, onnx_type_of(tensor.dtype)).text(8, name);
}

// Converts a column-major matrix with elements of `size` bytes to row-major.
std::string row_by_row(const std::string& columns, const Dims& dims, std::size_t size) {
    const auto height = static_cast<std::size_t>(dims[0]);
    const auto width = static_cast<std::size_t>(dims[1]);
    std::string rows;
    rows.reserve(columns.size());
    for (std::size_t row = 0; row < height; ++row) {
        for (std::size_t column = 0; column < width; ++column) {
            rows.append(columns, (column * height + row) * size, size);
        }
    }
    return rows;
}

// All elements of a tensor, even if its data hold only one.
std::string expanded(const Tensor& tensor, const TensorData& data) {
    const std::string given(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
    const auto size = static_cast<std::size_t>(size_in_bytes(tensor.dtype));
    const auto count = static_cast<std::size_t>(tensor.elements());
    if (given.size() == count * size) {
        return data.order == MatrixOrder::row_major ? given : row_by_row(given, tensor.dims, size);
    }
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        all += given;
    }
    return all;
}

WireMessage small_tensor_message(const OnnxSmallTensor& tensor) {
    return tensor_heading(tensor.name, tensor.value.tensor)
        .text(9, expanded(tensor.value.tensor, tensor.value.data));
}

auto write_of(const Op& op) {
    if (const auto* opaque = std::get_if<Opaque>(&op)) {
        throw Error("an operator that is not supported here (" + opaque->foreign_type +
                    ") cannot be exported; exclude the layer with --slice");
    }
    const LayerWrite* known = find_write(type_of(op));
    if (known == nullptr) {
        throw Error(std::string(type_of(op)) +
                    " cannot be exported to ONNX; exclude the layer with --slice");
    }
    return known->write;
}

// Nodes have the layer's name, followed by a number if there are several, so a runtime's profile
// names the layer. The number keeps names distinct if the runtime inlines the function (ONNX
// Runtime does).
void write_nodes_of(const Layer& layer, LayerWriter& writer) {
    try {
        write_of(layer.op)(layer.op, writer);
        for (std::size_t i = 0; writer.nodes.size() > 1 && i < writer.nodes.size(); ++i) {
            writer.nodes[i].name = fmt::format("{}/{}", layer.name, i);
        }
    } catch (const Error& error) {
        throw Error(fmt::format("layer \"{}\": {}", printable(layer.name), error.what()),
                    error.code());
    }
}

// A function whose body is the nodes of one layer.
WireMessage function_message(const std::string& name, const LayerWriter& body) {
    WireMessage message;
    message.text(1, name);
    for (const std::string& input : body.inputs()) {
        message.text(4, input);
    }
    for (const std::string& output : body.outputs()) {
        message.text(5, output);
    }
    message.text(6, onnx_function_attribute);
    for (const OnnxSmallTensor& tensor : body.tensors) {
        WireMessage value;
        value.text(1, "value").message(5, small_tensor_message(tensor)).integer(20, 4);
        message.message(7, onnx_node_message({.name = tensor.name,
                                              .op_type = "Constant",
                                              .domain = {},
                                              .inputs = {},
                                              .outputs = {tensor.name},
                                              .attributes = {OnnxWrittenAttribute(value)}}));
    }
    for (const OnnxNodeText& node : body.nodes) {
        message.message(7, onnx_node_message(node));
    }
    return message.message(9, opset_message("", opset)).text(10, onnx_function_domain);
}

// A weight to write: the bytes before its data, and the size of its data.
struct Weight {
    TensorId id = 0;
    WireMessage heading;
    std::uint64_t data_bytes = 0;
};

// Writes one model to its file.
class ModelWriter {
public:
    ModelWriter(const Graph& graph, const std::filesystem::path& file, const InitialValues& values,
                OnnxBodies bodies)
        : graph_(graph), file_(file), values_(values), bodies_(bodies) {}

    void run() {
        add_layers();
        add_interface();
        add_weights();
        write();
    }

private:
    void add_layers() {
        for (const Layer& layer : graph_.layers) {
            LayerWriter writer(graph_, layer, LayerNames::own);
            write_nodes_of(layer, writer);
            if (writer.nodes.size() == 1 || bodies_ == OnnxBodies::nodes) {
                add_nodes(writer);
            } else {
                add_call(layer);
            }
        }
    }

    void add_nodes(const LayerWriter& writer) {
        for (const OnnxNodeText& node : writer.nodes) {
            content_.message(1, onnx_node_message(node));
        }
        for (const OnnxSmallTensor& tensor : writer.tensors) {
            content_.message(5, small_tensor_message(tensor));
        }
    }

    void add_call(const Layer& layer) {
        LayerWriter body(graph_, layer, LayerNames::formal);
        write_nodes_of(layer, body);
        const std::string name = fmt::format("{}_{}", type_of(layer.op), ++functions_count_);
        functions_.message(25, function_message(name, body));
        const LayerWriter outside(graph_, layer, LayerNames::own);
        content_.message(
            1, onnx_node_message({.name = layer.name,
                                  .op_type = name,
                                  .domain = std::string(onnx_function_domain),
                                  .inputs = outside.inputs(),
                                  .outputs = outside.outputs(),
                                  .attributes = {{onnx_function_attribute,
                                                  std::string_view(to_text(layer.op))}}}));
    }

    void add_interface() {
        content_.text(2, graph_.name);
        for (const TensorId id : graph_.inputs) {
            content_.message(11, value_info_message(graph_.tensors[id]));
        }
        for (const TensorId id : graph_.outputs) {
            content_.message(12, value_info_message(graph_.tensors[id]));
        }
    }

    std::vector<TensorId> weight_ids() const {
        std::vector<TensorId> ids;
        const auto producers = producers_of(graph_);
        const std::unordered_set<TensorId> inputs(graph_.inputs.begin(), graph_.inputs.end());
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (!producers[id] && !inputs.contains(id)) {
                ids.push_back(id);
            }
        }
        return ids;
    }

    void add_weights() {
        std::uint64_t all = 0;
        const auto bytes_of = [&](TensorId id) {
            return static_cast<std::uint64_t>(graph_.tensors[id].tensor.bytes().value);
        };
        for (const TensorId id : weight_ids()) {
            all += bytes_of(id);
        }
        is_external_ = all > max_inline_bytes;
        std::uint64_t offset = 0;
        for (const TensorId id : weight_ids()) {
            weights_.push_back({id, heading_of(id, offset, bytes_of(id)), bytes_of(id)});
            offset += bytes_of(id);
        }
    }

    WireMessage heading_of(TensorId id, std::uint64_t offset, std::uint64_t bytes) const {
        const GraphTensor& tensor = graph_.tensors[id];
        WireMessage message = tensor_heading(tensor.name, tensor.tensor);
        message.message(16, role_message(tensor.role));
        if (!is_external_) {
            return message.heading(9, bytes);
        }
        const auto entry = [](std::string_view key, const std::string& value) {
            return WireMessage().text(1, key).text(2, value);
        };
        return message.message(13, entry("location", data_file().filename().string()))
            .message(13, entry("offset", std::to_string(offset)))
            .message(13, entry("length", std::to_string(bytes)))
            .integer(14, 1);
    }

    std::filesystem::path data_file() const { return file_.string() + ".data"; }

    std::uint64_t length_of(const Weight& weight) const {
        return weight.heading.bytes().size() + (is_external_ ? 0 : weight.data_bytes);
    }

    // The graph's length precedes its content, so the weights' lengths must be known before they
    // are written.
    std::uint64_t graph_length() const {
        std::uint64_t length = content_.bytes().size();
        for (const Weight& weight : weights_) {
            length += WireMessage().heading(5, length_of(weight)).bytes().size();
            length += length_of(weight);
        }
        return length;
    }

    void write() {
        NewFile model(file_);
        std::optional<NewFile> data;
        if (is_external_) {
            data.emplace(data_file());
        }
        WireMessage head;
        head.integer(1, ir_version).text(2, "strata");
        head.message(8, opset_message("", opset));
        head.message(8, opset_message(onnx_function_domain, 1));
        put(model, head.bytes());
        put(model, functions_.bytes());
        put(model, WireMessage().heading(7, graph_length()).bytes());
        put(model, content_.bytes());
        for (const Weight& weight : weights_) {
            put(model, WireMessage().heading(5, length_of(weight)).bytes());
            put(model, weight.heading.bytes());
            write_data(is_external_ ? *data : model, graph_.tensors[weight.id], weight.id);
        }
        require(model.write(""), file_);  // otherwise the old file keeps its data
        require(!data || data->keep(), data_file());
        require(model.keep(), file_);
    }

    void write_data(NewFile& file, const GraphTensor& tensor, TensorId id) {
        if (tensor.data) {
            put(file, expanded(tensor.tensor, *tensor.data));
            return;
        }
        std::vector<float> values(static_cast<std::size_t>(tensor.tensor.elements()));
        values_(id, values);
        if (tensor.tensor.dtype == DataType::f32) {
            put(file,
                {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
            return;
        }
        const std::vector<double> numbers(values.begin(), values.end());
        const Constant converted = constant_of(tensor.tensor, numbers);
        put(file, expanded(converted.tensor, converted.data));
    }

    // (A failed write is reported when the file is kept.)
    static void put(NewFile& file, std::string_view bytes) { file.write(bytes); }

    static void require(bool is_written, const std::filesystem::path& file) {
        if (!is_written) {
            throw Error(fmt::format("'{}' cannot be written: {}; choose another file",
                                    printable(file.string(), 400), std::strerror(errno)));
        }
    }

    const Graph& graph_;
    std::filesystem::path file_;
    const InitialValues& values_;
    OnnxBodies bodies_;
    WireMessage content_;    // GraphProto without its weights
    WireMessage functions_;  // fields of ModelProto
    std::vector<Weight> weights_;
    bool is_external_ = false;
    int functions_count_ = 0;
};

}  // namespace

void export_onnx(const Graph& graph, const std::filesystem::path& file, const InitialValues& values,
                 OnnxBodies bodies) {
    ModelWriter(graph, file, values, bodies).run();
}

}  // namespace strata
