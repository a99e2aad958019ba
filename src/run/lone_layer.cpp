// SPDX-License-Identifier: MIT
#include "run/lone_layer.h"

#include "base/error.h"
#include "base/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace strata {

namespace {

constexpr std::size_t min_drawn = 512;
constexpr std::size_t max_drawn = 8192;

// Depth, height and width; missing axes have one position.
using Axes = std::array<std::int64_t, 3>;

Axes axes_of(const Dims& dims, std::size_t first, std::int64_t missing) {
    Axes axes = {missing, missing, missing};
    const std::size_t count = dims.size() - first;
    check(count >= 1 && count <= axes.size(), "a convolution has one to three spatial axes");
    std::copy(dims.begin() + static_cast<std::ptrdiff_t>(first), dims.end(),
              axes.end() - static_cast<std::ptrdiff_t>(count));
    return axes;
}

struct Image {
    std::int64_t images = 1;
    std::int64_t channels = 1;
    Axes extents = {};

    std::int64_t plane() const { return extents[0] * extents[1] * extents[2]; }
    std::size_t place(std::int64_t image, std::int64_t channel, const Axes& at) const {
        const std::int64_t row = (at[0] * extents[1] + at[1]) * extents[2] + at[2];
        return static_cast<std::size_t>((image * channels + channel) * plane() + row);
    }
};

// An element's place: its first two coordinates and its position in the plane.
struct Coordinates {
    std::int64_t outer = 0;
    std::int64_t inner = 0;
    Axes at = {};
};

Coordinates coordinates_of(std::size_t place, const Image& image) {
    auto rest = static_cast<std::int64_t>(place);
    Coordinates found;
    for (std::size_t axis = 3; axis-- > 0;) {
        found.at[axis] = rest % image.extents[axis];
        rest /= image.extents[axis];
    }
    found.inner = rest % image.channels;
    found.outer = rest / image.channels;
    return found;
}

template <class Body>
void for_each_position(const Axes& extents, Body&& body) {
    for (std::int64_t d = 0; d < extents[0]; ++d) {
        for (std::int64_t h = 0; h < extents[1]; ++h) {
            for (std::int64_t w = 0; w < extents[2]; ++w) {
                body(Axes{d, h, w});
            }
        }
    }
}

// The definition of a convolution and of its gradients, one element at a time (Goodfellow et al.,
// Deep Learning, 2016, equations 9.6 and 9.11 to 9.13).
class Sums {
public:
    explicit Sums(const ConvolutionValues& values)
        : values_(values),
          x_(image_of(values.x_dims)),
          y_(image_of(values.y_dims)),
          w_(image_of(values.weight_dims)),
          stride_(axes_of(values.window.stride, 0, 1)),
          dilation_(axes_of(values.window.dilation, 0, 1)),
          pad_(axes_of(values.window.pad_begin, 0, 0)) {}

    const Image& result(Pass pass) const {
        return pass == Pass::forward ? y_ : pass == Pass::backward_data ? x_ : w_;
    }

    // The maximum number of products in one element's sum.
    std::int64_t terms(Pass pass) const {
        return pass == Pass::forward         ? w_.channels * w_.plane()
               : pass == Pass::backward_data ? outputs_per_group() * w_.plane()
                                             : y_.images * y_.plane();
    }

    double element(Pass pass, std::size_t place) const {
        const Coordinates at = coordinates_of(place, result(pass));
        return pass == Pass::forward         ? y_element(at)
               : pass == Pass::backward_data ? x_gradient(at)
                                             : weight_gradient(at);
    }

private:
    static Image image_of(const Dims& dims) { return {dims[0], dims[1], axes_of(dims, 2, 1)}; }
    std::int64_t outputs_per_group() const { return y_.channels / values_.groups; }

