// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata {

namespace {

using Index = std::int64_t;

// The values of one image, x[c * positions + at].
struct Image {
    Index channels = 0;
    Index positions = 0;
    const float* x = nullptr;

    double at(Index c, Index position) const { return x[c * positions + position]; }
};

Image image_of(const ReferenceOperands& operands, Index n) {
    const Dims& dims = operands.input_dims(0);
    const Index positions = product(std::span(dims).subspan(2));
    return {dims[1], positions, operands.inputs[0].data() + n * dims[1] * positions};
}

// The channels in the window of channel c: [first, last].
struct Reach {
    Index first = 0;
    Index last = 0;
};

Reach reach(const Lrn& op, const Image& image, Index c) {
    const Index before = (op.size - 1) / 2;
    return {std::max<Index>(0, c - before), std::min(image.channels - 1, c + op.size - 1 - before)};
}

// s[c] = k + alpha / size * sum of x^2 over the window of c, at one position.
std::vector<double> scales(const Lrn& op, const Image& image, Index position) {
    std::vector<double> result(static_cast<std::size_t>(image.channels));
    for (Index c = 0; c < image.channels; ++c) {
        const auto [first, last] = reach(op, image, c);
        double squares = 0;
        for (Index other = first; other <= last; ++other) {
            squares += image.at(other, position) * image.at(other, position);
        }
        result[static_cast<std::size_t>(c)] =
            op.k + op.alpha / static_cast<double>(op.size) * squares;
    }
    return result;
}

// y[c] = x[c] s[c]^-beta
void normalize(const Lrn& op, const Image& image, Index position, float* y) {
    const auto scale = scales(op, image, position);
    for (Index c = 0; c < image.channels; ++c) {
        y[c * image.positions + position] = static_cast<float>(
            image.at(c, position) * std::pow(scale[static_cast<std::size_t>(c)], -op.beta));
    }
}

// dx[j] = dy[j] s[j]^-beta - 2 alpha beta / size x[j] sum of dy[c] x[c] s[c]^(-beta-1) over the
// channels c whose window covers j
void gradient(const Lrn& op, const Image& image, Index position, const float* dy, float* dx) {
    const auto scale = scales(op, image, position);
    std::vector<double> sums(scale.size()), own(scale.size());
    const double factor = 2 * op.alpha * op.beta / static_cast<double>(op.size);
    for (Index c = 0; c < image.channels; ++c) {
        const double s = scale[static_cast<std::size_t>(c)];
        const double direct = dy[c * image.positions + position] * std::pow(s, -op.beta);
        own[static_cast<std::size_t>(c)] = direct;
        const auto [first, last] = reach(op, image, c);
        for (Index j = first; j <= last; ++j) {
            sums[static_cast<std::size_t>(j)] += direct * image.at(c, position) / s;
        }
    }
    for (Index j = 0; j < image.channels; ++j) {
        const auto at = static_cast<std::size_t>(j);
        dx[j * image.positions + position] =
            static_cast<float>(own[at] - factor * image.at(j, position) * sums[at]);
    }
}

// For one image, roughly.
double operations_of(const Lrn& op, const ReferenceOperands& operands) {
    const Dims& x = operands.input_dims(0);
    return static_cast<double>(product(x) / x[0] * (op.size + 8));
}

}  // namespace

void reference_forward(const Lrn& op, const ReferenceOperands& operands) {
    parallel_for(operands.input_dims(0)[0], operations_of(op, operands), [&](Index n) {
        const Image image = image_of(operands, n);
        float* y = operands.outputs[0].data() + n * image.channels * image.positions;
        for (Index position = 0; position < image.positions; ++position) {
            normalize(op, image, position, y);
        }
    });
}

void reference_backward(const Lrn& op, const ReferenceOperands& operands) {
    parallel_for(operands.input_dims(0)[0], operations_of(op, operands), [&](Index n) {
        const Image image = image_of(operands, n);
        const Index start = n * image.channels * image.positions;
        for (Index position = 0; position < image.positions; ++position) {
            gradient(op, image, position, operands.output_gradients[0].data() + start,
                     operands.input_gradients[0].data() + start);
        }
    });
}

}  // namespace strata
