// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/transformer_layers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace strata {

namespace {

// The side of a Swin Transformer's window, and the shift of every second block's windows.
inline constexpr std::int64_t window_side = 7;
inline constexpr std::int64_t window_places = window_side * window_side;
inline constexpr std::int64_t window_shift = window_side / 2;

// Whether a block's windows are aligned with the plane's edge or shifted.
enum class Windows { aligned, shifted };

// Rolls the plane by `shift` along one axis: what leaves at one end enters at the other.
TensorId roll(TransformerLayers& layers, const std::string& name, TensorId x, std::int64_t axis,
              std::int64_t shift) {
    GraphBuilder& builder = layers.builder();
    const std::int64_t side = builder.tensor(x).dims[static_cast<std::size_t>(axis)];
    const auto part = [&](const char* which, std::int64_t start, std::int64_t extent) {
        return builder.add(name + which,
                           Slice{.axes = {axis}, .starts = {start}, .extents = {extent}}, {x});
    };
    return builder.add(name, Concat{.axis = axis},
                       {part(".end", shift, side - shift), part(".begin", 0, shift)});
}

TensorId roll_plane(TransformerLayers& layers, const std::string& name, TensorId x,
                    std::int64_t shift) {
    return roll(layers, name + ".columns", roll(layers, name + ".rows", x, 1, shift), 2, shift);
}

// [batch, side, side, width] to rows, window by window, and back.
TensorId partition(TransformerLayers& layers, const std::string& name, TensorId x) {
    GraphBuilder& builder = layers.builder();
    const Dims dims = builder.tensor(x).dims;
    const std::int64_t across = dims[1] / window_side, width = dims[3];
    const TensorId cut = builder.add(
        name + ".cut", Reshape{{0, across, window_side, across, window_side, width}}, {x});
    const TensorId windows = builder.add(name, Transpose{{0, 1, 3, 2, 4, 5}}, {cut});
    return builder.add(name + ".rows", Reshape{{-1, width}}, {windows});
}

TensorId unite(TransformerLayers& layers, const std::string& name, TensorId rows,
               const Dims& dims) {
    GraphBuilder& builder = layers.builder();
    const std::int64_t across = dims[1] / window_side;
    const TensorId windows =
        builder.add(name + ".windows",
                    Reshape{{dims[0], across, across, window_side, window_side, dims[3]}}, {rows});
    const TensorId cut = builder.add(name, Transpose{{0, 1, 3, 2, 4, 5}}, {windows});
    return builder.add(name + ".plane", Reshape{dims}, {cut});
}

// The row of the bias table for each pair of positions in a window.
std::vector<std::int64_t> relative_places() {
    std::vector<std::int64_t> indices;
    for (std::int64_t a = 0; a < window_places; ++a) {
        for (std::int64_t b = 0; b < window_places; ++b) {
            const std::int64_t rows = a / window_side - b / window_side + window_side - 1;
            const std::int64_t columns = a % window_side - b % window_side + window_side - 1;
            indices.push_back(rows * (2 * window_side - 1) + columns);
        }
    }
    return indices;
}

// [heads, places, places]
TensorId relative_bias(TransformerLayers& layers, const std::string& name, std::int64_t heads) {
    GraphBuilder& builder = layers.builder();
    constexpr std::int64_t distances = (2 * window_side - 1) * (2 * window_side - 1);
    const TensorId indices = layers.indices(name + ".places", relative_places());
    const TensorId table =
        builder.add(name, Embedding{.rows = distances, .width = heads}, {indices});
    const TensorId square =
        builder.add(name + ".square", Reshape{{window_places, window_places, heads}}, {table});
    return builder.add(name + ".by_head", Transpose{{2, 0, 1}}, {square});
}

// Which of the three bands of a rolled plane a position belongs to.
std::int64_t band_of(std::int64_t place, std::int64_t side) {
    return place < side - window_side ? 0 : place < side - window_shift ? 1 : 2;
}

// [1, windows, 1, places, places]: positions of a window that were not neighbours in the plane do
// not see each other.
TensorId shifted_mask(TransformerLayers& layers, const std::string& name, std::int64_t side) {
    const std::int64_t across = side / window_side;
    const auto region = [&](std::int64_t window, std::int64_t place) {
        const std::int64_t row = window / across * window_side + place / window_side;
        const std::int64_t column = window % across * window_side + place % window_side;
        return 3 * band_of(row, side) + band_of(column, side);
    };
    std::vector<float> values;
    for (std::int64_t window = 0; window < across * across; ++window) {
        for (std::int64_t a = 0; a < window_places; ++a) {
            for (std::int64_t b = 0; b < window_places; ++b) {
                values.push_back(region(window, a) == region(window, b) ? 0.0F : -100.0F);
            }
        }
    }
    return layers.constant(name, {1, across * across, 1, window_places, window_places}, values);
}

// [windows, heads, places, width / heads]
TensorId by_head(TransformerLayers& layers, const std::string& name, TensorId rows,
                 std::int64_t heads) {
    GraphBuilder& builder = layers.builder();
    const std::int64_t width = builder.tensor(rows).dims[1];
    const TensorId split =
        builder.add(name + ".split", Reshape{{-1, window_places, heads, width / heads}}, {rows});
    return builder.add(name + ".by_head", Transpose{{0, 2, 1, 3}}, {split});
}

TensorId masked(TransformerLayers& layers, const std::string& name, TensorId scores,
                std::int64_t side) {
    GraphBuilder& builder = layers.builder();
    const Dims dims = builder.tensor(scores).dims;
    const std::int64_t across = side / window_side;
    const TensorId by_image = builder.add(
        name + ".by_image", Reshape{{-1, across * across, dims[1], window_places, window_places}},
        {scores});
    const TensorId apart = layers.add(name, by_image, shifted_mask(layers, name + ".mask", side));
    return builder.add(name + ".by_window", Reshape{dims}, {apart});
}

// Attention on rows ordered window by window; the number of rows stays the same.
TensorId attend(TransformerLayers& layers, const std::string& name, TensorId rows,
                std::int64_t heads, std::int64_t side, Windows windows) {
    GraphBuilder& builder = layers.builder();
    const std::int64_t width = builder.tensor(rows).dims[1];
    const auto projected = [&](const std::string& which) {
        return by_head(layers, name + which, layers.linear(name + which, rows, width), heads);
    };
    const TensorId q = projected(".query"), k = projected(".key"), v = projected(".value");
    const auto root = static_cast<float>(1 / std::sqrt(static_cast<double>(width / heads)));
    const TensorId factor = layers.constant(name + ".factor", {1}, {root});
    TensorId scores = builder.add(name + ".scores", MatMul{.transpose_b = true}, {q, k});
    scores =
        builder.add(name + ".scaled", Elementwise{ElementwiseKind::multiply}, {scores, factor});
    scores = layers.add(name + ".biased", scores, relative_bias(layers, name + ".bias", heads));
    if (windows == Windows::shifted) {
        scores = masked(layers, name + ".masked", scores, side);
    }
    const TensorId seen = builder.add(name + ".softmax", Softmax{.axis = -1}, {scores});
    const TensorId weighted = builder.add(name + ".weighted", MatMul{}, {seen, v});
    const TensorId joined = builder.add(name + ".joined", Transpose{{0, 2, 1, 3}}, {weighted});
    return layers.linear(name + ".output",
                         builder.add(name + ".rows", Reshape{{-1, width}}, {joined}), width);
}

// Attention within windows of [batch, side, side, width]; keeps the shape. A plane of one window is
// never shifted.
TensorId attend_in_windows(TransformerLayers& layers, const std::string& name, TensorId x,
                           std::int64_t heads, Windows windows) {
    const Dims dims = layers.builder().tensor(x).dims;
    const std::int64_t side = dims[1];
    const bool shifts = windows == Windows::shifted && side > window_side;
    const TensorId plane = shifts ? roll_plane(layers, name + ".shift", x, window_shift) : x;
    const TensorId rows = partition(layers, name + ".windows", plane);
    const TensorId attended =
        attend(layers, name, rows, heads, side, shifts ? Windows::shifted : Windows::aligned);
    const TensorId y = unite(layers, name + ".united", attended, dims);
    return shifts ? roll_plane(layers, name + ".back", y, side - window_shift) : y;
}

constexpr std::int64_t stem_width = 96;  // doubled from stage to stage
constexpr std::array<std::int64_t, 4> stage_depths = {2, 2, 6, 2};
constexpr std::array<std::int64_t, 4> stage_heads = {3, 6, 12, 24};
constexpr std::int64_t image = 224;
constexpr std::int64_t patch = 4;

// [batch, side, side, width]
TensorId embed(TransformerLayers& layers, TensorId images) {
    GraphBuilder& builder = layers.builder();
    const Convolution window = {
        .out_channels = layers.width(), .kernel = {patch, patch}, .stride = {patch, patch}};
    const TensorId planes = builder.add("patches", window, {images});
    return layers.normalize("patches.norm",
                            builder.add("patches.last", Transpose{{0, 2, 3, 1}}, {planes}));
}

TensorId add_block(TransformerLayers& layers, const std::string& name, TensorId x,
                   std::int64_t heads, Windows windows) {
    const TensorId attended = attend_in_windows(
        layers, name + ".attention", layers.normalize(name + ".norm1", x), heads, windows);
    x = layers.add(name + ".attention.residual", x, attended);
    const TensorId mixed =
        layers.mix_channels(name + ".mlp", layers.normalize(name + ".norm2", x), ".plane");
    return layers.add(name + ".mlp.residual", x, mixed);
}

// Concatenates four neighbours, normalises them, and projects to twice the width.
TensorId merge(TransformerLayers& layers, const std::string& name, TensorId x) {
    GraphBuilder& builder = layers.builder();
    const Dims dims = builder.tensor(x).dims;
    const std::int64_t side = dims[1] / 2, width = dims[3];
    const auto quarter = [&](const char* which, std::int64_t row, std::int64_t column) {
        return builder.add(
            name + which,
            Slice{
                .axes = {1, 2}, .starts = {row, column}, .extents = {side, side}, .steps = {2, 2}},
            {x});
    };
    TensorId y = builder.add(
        name + ".neighbours", Concat{.axis = 3},
        {quarter(".0", 0, 0), quarter(".1", 1, 0), quarter(".2", 0, 1), quarter(".3", 1, 1)});
    y = builder.add(name + ".rows", Reshape{{-1, 4 * width}},
                    {layers.normalize(name + ".norm", y)});
    y = builder.add(name, FullyConnected{.out_features = 2 * width, .bias = false}, {y});
    return builder.add(name + ".plane", Reshape{{dims[0], side, side, 2 * width}}, {y});
}

}  // namespace

Graph swin_tiny(std::int64_t batch) {
    TransformerLayers layers("swin-tiny", batch, stem_width, AttentionForm::unfused);
    GraphBuilder& builder = layers.builder();
    TensorId x = embed(layers, builder.input("data", Tensor{{batch, 3, image, image}}));
    for (std::size_t stage = 0; stage < stage_depths.size(); ++stage) {
        const std::string name = fmt::format("stage{}", stage + 1);
        if (stage > 0) {
            x = merge(layers, name + ".merge", x);
        }
        for (std::int64_t block = 0; block < stage_depths[stage]; ++block) {
            x = add_block(layers, fmt::format("{}.{}", name, block), x, stage_heads[stage],
                          block % 2 == 0 ? Windows::aligned : Windows::shifted);
        }
    }
    x = builder.add("pool", Reduction{ReductionKind::mean, {1, 2}, false},
                    {layers.normalize("norm", x)});
    return layers.with_loss(layers.linear("head", x, 1000));
}

}  // namespace strata
