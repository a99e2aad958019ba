// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/scripted_layer.h"

#include <algorithm>

namespace strata::testing {

namespace {

CellKind kind_of_cell(cudnnRNNMode_t mode) {
    switch (mode) {
        case CUDNN_RNN_RELU:
            return CellKind::rnn_relu;
        case CUDNN_RNN_TANH:
            return CellKind::rnn_tanh;
        case CUDNN_GRU:
            return CellKind::gru;
        case CUDNN_LSTM:
            break;
    }
    return CellKind::lstm;
}

// The numbers in cuDNN's documentation for the products of our gates with the sequence: for an LSTM
// input, forget, new and output gate; for a GRU reset, update and new.
std::vector<std::int64_t> documented_numbers(CellKind cell) {
    switch (cell) {
        case CellKind::lstm:
            return {0, 1, 2, 3};
        case CellKind::gru:
            return {1, 0, 2};
        case CellKind::rnn_tanh:
        case CellKind::rnn_relu:
            break;
    }
    return {0};
}

Parameter matrix_of(const ScriptedLayer& layer, std::int64_t cell, bool of_state) {
    const std::int64_t hidden = layer.op.hidden;
    const std::int64_t width = layer.width(cell, of_state ? layer.gates() : 0);
    Parameter parameter = {{layer.gates() * hidden, width}, {}};
    std::int64_t first = 0;
    for (std::int64_t number : documented_numbers(layer.op.cell)) {
        number += of_state ? layer.gates() : 0;
        parameter.parts.push_back({first, hidden * width, view_of(layer, cell, number, false)});
        first += hidden * width;
    }
    return parameter;
}

// A GRU's last block is the bias of its new gate's product with the state.
Parameter bias_of(const ScriptedLayer& layer, std::int64_t cell) {
    const std::int64_t hidden = layer.op.hidden;
    std::vector<std::int64_t> numbers = documented_numbers(layer.op.cell);
    if (layer.op.cell == CellKind::gru) {
        numbers.push_back(5);
    }
    Parameter parameter = {{static_cast<std::int64_t>(numbers.size()) * hidden}, {}};
    std::int64_t first = 0;
    for (const std::int64_t number : numbers) {
        parameter.parts.push_back({first, hidden, view_of(layer, cell, number, true)});
        first += hidden;
    }
    return parameter;
}

}  // namespace

ScriptedLayer described(cudnnRNNDescriptor_t rnn) {
    cudnnRNNAlgo_t algorithm;
    cudnnRNNMode_t cell;
    cudnnRNNBiasMode_t bias;
    cudnnDirectionMode_t direction;
    cudnnRNNInputMode_t input;
    cudnnDataType_t type, precision;
    cudnnMathType_t math;
    std::int32_t features, hidden, projection, layers;
    cudnnDropoutDescriptor_t dropout;
    std::uint32_t flags;
    cudnnGetRNNDescriptor_v8(rnn, &algorithm, &cell, &bias, &direction, &input, &type, &precision,
                             &math, &features, &hidden, &projection, &layers, &dropout, &flags);
    return {{.cell = kind_of_cell(cell),
             .hidden = hidden,
             .layers = layers,
             .direction = direction == CUDNN_BIDIRECTIONAL ? strata::Direction::bidirectional
                                                           : strata::Direction::forward,
             .bias = bias != CUDNN_RNN_NO_BIAS,
             .reset_after = cell == CUDNN_GRU},
            bias == CUDNN_RNN_DOUBLE_BIAS,
            features};
}

std::int64_t view_of(const ScriptedLayer& layer, std::int64_t cell, std::int64_t number,
                     bool bias) {
    std::int64_t view = 3;
    for (std::int64_t c = layer.cells(); c-- > 0;) {
        for (std::int64_t n = 2 * layer.gates(); n-- > 0;) {
            if (bias && c == cell && n == number) {
                return view;
            }
            view += layer.has_bias(n) ? layer.op.hidden : 0;
            if (!bias && c == cell && n == number) {
                return view;
            }
            view += layer.op.hidden * layer.width(c, n);
        }
    }
    return view;
}

std::vector<Parameter> parameters_of(const ScriptedLayer& layer) {
    std::vector<Parameter> parameters;
    for (std::int64_t cell = 0; cell < layer.cells(); ++cell) {
        parameters.push_back(matrix_of(layer, cell, false));
        parameters.push_back(matrix_of(layer, cell, true));
        if (layer.op.bias) {
            parameters.push_back(bias_of(layer, cell));
        }
    }
    return parameters;
}

std::size_t size_of(const Dims& dims) {
    return static_cast<std::size_t>(product(dims));
}

std::vector<float> gathered(const Parameter& parameter, const void* all) {
    std::vector<float> values(size_of(parameter.dims));
    for (const Part& part : parameter.parts) {
        std::copy_n(static_cast<const float*>(all) + part.view, part.count,
                    values.begin() + part.first);
    }
    return values;
}

}  // namespace strata::testing
