// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include "backend/reference/operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata::testing {

namespace {

bool has_gradient(const Operand& operand) {
    return operand.role == Role::activation || operand.role == Role::parameter;
}

std::size_t count_of(const Tensor& tensor) {
    return static_cast<std::size_t>(tensor.elements());
}

Signature make_signature(const Op& op, const std::vector<Dims>& activations,
                         const std::vector<Role>& roles) {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < activations.size(); ++i) {
        const bool is_label = i < roles.size() && roles[i] == Role::label;
        tensors.push_back({activations[i], is_label ? DataType::s64 : DataType::f32});
    }
    Signature signature;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        signature.inputs.push_back({tensors[i], i < roles.size() ? roles[i] : Role::activation});
    }
    for (const auto& parameter : parameters_of(op, tensors)) {
        signature.inputs.push_back({parameter.tensor, parameter.role});
        tensors.push_back(parameter.tensor);
    }
    signature.outputs = outputs_of(op, tensors);
    return signature;
}

// d(objective) / d(value): the error falls with the fourth power of the step.
double difference(ReferenceLayer& layer, float& value) {
    constexpr float step = 0x1p-6F;
    const float start = value;
    const auto at = [&](float offset) {
        value = start + offset;
        const double result = layer.objective();
        value = start;
        return result;
    };
    const double near = at(step) - at(-step), far = at(2 * step) - at(-2 * step);
    return (8 * near - far) / (12 * static_cast<double>(step));
}

void expect_gradient_matches(ReferenceLayer& layer, std::size_t operand, double tolerance) {
    const HostValues& gradient = layer.input_gradients[operand];
    double largest = 1e-2;
    for (const float value : gradient) {
        largest = std::max(largest, static_cast<double>(std::abs(value)));
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        EXPECT_NEAR(gradient[i], difference(layer, layer.inputs[operand][i]), tolerance * largest)
            << type_of(layer.op) << ", operand " << operand << ", element " << i;
    }
}

template <class To, class From>
std::vector<To> views(std::vector<From>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

HostValues spread_values(std::size_t count, std::size_t salt) {
    // A stride that shares no factor with the count visits every place once.
    std::size_t stride = count / 2 + 1 + salt;
    while (std::gcd(stride, count) != 1) {
        ++stride;
    }
    HostValues values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto place = static_cast<double>((i * stride + salt) % count);
        values[i] = static_cast<float>((place + 0.3) / static_cast<double>(count) * 3 - 1.5);
    }
    return values;
}

ReferenceLayer run(const Op& op, const std::vector<Dims>& dims, std::vector<HostValues> inputs,
                   const std::vector<Role>& roles) {
    ReferenceLayer layer(op, dims, roles);
    layer.inputs = std::move(inputs);
    layer.forward();
    return layer;
}

HostValues result_of(const Op& op, const std::vector<Dims>& dims, std::vector<HostValues> inputs,
                     const std::vector<Role>& roles) {
    return run(op, dims, std::move(inputs), roles).outputs[0];
}

double dot(std::span<const float> a, std::span<const float> b) {
    EXPECT_EQ(a.size(), b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    return sum;
}

ReferenceLayer::ReferenceLayer(Op operation, std::vector<Dims> activations, std::vector<Role> roles)
    : op(std::move(operation)), signature(make_signature(op, activations, roles)) {
    for (const Operand& operand : signature.inputs) {
        const std::size_t count = count_of(operand.tensor);
        inputs.push_back(spread_values(count, inputs.size()));
        input_gradients.emplace_back(has_gradient(operand) ? count : 0);
        statistics.emplace_back(operand.role == Role::statistic ? count : 0);
        if (operand.role == Role::label) {
            std::ranges::generate(inputs.back(),
                                  [next = 0]() mutable { return static_cast<float>(next++ % 2); });
        }
    }
    for (const Tensor& output : signature.outputs) {
        outputs.emplace_back(count_of(output));
        output_gradients.push_back(spread_values(count_of(output), 3));
    }
    if (std::holds_alternative<SoftmaxCrossEntropy>(op)) {
        output_gradients[0] = {1};
    }
}

ReferenceOperands ReferenceLayer::operands() {
    return {signature,
            execution,
            views<std::span<const float>>(inputs),
            views<std::span<float>>(outputs),
            views<std::span<const float>>(output_gradients),
            views<std::span<float>>(input_gradients),
            views<std::span<float>>(statistics)};
}

void ReferenceLayer::forward() {
    compute_forward(op, operands());
}

void ReferenceLayer::backward() {
    compute_backward(op, operands());
}

double ReferenceLayer::objective() {
    forward();
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        sum += dot(outputs[i], output_gradients[i]);
    }
    return sum;
}

void expect_gradients_match_differences(ReferenceLayer layer, double tolerance) {
    layer.forward();
    layer.backward();
    for (std::size_t operand = 0; operand < layer.inputs.size(); ++operand) {
        expect_gradient_matches(layer, operand, tolerance);
    }
}

}  // namespace strata::testing
