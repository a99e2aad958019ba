// SPDX-License-Identifier: MIT
#include "tests/backend/cpu/convolution/outcome.h"

#include "backend/lower/program.h"
#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

// Extents of a problem with both axes of its planes.
struct Loops {
    Index images, groups, inputs, outputs, height, width, rows, columns, kernel_h, kernel_w;
    Index stride[2], dilation[2], pad[2];
};

Loops loops_of(const ConvolutionProblem& p) {
    const bool line = p.x.size() == 3;
    const auto pair = [&](const Dims& dims, std::size_t axis, Index missing) {
        return line ? (axis == 0 ? missing : dims[0]) : dims[axis];
    };
    Loops l = {p.x[0],
               p.groups,
               p.x[1] / p.groups,
               p.y[1] / p.groups,
               line ? 1 : p.x[2],
               p.x.back(),
               line ? 1 : p.y[2],
               p.y.back(),
               line ? 1 : p.weight[2],
               p.weight.back(),
               {},
               {},
               {}};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        l.stride[axis] = pair(p.window.stride, axis, 1);
        l.dilation[axis] = pair(p.window.dilation, axis, 1);
        l.pad[axis] = pair(p.window.pad_begin, axis, 0);
    }
    return l;
}

// Calls visit(index in x, in the weights, in y) for every multiplication of a convolution.
template <class Visit>
void for_products(const Loops& l, Visit&& visit) {
    for (Index n = 0; n < l.images; ++n)
        for (Index k = 0; k < l.groups * l.outputs; ++k)
            for (Index c = 0; c < l.inputs; ++c)
                for (Index r = 0; r < l.kernel_h; ++r)
                    for (Index s = 0; s < l.kernel_w; ++s)
                        for (Index p = 0; p < l.rows; ++p)
                            for (Index q = 0; q < l.columns; ++q) {
                                const Index h = p * l.stride[0] + r * l.dilation[0] - l.pad[0];
                                const Index w = q * l.stride[1] + s * l.dilation[1] - l.pad[1];
                                if (h >= 0 && h < l.height && w >= 0 && w < l.width) {
                                    const Index channel = k / l.outputs * l.inputs + c;
                                    visit(
                                        static_cast<std::size_t>(
                                            ((n * l.groups * l.inputs + channel) * l.height + h) *
                                                l.width +
                                            w),
                                        static_cast<std::size_t>(
                                            ((k * l.inputs + c) * l.kernel_h + r) * l.kernel_w + s),
                                        static_cast<std::size_t>(
                                            ((n * l.groups * l.outputs + k) * l.rows + p) *
                                                l.columns +
                                            q));
                                }
                            }
}

std::size_t elements(const Dims& dims) {
    std::size_t product = 1;
    for (const Index extent : dims) {
        product *= static_cast<std::size_t>(extent);
    }
    return product;
}

// Numbers between -1 and 1, the same in every run.
std::vector<float> values(std::size_t count, std::uint32_t seed) {
    std::vector<float> result(count);
    for (float& value : result) {
        seed = seed * 1664525U + 1013904223U;
        value = static_cast<float>(seed >> 8U) / 8388608.0F - 1;
    }
    return result;
}

// The position in another order of each element of images in plain order, and the total size.
struct Placement {
    std::vector<std::size_t> places;
    std::size_t count = 0;
};

std::size_t block_of(ImageOrder order, std::size_t channels) {
    switch (order) {
        case ImageOrder::nchw8c:
            return 8;
        case ImageOrder::nchw16c:
            return 16;
        case ImageOrder::nhwc:
            return channels;
        case ImageOrder::nchw:
        case ImageOrder::chwn:
            break;
    }
    return 1;
}

Placement placement_of(const Dims& dims, ImageOrder order) {
    const auto images = static_cast<std::size_t>(dims[0]),
               channels = static_cast<std::size_t>(dims[1]);
    const std::size_t points = elements(dims) / images / channels;
    const std::size_t block = block_of(order, channels), blocks = (channels + block - 1) / block;
    Placement placement = {{}, images * blocks * block * points};
    for (std::size_t n = 0; n < images; ++n)
        for (std::size_t c = 0; c < channels; ++c)
            for (std::size_t point = 0; point < points; ++point) {
                placement.places.push_back(
                    order == ImageOrder::chwn
                        ? (c * points + point) * images + n
                        : ((n * blocks + c / block) * points + point) * block + c % block);
            }
    return placement;
}