    // The position in x that a tap reads for a result; false: in the padding.
    bool is_read(const Axes& result, const Axes& tap, Axes& read) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            read[axis] = result[axis] * stride_[axis] - pad_[axis] + tap[axis] * dilation_[axis];
            if (read[axis] < 0 || read[axis] >= x_.extents[axis]) {
                return false;
            }
        }
        return true;
    }

    // The result that reads a position of x through this tap; false: none does.
    bool is_used(const Axes& read, const Axes& tap, Axes& result) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int64_t from = read[axis] + pad_[axis] - tap[axis] * dilation_[axis];
            result[axis] = from / stride_[axis];
            if (from < 0 || from % stride_[axis] != 0 || result[axis] >= y_.extents[axis]) {
                return false;
            }
        }
        return true;
    }

    double y_element(const Coordinates& y) const {
        const std::int64_t first = y.inner / outputs_per_group() * w_.channels;
        double sum = values_.bias.empty()
                         ? 0.0
                         : static_cast<double>(values_.bias[static_cast<std::size_t>(y.inner)]);
        for (std::int64_t c = 0; c < w_.channels; ++c) {
            for_each_position(w_.extents, [&](const Axes& tap) {
                Axes read;
                if (is_read(y.at, tap, read)) {
                    sum += static_cast<double>(values_.x[x_.place(y.outer, first + c, read)]) *
                           static_cast<double>(values_.weight[w_.place(y.inner, c, tap)]);
                }
            });
        }
        return sum;
    }

    double x_gradient(const Coordinates& x) const {
        const std::int64_t group = x.inner / w_.channels;
        const std::int64_t channel = x.inner % w_.channels;
        double sum = 0;
        for (std::int64_t i = 0; i < outputs_per_group(); ++i) {
            const std::int64_t k = group * outputs_per_group() + i;
            for_each_position(w_.extents, [&](const Axes& tap) {
                Axes result;
                if (is_used(x.at, tap, result)) {
                    sum += static_cast<double>(values_.y_gradient[y_.place(x.outer, k, result)]) *
                           static_cast<double>(values_.weight[w_.place(k, channel, tap)]);
                }
            });
        }
        return sum;
    }

    double weight_gradient(const Coordinates& w) const {
        const std::int64_t channel = w.outer / outputs_per_group() * w_.channels + w.inner;
        double sum = 0;
        for (std::int64_t n = 0; n < y_.images; ++n) {
            for_each_position(y_.extents, [&](const Axes& result) {
                Axes read;
                if (is_read(result, w.at, read)) {
                    sum += static_cast<double>(values_.y_gradient[y_.place(n, w.outer, result)]) *
                           static_cast<double>(values_.x[x_.place(n, channel, read)]);
                }
            });
        }
        return sum;
    }

    const ConvolutionValues& values_;
    Image x_;
    Image y_;
    Image w_;
    Axes stride_;
    Axes dilation_;
    Axes pad_;
};

// One position from each of `count` equal sections.
std::vector<std::size_t> drawn_places(std::size_t size, std::size_t count) {
    constexpr RandomStream random(1, 0);
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t from = i * size / count;
        const std::size_t to = (i + 1) * size / count;
        places[i] = from + static_cast<std::size_t>(random.bits(i) % (to - from));
    }
    return places;
}

}  // namespace

ExpectedElements expected_elements(const ConvolutionValues& values, Pass pass, double max_terms) {
    check(pass != Pass::update, "an update is not a convolution");
    const Sums sums(values);
    const Image& result = sums.result(pass);
    const auto size = static_cast<std::size_t>(result.images * result.channels * result.plane());
    const double affordable = max_terms / static_cast<double>(sums.terms(pass));
    const std::size_t count =
        std::min(size, std::clamp(static_cast<std::size_t>(affordable), min_drawn, max_drawn));
    ExpectedElements expected{drawn_places(size, count), {}};
    for (const std::size_t place : expected.places) {
        expected.values.push_back(sums.element(pass, place));
    }
    return expected;
}

AlgorithmError error_of(const ExpectedElements& expected, std::span<const float> result) {
    AlgorithmError error{.elements = expected.places.size()};
    double largest = 0;
    double squares = 0;
    double squared_differences = 0;
    for (std::size_t i = 0; i < expected.places.size(); ++i) {
        const double value = expected.values[i];
        const double difference = static_cast<double>(result[expected.places[i]]) - value;
        error.max = std::max(error.max, std::abs(difference));
        largest = std::max(largest, std::abs(value));
        squares += value * value;
        squared_differences += difference * difference;
    }
    error.max = largest > 0 ? error.max / largest : error.max;
    error.relative_l2 =
        squares > 0 ? std::sqrt(squared_differences / squares) : std::sqrt(squared_differences);
    return error;
}

