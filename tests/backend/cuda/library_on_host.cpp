// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/library_on_host.h"

#include "backend/cuda/cublas/matmul.h"
#include "backend/cuda/cudnn/attention.h"
#include "backend/cuda/cudnn/convolution.h"
#include "backend/cuda/device/values.h"
#include "backend/cuda/recurrent_call.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <array>
#include <utility>

namespace strata::testing {

namespace {

using namespace cuda;
using Addresses = std::span<void* const>;

HostValues decoded(const void* address, const Dims& dims, const Format& format) {
    const auto bytes = static_cast<std::size_t>(product(dims)) * size_in_bytes(format.type);
    return decode({static_cast<const std::byte*>(address), bytes}, dims, format);
}

Convolution operator_of(const ConvolutionProblem& problem) {
    const Window& window = problem.window;
    return {.out_channels = problem.w[0],
            .kernel = window.kernel,
            .stride = window.stride,
            .dilation = window.dilation,
            .pad_begin = window.pad_begin,
            .pad_end = window.pad_end,
            .groups = problem.x[1] / problem.w[1],
            .bias = false};
}

HostValues computed(const ConvolutionProblem& problem, const std::array<HostValues, 3>& values) {
    const Convolution op = operator_of(problem);
    const Signature signature = {{{{problem.x}}, {{problem.w}, Role::parameter}}, {{problem.y}}};
    const Execution execution;
    const auto index = static_cast<std::size_t>(result_of(problem.pass)) - 1;
    HostValues result(values[index].size());
    ReferenceOperands operands{signature, execution, {values[0], values[1]}, {}, {}, {}, {}};
    if (problem.pass == Pass::forward) {
        operands.outputs = {result};
        compute_forward(op, operands);
    } else {
        operands.output_gradients = {values[2]};
        operands.input_gradients.resize(2);
        operands.input_gradients[index] = result;
        compute_backward(op, operands);
    }
    return result;
}

// In a row-major result, element i belongs to channel i / positions % channels.
void add_epilogue(const ConvolutionProblem& problem, Addresses operands, HostValues& result) {
    const Dims& dims = dims_of(problem, result_of(problem.pass));
    const auto channels = static_cast<std::size_t>(dims[1]);
    const auto positions = result.size() / static_cast<std::size_t>(dims[0]) / channels;
    for (const Epilogue each : problem.epilogue) {
        if (each == Epilogue::relu) {
            std::ranges::transform(result, result.begin(), [](float x) { return x < 0 ? 0 : x; });
            continue;
        }
        const bool is_bias = each == Epilogue::add_bias;
        const HostValues added = is_bias
                                     ? decoded(operands.front(), {dims[1]}, {problem.format.type})
                                     : decoded(operands.front(), dims, problem.format);
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] += added[is_bias ? i / positions % channels : i];
        }
        operands = operands.subspan(1);
    }
}

// Uses the reference's loops on row-major values.
void compute(const ConvolutionProblem& problem, Addresses addresses) {
    const std::array dims = {problem.x, problem.w, problem.y};
    std::array<HostValues, 3> values;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        values[i] = decoded(addresses[i], dims[i], problem.format);
    }
    HostValues result = computed(problem, values);
    add_epilogue(problem, addresses.subspan(dims.size()), result);
    const auto index = static_cast<std::size_t>(result_of(problem.pass)) - 1;
    const auto bytes = encode(result, dims[index], problem.format);
    std::ranges::copy(bytes, static_cast<std::byte*>(addresses[index]));
}

std::int64_t element_index(const Matrix& matrix, std::int64_t number, std::int64_t row,
                           std::int64_t column) {
    const std::int64_t begin = number * matrix.batch_stride;
    return begin + (matrix.transposed ? column * matrix.row_stride + row
                                      : row * matrix.row_stride + column);
}

float product_at(const Matmul& matmul, Addresses addresses, std::int64_t matrix, std::int64_t row,
                 std::int64_t column) {
    float sum = 0;
    for (std::int64_t i = 0; i < matmul.k; ++i) {
        sum +=
            load_element(addresses[0], element_index(matmul.a, matrix, row, i), matmul.a.type) *
            load_element(addresses[1], element_index(matmul.b, matrix, i, column), matmul.b.type);
    }
    return sum;
}

void compute(const Matmul& matmul, Addresses addresses) {
    const auto& [m, n] = std::pair(matmul.m, matmul.n);
    for (std::int64_t i = 0; i < matmul.batch * m * n; ++i) {
        const std::int64_t matrix = i / (m * n);
        const std::int64_t row = i / n % m;
        const std::int64_t index = element_index(matmul.y, matrix, row, i % n);
        const float sum = product_at(matmul, addresses, matrix, row, i % n);
        const ElementType type = matmul.y.type;
        const float kept = matmul.accumulates ? load_element(addresses[2], index, type) : 0;
        const float bias = matmul.has_bias ? load_element(addresses[3], i % n, type) : 0;
        store_element(addresses[2], index, type, matmul.scale * sum + kept + bias);
    }
}

std::vector<Tensor> input_tensors(const Signature& signature) {
    std::vector<Tensor> tensors;
    for (const Operand& operand : signature.inputs) {
        tensors.push_back(operand.tensor);
    }
    return tensors;
}

// Empty if the address is null.
template <class Value>
std::vector<std::span<Value>> spans(Addresses addresses,
                                    const std::vector<RecurrentSlots::Slot>& slots,
                                    const std::vector<Tensor>& tensors) {
    std::vector<std::span<Value>> values;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        auto* begin = slots[i] ? static_cast<Value*>(addresses[*slots[i]]) : nullptr;
        const auto count = static_cast<std::size_t>(product(tensors[i].dims));
        values.push_back(begin == nullptr ? std::span<Value>() : std::span(begin, count));
    }
    return values;
}

// Uses the reference's loops, which read the parameters in the network's layout.
void compute(const RecurrentWork& work, Addresses addresses) {
    const Execution execution;
    const std::vector<Tensor> tensors = input_tensors(work.signature);
    ReferenceOperands operands{work.signature, execution, {}, {}, {}, {}, {}};
    operands.inputs = spans<const float>(addresses, work.slots.inputs, tensors);
    operands.output_gradients =
        spans<const float>(addresses, work.slots.output_gradients, work.signature.outputs);
    operands.input_gradients = spans<float>(addresses, work.slots.input_gradients, tensors);
    if (work.stage == RecurrentStage::forward) {
        operands.outputs = spans<float>(addresses, work.slots.outputs, work.signature.outputs);
        compute_forward(work.op, operands);
    } else if (work.stage != RecurrentStage::parameters) {
        compute_backward(work.op, operands);
    }
}

void compute(const AttentionProblem& problem, Addresses addresses) {
    compute_attention_on_host(problem, addresses);
}

struct Compute {
    Addresses addresses;
    void operator()(const auto* work) const { compute(*work, addresses); }
    void operator()(std::monostate) const {}
};

}  // namespace

void compute_on_host(const LibraryCall& call, Addresses addresses) {
    std::visit(Compute{addresses}, call.work());
}

}  // namespace strata::testing