Placement placement_of(const Dims& dims, FilterOrder order) {
    const auto outputs = static_cast<std::size_t>(dims[0]),
               inputs = static_cast<std::size_t>(dims[1]);
    const std::size_t taps = elements(dims) / outputs / inputs;
    const std::size_t block = order == FilterOrder::oihw       ? 1
                              : order == FilterOrder::oihw8i8o ? 8
                                                               : 16;
    const std::size_t rows = (outputs + block - 1) / block, columns = (inputs + block - 1) / block;
    Placement placement = {{}, rows * columns * taps * block * block};
    for (std::size_t k = 0; k < outputs; ++k)
        for (std::size_t c = 0; c < inputs; ++c)
            for (std::size_t tap = 0; tap < taps; ++tap) {
                placement.places.push_back(
                    ((((k / block) * columns + c / block) * taps + tap) * block + c % block) *
                        block +
                    k % block);
            }
    return placement;
}

constexpr std::size_t guard_floats = 1024;  // a page, so that the memory between is aligned
constexpr float guard = 12345.5F;

// Memory with guards on both sides.
class Guarded {
public:
    explicit Guarded(std::size_t count)
        : count_(count), data_(static_cast<float*>(std::aligned_alloc(4096, bytes())), std::free) {
        std::fill_n(data_.get(), bytes() / sizeof(float), guard);
        std::fill_n(data(), count_, std::numeric_limits<float>::quiet_NaN());
    }
    float* data() { return data_.get() + guard_floats; }
    bool is_intact() const {
        const auto is_guard = [](float value) { return value == guard; };
        float* end = data_.get() + guard_floats + count_;
        return std::all_of(data_.get(), data_.get() + guard_floats, is_guard) &&
               std::all_of(end, data_.get() + bytes() / sizeof(float), is_guard);
    }

private:
    std::size_t bytes() const {
        return ((count_ + 2 * guard_floats) * sizeof(float) + 4095) / 4096 * 4096;
    }
    std::size_t count_;
    std::unique_ptr<float, void (*)(void*)> data_;
};

// An operand in a method's order: given values if it is read, not-a-number if it is written.
class Operand {
public:
    Operand(Placement placement, const std::vector<float>* given)
        : placement_(std::move(placement)), memory_(placement_.count), given_(given) {
        if (given_ != nullptr) {
            fill(*given_);
        }
    }
    float* data() { return memory_.data(); }
    void fill(const std::vector<float>& values) {
        std::fill_n(memory_.data(), placement_.count, 0.0F);
        for (std::size_t i = 0; i < values.size(); ++i) {
            memory_.data()[placement_.places[i]] = values[i];
        }
    }
    std::vector<float> plain() {
        std::vector<float> result;
        for (const std::size_t place : placement_.places) {
            result.push_back(memory_.data()[place]);
        }
        return result;
    }
    void find_faults(const std::string& name, std::vector<std::string>& faults) {
        if (!memory_.is_intact()) {
            faults.push_back(name + " is written outside");
        }
        if (given_ != nullptr && plain() != *given_) {
            faults.push_back(name + " is changed");
        }
        std::vector<bool> is_used(placement_.count);
        for (const std::size_t place : placement_.places) {
            is_used[place] = true;
        }
        for (std::size_t i = 0; i < placement_.count; ++i) {
            if (!is_used[i] && memory_.data()[i] != 0) {
                faults.push_back(name + "'s filling is not zero");
                break;
            }
        }
    }

private:
    Placement placement_;
    Guarded memory_;
    const std::vector<float>* given_;
};

struct Given {
    std::vector<float> x, weight, bias, y, addend;
};

void expect(const ConvolutionProblem& problem, const Given& given, Outcome& outcome) {
    const Loops l = loops_of(problem);
    std::vector<double>& sum = outcome.expected;
    const auto value = [](float number) { return static_cast<double>(number); };
    const std::size_t points = static_cast<std::size_t>(l.rows * l.columns);
    const auto channels = static_cast<std::size_t>(problem.y[1]);
    if (problem.pass == Pass::backward_data) {
        sum.assign(given.x.size(), 0);
        for_products(l, [&](std::size_t x, std::size_t w, std::size_t y) {
            sum[x] += value(given.weight[w]) * value(given.y[y]);
        });
    } else if (problem.pass == Pass::backward_weights) {
        sum.assign(given.weight.size(), 0);
        for_products(l, [&](std::size_t x, std::size_t w, std::size_t y) {
            sum[w] += value(given.x[x]) * value(given.y[y]);
        });
        outcome.expected_bias_gradient.assign(problem.bias ? channels : 0, 0);
        for (std::size_t i = 0; problem.bias && i < given.y.size(); ++i) {
            outcome.expected_bias_gradient[i / points % channels] += value(given.y[i]);
        }
    } else {
        sum.assign(given.y.size(), 0);
        for_products(l, [&](std::size_t x, std::size_t w, std::size_t y) {
            sum[y] += value(given.x[x]) * value(given.weight[w]);
        });
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += problem.bias ? value(given.bias[i / points % channels]) : 0;
            sum[i] += problem.sum ? value(given.addend[i]) : 0;
            sum[i] = problem.relu ? std::max(0.0, sum[i]) : sum[i];
        }
    }
}

