// SPDX-License-Identifier: MIT
#pragma once

#include "networks/onnx/import.h"
#include "tests/support/error_message.h"
#include "tests/support/onnx_writer.h"

#include <gtest/gtest.h>
#include <cstring>
#include <string>
#include <vector>

namespace strata {

// A model's graph and the model's bytes; the graph's weights are views of them.
class Imported {
public:
    explicit Imported(std::string model, const OnnxOptions& options = {})
        : bytes_(std::make_shared<const std::string>(std::move(model))),
          graph(import_onnx({.name = "m.onnx",
                             .bytes = std::as_bytes(std::span(*bytes_)),
                             .owner = bytes_,
                             .folder = {}},
                            options)) {}
    explicit Imported(const OnnxWriter& writer, const OnnxOptions& options = {})
        : Imported(writer.model(), options) {}

    const GraphTensor& tensor(std::string_view name) const {
        for (const GraphTensor& tensor : graph.tensors) {
            if (tensor.name == name) {
                return tensor;
            }
        }
        ADD_FAILURE() << "no tensor " << name;
        return graph.tensors.front();
    }

    const Dims& dims(std::string_view name) const { return tensor(name).tensor.dims; }

    // The f32 values of a tensor.
    std::vector<float> values(std::string_view name) const {
        const auto& data = tensor(name).data;
        std::vector<float> values(data ? data->bytes.size() / sizeof(float) : 0);
        if (data) {
            std::memcpy(values.data(), data->bytes.data(), data->bytes.size());
        }
        return values;
    }

    // The operator of the layer with this index.
    template <class T>
    const T& op(std::size_t layer = 0) const {
        return std::get<T>(graph.layers.at(layer).op);
    }

private:
    std::shared_ptr<const std::string> bytes_;

public:
    Graph graph;
};

inline std::string import_error(const OnnxWriter& writer, const OnnxOptions& options = {}) {
    return error_of([&] { Imported(writer, options); });
}

// The reason why a model's only layer is opaque.
inline std::string opaque_reason(const OnnxWriter& writer) {
    return Imported(writer).op<Opaque>().reason;
}

}  // namespace strata