namespace {

std::string exact_glob(const std::string& name) {
    std::string glob;
    for (const char c : name) {
        glob += c == '*' || c == '?' || c == '[' || c == '\\' ? '?' : c;
    }
    return glob;
}

// The tensor that a pass writes, and which of its contents.
std::pair<TensorId, Content> result_of(const Layer& layer, Pass pass) {
    return pass == Pass::forward         ? std::pair(layer.outputs.front(), Content::value)
           : pass == Pass::backward_data ? std::pair(layer.inputs[0], Content::gradient)
                                         : std::pair(layer.inputs[1], Content::gradient);
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
    return std::ranges::equal(a, b, [](float x, float y) {
        return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    });
}

void run_passes(Executable& executable) {
    for (std::size_t i = 0; i < executable.steps().size(); ++i) {
        if (executable.steps()[i].pass != Pass::update) {
            executable.run_step(i);
        }
    }
}

}  // namespace

LoneLayer::LoneLayer(const Graph& graph, LayerId layer, double max_terms)
    : graph_(slice(graph, exact_glob(graph.layers[layer].name))), max_terms_(max_terms) {}

Execution LoneLayer::execution(Execution of_network) {
    of_network.numerics.first_layer_gradient = FirstLayerGradient::computed;
    of_network.scheduling.memory = MemoryReuse::kept;
    return of_network;
}

std::vector<HostValues> LoneLayer::results_with_errors(const Convolution& op,
                                                       Executable& executable,
                                                       std::span<AlgorithmResult> results) {
    run_passes(executable);
    std::vector<HostValues> values;
    for (AlgorithmResult& result : results) {
        const auto [tensor, content] = result_of(layer(), result.pass);
        values.push_back(executable.read(tensor, content));
        result.exact_error = error_of(expected(op, result.pass, executable), values.back());
    }
    return values;
}

void LoneLayer::examine_errors(Executable& executable, std::span<AlgorithmResult> results) {
    if (const auto* op = std::get_if<Convolution>(&layer().op)) {
        results_with_errors(*op, executable, results);
    }
}

void LoneLayer::examine(Executable& executable, std::span<AlgorithmResult> results) {
    const auto* op = std::get_if<Convolution>(&layer().op);
    if (op == nullptr) {
        return;
    }
    const std::vector<HostValues> first = results_with_errors(*op, executable, results);
    run_passes(executable);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto [tensor, content] = result_of(layer(), results[i].pass);
        results[i].is_deterministic = same_bits(first[i], executable.read(tensor, content));
    }
}

// Every algorithm reads the same values, so the first executable provides them.
const ExpectedElements& LoneLayer::expected(const Convolution& op, Pass pass,
                                            const Executable& from) {
    ExpectedElements& known = expected_[static_cast<std::size_t>(pass)];
    if (known.places.empty()) {
        known = expected_elements(values(op, pass, from), pass, max_terms_);
    }
    return known;
}

ConvolutionValues LoneLayer::values(const Convolution& op, Pass pass,
                                    const Executable& from) const {
    const auto dims = [&](TensorId tensor) { return graph_.tensors[tensor].tensor.dims; };
    const TensorId x = layer().inputs[0];
    const TensorId weight = layer().inputs[1];
    const TensorId y = layer().outputs.front();
    ConvolutionValues values{.window = window_of(op, graph_.tensors[x].tensor),
                             .groups = op.groups,
                             .x_dims = dims(x),
                             .weight_dims = dims(weight),
                             .y_dims = dims(y)};
    values.x = from.read(x, Content::value);
    values.weight = from.read(weight, Content::value);
    if (op.bias) {
        values.bias = from.read(layer().inputs[2], Content::value);
    }
    if (pass != Pass::forward) {
        values.y_gradient = from.read(y, Content::gradient);
    }
    return values;
}

}  // namespace strata