double max_difference(const std::vector<float>& got, const std::vector<double>& expected) {
    double difference = 0, magnitude = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double distance = std::abs(static_cast<double>(got[i]) - expected[i]);
        if (!std::isfinite(distance)) {
            return std::numeric_limits<double>::infinity();
        }
        difference = std::max(difference, distance);
        magnitude = std::max(magnitude, std::abs(expected[i]));
    }
    return difference / std::max(magnitude, 1e-30);
}

}  // namespace

std::vector<ProblemShape> ragged_shapes() {
    return {
        {.x = {2, 3, 9, 11},
         .filter = {5, 3, 3},
         .pad_begin = {1, 1},
         .pad_end = {1, 1},
         .bias = true},
        {.x = {1, 1, 1, 1}, .filter = {1, 1, 1}, .sum = true},
        {.x = {3, 17, 7, 7}, .filter = {33, 1, 1}, .bias = true, .sum = true, .relu = true},
        {.x = {2, 20, 6, 5}, .filter = {19, 1, 1}, .stride = {2, 2}},
        {.x = {2, 16, 13, 13}, .filter = {70, 1, 1}, .pad_begin = {1, 0}, .pad_end = {0, 2}},
        {.x = {2, 3, 31, 27},
         .filter = {5, 11, 11},
         .stride = {4, 4},
         .pad_begin = {2, 2},
         .pad_end = {2, 2},
         .bias = true},
        {.x = {2, 12, 15, 14},
         .filter = {18, 5, 5},
         .pad_begin = {2, 2},
         .pad_end = {2, 2},
         .groups = 2,
         .bias = true,
         .sum = true,
         .relu = true},
        {.x = {2, 6, 10, 9},
         .filter = {6, 3, 3},
         .pad_begin = {1, 1},
         .pad_end = {1, 1},
         .groups = 6},
        {.x = {1, 4, 12, 13},
         .filter = {7, 3, 2},
         .stride = {2, 3},
         .dilation = {3, 2},
         .pad_begin = {3, 0},
         .pad_end = {0, 4}},
        {.x = {2, 3, 4, 4}, .filter = {4, 7, 7}, .pad_begin = {3, 3}, .pad_end = {3, 3}},
        {.x = {2, 3, 2, 3},
         .filter = {4, 5, 6},
         .pad_begin = {4, 5},
         .pad_end = {2, 1},
         .bias = true},
        {.x = {2, 2, 9, 9}, .filter = {3, 2, 2}, .stride = {3, 3}},
        {.x = {1, 2, 8, 8}, .filter = {3, 1, 2}, .stride = {4, 5}, .pad_begin = {1, 1}},
        {.x = {3, 5, 21},
         .filter = {6, 4},
         .stride = {2},
         .pad_begin = {3},
         .pad_end = {1},
         .sum = true},
        {.x = {19, 4, 3, 3}, .filter = {9, 2, 2}, .bias = true, .sum = true},
        {.x = {1, 2, 3, 1050}, .filter = {9, 2, 3}, .pad_begin = {1, 1}, .pad_end = {0, 1}},
        {.x = {1, 40, 14, 12},
         .filter = {24, 3, 3},
         .pad_begin = {1, 1},
         .pad_end = {1, 1},
         .bias = true,
         .threads = 3},
    };
}

ConvolutionProblem problem_of(Pass pass, const ProblemShape& shape) {
    const std::size_t axes = shape.x.size() - 2;
    const auto filled = [&](const Dims& dims, Index missing) {
        return dims.empty() ? Dims(axes, missing) : dims;
    };
    ConvolutionProblem problem = {.pass = pass,
                                  .x = shape.x,
                                  .weight = {shape.filter[0], shape.x[1] / shape.groups},
                                  .y = {shape.x[0], shape.filter[0]},
                                  .window = {{shape.filter.begin() + 1, shape.filter.end()},
                                             filled(shape.stride, 1),
                                             filled(shape.dilation, 1),
                                             filled(shape.pad_begin, 0),
                                             filled(shape.pad_end, 0)},
                                  .groups = shape.groups,
                                  .bias = shape.bias,
                                  .sum = shape.sum,
                                  .relu = shape.relu,
                                  .constant_weights = shape.constant_weights,
                                  .threads = shape.threads};
    const Window& w = problem.window;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        problem.weight.push_back(w.kernel[axis]);
        const Index covered = (w.kernel[axis] - 1) * w.dilation[axis] + 1;
        const Index padded = shape.x[axis + 2] + w.pad_begin[axis] + w.pad_end[axis];
        problem.y.push_back((padded - covered) / w.stride[axis] + 1);
    }
    return problem;
}

