// SPDX-License-Identifier: MIT
#include "backend/reference/log_softmax.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata {

namespace {

struct Batch {
    std::size_t images = 0;
    std::size_t classes = 0;
};

Batch batch_of(const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    return {static_cast<std::size_t>(x[0]), static_cast<std::size_t>(x[1])};
}

std::vector<double> log_probabilities(const ReferenceOperands& operands, const Batch& batch,
                                      std::size_t image) {
    const auto x = operands.inputs[0].subspan(image * batch.classes, batch.classes);
    std::vector<double> values(x.begin(), x.end());
    log_softmax(values);
    return values;
}

// The class of an image; a label from outside that is not a class is clamped to the nearest one.
std::size_t label_of(const ReferenceOperands& operands, const Batch& batch, std::size_t image) {
    const double label = operands.inputs[1][image];
    return static_cast<std::size_t>(std::clamp(label, 0.0, static_cast<double>(batch.classes - 1)));
}

}  // namespace

void reference_forward(const SoftmaxCrossEntropy&, const ReferenceOperands& operands) {
    const Batch batch = batch_of(operands);
    double loss = 0;
    for (std::size_t n = 0; n < batch.images; ++n) {
        loss -= log_probabilities(operands, batch, n)[label_of(operands, batch, n)];
    }
    operands.outputs[0][0] = static_cast<float>(loss / static_cast<double>(batch.images));
}

// dx = (softmax(x) - onehot(label)) / images
void reference_backward(const SoftmaxCrossEntropy&, const ReferenceOperands& operands) {
    const Batch batch = batch_of(operands);
    for (std::size_t n = 0; n < batch.images; ++n) {
        const auto logarithm = log_probabilities(operands, batch, n);
        const std::size_t label = label_of(operands, batch, n);
        for (std::size_t c = 0; c < batch.classes; ++c) {
            const double error = std::exp(logarithm[c]) - (c == label ? 1 : 0);
            operands.input_gradients[0][n * batch.classes + c] =
                static_cast<float>(error / static_cast<double>(batch.images));
        }
    }
}

}  // namespace strata
