// SPDX-License-Identifier: MIT
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <algorithm>

namespace strata {

namespace {

// How positions outside a sampled image are treated.
enum class Beyond { zeros, border, reflection };

Beyond beyond_of(const NodeImport& node) {
    const std::string_view mode = node.text("padding_mode", "zeros");
    return mode == "border"       ? Beyond::border
           : mode == "reflection" ? Beyond::reflection
                                  : Beyond::zeros;
}

// Along one axis: the pixels inside the image that each sample uses, and their weights; no weights
// if there is one pixel with weight 1.
struct Taps {
    TensorId pixels;
    std::optional<TensorId> shares;
};

// GridSample of images x[N,C,H,W] at grid[N,h,w,2], coordinates from -1 to 1. The axes of the
// positions are [2, 2, N, h, w], with the pixels below and above in y and in x (only one each for
// nearest), so that one gather reads all.
class GridSampling {
public:
    explicit GridSampling(const NodeImport& node)
        : node_(node),
          steps_(node),
          image_(node.input(0).dims),
          grid_(node.input(1).dims),
          beyond_(beyond_of(node)),
          align_corners_(node.integer("align_corners", 0) != 0) {
        unsupported_if(
            image_.size() != 4 || grid_.size() != 4 || grid_[3] != 2 || grid_[0] != image_[0],
            "it does not sample 2-D images");
        const std::string_view mode = node.text("mode", "linear");
        unsupported_if(mode == "cubic" || mode == "bicubic",
                       "cubic interpolation at computed positions is not supported");
        nearest_ = mode == "nearest";
        unsupported_if(!is_small({image_[0], image_[2], image_[3]}),
                       "its images have too many pixels");
    }

    void convert() {
        const TensorId grid = steps_.cast(node_.operand(1), DataType::f32);
        const Taps x = taps(grid, 0, image_[3]);
        const Taps y = taps(grid, 1, image_[2]);
        TensorId values = steps_.add(Gather{.axis = 0}, {pixels(), places(x, y)});
        Dims dims = steps_.dims(values);
        if (x.shares) {
            dims.back() = 1;
            const TensorId shares = steps_.product(*y.shares, *x.shares);
            const TensorId each = steps_.cast(steps_.reshape(shares, dims), steps_.dtype(values));
            values = steps_.product(values, each);
        }
        const TensorId sums = steps_.add(
            Reduction{.kind = ReductionKind::sum, .axes = {0, 1}, .keep_axes = false}, {values});
        node_.result(Transpose{.permutation = {0, 3, 1, 2}}, {sums});
    }

private:
    // The channels of every pixel of every image.
    TensorId pixels() {
        const TensorId last = steps_.transpose(node_.operand(0), {0, 2, 3, 1});
        return steps_.reshape(last, {image_[0] * image_[2] * image_[3], image_[1]});
    }

    // One coordinate of the grid in pixels: -1 and 1 are the centres of the outermost pixels, or
    // their outer edges.
    TensorId position(TensorId grid, std::int64_t coordinate, std::int64_t extent) {
        const TensorId one =
            steps_.add(Slice{.axes = {3}, .starts = {coordinate}, .extents = {1}}, {grid});
        const TensorId spread = steps_.reshape(one, {1, 1, grid_[0], grid_[1], grid_[2]});
        const double middle = static_cast<double>(extent - 1) / 2;
        const double reach = align_corners_ ? middle : static_cast<double>(extent) / 2;
        return steps_.sum(steps_.product(spread, reach), middle);
    }

    TensorId clipped(TensorId x, std::int64_t extent) {
        return steps_.add(
            Activation{
                .kind = ActivationKind::clip, .alpha = 0, .beta = static_cast<double>(extent - 1)},
            {x});
    }

    // Reflects positions at the outermost centres, or at the outer edges, until they are inside.
    TensorId mirrored(TensorId x, std::int64_t extent) {
        const double low = align_corners_ ? 0 : -0.5;
        const double span = static_cast<double>(align_corners_ ? extent - 1 : extent);
        if (span == 0) {
            return steps_.product(x, 0.0);
        }
        const TensorId distance = steps_.unary(UnaryKind::absolute, steps_.difference(x, low));
        const TensorId turns = steps_.unary(UnaryKind::floor, steps_.quotient(distance, 2 * span));
        const TensorId rest = steps_.difference(distance, steps_.product(turns, 2 * span));
        const TensorId back = steps_.difference(steps_.scalar(2 * span, DataType::f32), rest);
        return steps_.sum(steps_.elementwise(ElementwiseKind::minimum, rest, back), low);
    }

    TensorId inside(TensorId x, std::int64_t extent) {
        switch (beyond_) {
            case Beyond::zeros:
                return x;
            case Beyond::border:
                return clipped(x, extent);
            case Beyond::reflection:
                return mirrored(x, extent);
        }
        return x;
    }