std::string text_of(const ConvolutionProblem& p) {
    return fmt::format(
        "{} x[{}] weight[{}] stride {} dilation {} pads {}+{} groups {}{}{}{}, {} threads",
        name_of(p.pass), fmt::join(p.x, ","), fmt::join(p.weight, ","),
        fmt::join(p.window.stride, "x"), fmt::join(p.window.dilation, "x"),
        fmt::join(p.window.pad_begin, "x"), fmt::join(p.window.pad_end, "x"), p.groups,
        p.bias ? " bias" : "", p.sum ? " sum" : "", p.relu ? " relu" : "", p.threads);
}

const ConvolutionMethod& method_named(std::string_view name) {
    for (const ConvolutionMethod& method : convolution_methods()) {
        if (method.name == name) {
            return method;
        }
    }
    check(false, fmt::format("there is a convolution method {}", name));
    std::abort();
}

double Outcome::max_error() const {
    return max_difference(result, expected);
}

double Outcome::max_bias_error() const {
    return max_difference(bias_gradient, expected_bias_gradient);
}

double Outcome::relative_l2() const {
    double difference = 0, magnitude = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        difference += std::pow(static_cast<double>(result[i]) - expected[i], 2);
        magnitude += std::pow(expected[i], 2);
    }
    return std::sqrt(difference / std::max(magnitude, 1e-30));
}

Outcome outcome_of(const ConvolutionMethod& method, const ConvolutionProblem& problem,
                   const OperandOrders& preferred) {
    const auto prepared = method.prepare(problem, preferred);
    Outcome outcome;
    outcome.implementation = prepared->implementation();
    outcome.orders = prepared->orders();
    const Given given = {values(elements(problem.x), 1), values(elements(problem.weight), 2),
                         values(static_cast<std::size_t>(problem.y[1]), 3),
                         values(elements(problem.y), 4), values(elements(problem.y), 5)};
    const auto operand = [&](Placement placement, Pass writer, const std::vector<float>& read) {
        return Operand(std::move(placement), problem.pass == writer ? nullptr : &read);
    };
    Operand x = operand(placement_of(problem.x, outcome.orders.x), Pass::backward_data, given.x);
    Operand weight = operand(placement_of(problem.weight, outcome.orders.weight),
                             Pass::backward_weights, given.weight);
    Operand y = operand(placement_of(problem.y, outcome.orders.y), Pass::forward, given.y);
    Operand bias = operand(placement_of({1, problem.y[1], 1}, ImageOrder::nchw),
                           Pass::backward_weights, given.bias);
    const bool sums = problem.sum && problem.pass == Pass::forward;
    Operand addend(placement_of(problem.y, outcome.orders.y), &given.addend);
    const auto bytes = static_cast<std::size_t>(prepared->workspace().value);
    Guarded workspace((bytes + sizeof(float) - 1) / sizeof(float));
    const KeptWeights kept = prepared->kept_weights();
    Guarded made(static_cast<std::size_t>(kept.bytes.value) / sizeof(float));
    if (kept.make) {
        kept.make(weight.data(), made.data(), reinterpret_cast<std::byte*>(workspace.data()));
    }
    const auto run = [&](float* other) {
        prepared->run({x.data(), kept.make ? made.data() : weight.data(),
                       problem.bias ? bias.data() : nullptr, y.data(), other},
                      reinterpret_cast<std::byte*>(workspace.data()));
    };
    run(sums ? addend.data() : nullptr);
    addend.find_faults("the addend", outcome.faults);
    x.find_faults("x", outcome.faults);
    weight.find_faults("weight", outcome.faults);
    y.find_faults("y", outcome.faults);
    if (problem.bias) {
        bias.find_faults("bias", outcome.faults);
    }
    if (!made.is_intact()) {
        outcome.faults.push_back("what is kept of the weights is written outside");
    }
    if (!workspace.is_intact()) {
        outcome.faults.push_back("the workspace is written outside");
    }
    outcome.result = (problem.pass == Pass::forward         ? y
                      : problem.pass == Pass::backward_data ? x
                                                            : weight)
                         .plain();
    outcome.bias_gradient = problem.bias ? bias.plain() : std::vector<float>();
    expect(problem, given, outcome);
    if (sums) {
        y.fill(given.addend);
        run(y.data());
        y.find_faults("y over its addend", outcome.faults);
        if (max_difference(y.plain(), {outcome.result.begin(), outcome.result.end()}) > 3e-6) {
            outcome.faults.push_back("the sum differs if it is written over its addend");
        }
    }
    return outcome;
}

std::string refusal_of(const ConvolutionMethod& method, const ConvolutionProblem& problem) {
    try {
        method.prepare(problem, {});
        return "";
    } catch (const Refusal& refusal) {
        return refusal.reason;
    }
}

}  // namespace strata::cpu
