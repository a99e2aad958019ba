// SPDX-License-Identifier: MIT
#include "networks/zoo/swin_windows.h"

#include <cmath>

namespace strata {

namespace {

// The plane rolled by `shift` along one axis: what leaves at one end enters at the other.
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

// [batch, side, side, width] to rows, window by window; and back.
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

// For each pair of positions in a window, the row of the table with the bias of their score.
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

// The band, of three, of a rolled plane to which a position belongs.
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

// Attention on rows ordered window by window; gives as many rows.
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

}  // namespace

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

}  // namespace strata