    Taps taps(TensorId grid, std::int64_t coordinate, std::int64_t extent) {
        const TensorId at = inside(position(grid, coordinate, extent), extent);
        Taps taps =
            nearest_ ? Taps{steps_.unary(UnaryKind::round, at), {}} : neighbours(at, coordinate);
        const TensorId clip = clipped(taps.pixels, extent);
        if (beyond_ == Beyond::zeros) {
            const TensorId is_inside = steps_.cast(
                steps_.elementwise(ElementwiseKind::equal, clip, taps.pixels), DataType::f32);
            taps.shares = taps.shares ? steps_.product(*taps.shares, is_inside) : is_inside;
        }
        taps.pixels = clip;
        return taps;
    }

    // The pixels below and above; a weight is 1 minus the distance.
    Taps neighbours(TensorId at, std::int64_t coordinate) {
        const Dims stacked = coordinate == 0 ? Dims{1, 2, 1, 1, 1} : Dims{2, 1, 1, 1, 1};
        const TensorId offsets =
            steps_.constant(constant_of({stacked, DataType::f32}, std::vector<double>{0, 1}));
        const TensorId pixels = steps_.sum(steps_.unary(UnaryKind::floor, at), offsets);
        const TensorId distance = steps_.unary(UnaryKind::absolute, steps_.difference(at, pixels));
        return {pixels, steps_.difference(steps_.scalar(1, DataType::f32), distance)};
    }

    // The index of each pixel among those of all images.
    TensorId places(const Taps& x, const Taps& y) {
        const TensorId rows = steps_.product(y.pixels, static_cast<double>(image_[3]));
        TensorId places = steps_.sum(rows, x.pixels);
        if (image_[0] > 1) {
            node_.spend(image_[0]);
            std::vector<double> firsts;
            for (std::int64_t i = 0; i < image_[0]; ++i) {
                firsts.push_back(static_cast<double>(i * image_[2] * image_[3]));
            }
            const TensorId first =
                steps_.constant(constant_of({{1, 1, image_[0], 1, 1}, DataType::f32}, firsts));
            places = steps_.sum(places, first);
        }
        return steps_.cast(places, DataType::s64);
    }

    const NodeImport& node_;
    Composition steps_;
    Dims image_;
    Dims grid_;
    Beyond beyond_;
    bool align_corners_;
    bool nearest_ = false;
};

// Coordinates of the centres of n pixels from -1 to 1, or scaled so that the outermost are -1 and
// 1.
double centre(std::int64_t i, std::int64_t n, bool align_corners) {
    const auto at = static_cast<double>(i);
    const auto count = static_cast<double>(n);
    if (!align_corners) {
        return (2 * at + 1) / count - 1;
    }
    return n == 1 ? 0 : 2 * at / (count - 1) - 1;
}

void convert_grid_sample(const NodeImport& node) {
    GridSampling(node).convert();
}

// grid[N,H,W,2] = (x, y, 1) theta[N,2,3]'.
void convert_affine_grid(const NodeImport& node) {
    const Dims size = node.integers_of_input(1);
    const Dims& theta = node.input(0).dims;
    unsupported_if(
        size.size() != 4 || theta != Dims{size[0], 2, 3} || !is_small({size[2], size[3]}),
        "it does not make a 2-D grid");
    const bool align_corners = node.integer("align_corners", 0) != 0;
    node.spend(size[2] * size[3]);
    std::vector<double> centres;
    for (std::int64_t y = 0; y < size[2]; ++y) {
        for (std::int64_t x = 0; x < size[3]; ++x) {
            centres.insert(centres.end(), {centre(x, size[3], align_corners),
                                           centre(y, size[2], align_corners), 1});
        }
    }
    Composition steps(node);
    const TensorId points =
        steps.constant(constant_of({{1, size[2] * size[3], 3}, DataType::f32}, centres));
    const TensorId turns = steps.cast(node.operand(0), DataType::f32);
    const TensorId moved = steps.add(MatMul{.transpose_b = true}, {points, turns});
    node.result(Reshape{.dims = {size[0], size[2], size[3], 2}},
                {steps.cast(moved, node.input(0).dtype)});
}

KnownResults sampled_on_grid(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const Dims& grid = node.input(1).dims;
    unsupported_if(x.dims.size() < 3 || grid.size() != x.dims.size(), "its grid does not fit");
    Dims dims = {x.dims[0], x.dims[1]};
    dims.insert(dims.end(), grid.begin() + 1, grid.end() - 1);
    return uncounted_result({dims, x.dtype});
}

}  // namespace

OnnxRows grid_rows() {
    static constexpr std::array rows = {
        OnnxRow("AffineGrid").in_floating(convert_affine_grid),
        OnnxRow("GridSample", Domain::both)
            .in_floating(convert_grid_sample)
            .shaped(sampled_on_grid),
    };
    return rows;
}

}  // namespace strata
