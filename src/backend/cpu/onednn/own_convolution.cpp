// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/own_convolution.h"

#include "backend/cpu/onednn/channel_layout.h"
#include "backend/cpu/onednn/convolution_choice.h"
#include "backend/cpu/onednn/isa.h"
#include "base/unit_text.h"
#include "graph/expected_algorithm.h"
#include "graph/memory.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace strata::cpu {

namespace {

using Tag = dnnl::memory::format_tag;

constexpr std::array image_tags = {Tag::abcd, Tag::aBcd8b, Tag::aBcd16b, Tag::acdb, Tag::bcda};
constexpr std::array filter_tags = {Tag::abcd, Tag::ABcd8b8a, Tag::ABcd16b16a};
constexpr std::array grouped_filter_tags = {Tag::abcde, Tag::aBCde8c8b, Tag::aBCde16c16b};
constexpr std::array image_orders = {ImageOrder::nchw, ImageOrder::nchw8c, ImageOrder::nchw16c,
                                     ImageOrder::nhwc, ImageOrder::chwn};
constexpr std::array filter_orders = {FilterOrder::oihw, FilterOrder::oihw8i8o,
                                      FilterOrder::oihw16i16o};

constexpr std::size_t page = 4096;

// Limit for a layer's weights. Spectra of whole planes take more: sixteen layers would fill a
// machine.
constexpr Bytes max_kept{512.0 * 1024 * 1024};

// The order with the same layout as this description.
template <class Orders, class LayoutOf>
auto order_of(const Desc& desc, const Orders& orders, const LayoutOf& layout_of)
    -> std::optional<typename Orders::value_type> {
    if (type_of(desc) != ElementType::f32) {
        return {};
    }
    const auto found = std::ranges::find_if(
        orders, [&](auto order) { return layout_of(order, dims_of(desc)) == desc; });
    return found == orders.end() ? std::nullopt : std::optional(*found);
}

const ConvolutionMethod& method_named(std::span<const ConvolutionMethod> methods,
                                      std::string_view name) {
    const auto found = std::ranges::find(methods, name, &ConvolutionMethod::name);
    if (found == methods.end()) {
        throw Refusal{"strata has no such algorithm for processors yet"};
    }
    return *found;
}

// Blocks of channels as wide as a register.
ImageOrder blocked_order() {
    switch (effective_isa()) {
        case Isa::avx512:
            return ImageOrder::nchw16c;
        case Isa::avx2:
            return ImageOrder::nchw8c;
        default:
            return ImageOrder::nchw;
    }
}

FilterOrder filter_order_beside(ImageOrder image) {
    switch (image) {
        case ImageOrder::nchw16c:
            return FilterOrder::oihw16i16o;
        case ImageOrder::nchw8c:
            return FilterOrder::oihw8i8o;
        default:
            return FilterOrder::oihw;
    }
}

std::int64_t block_of(ImageOrder order) {
    return order == ImageOrder::nchw16c ? 16 : order == ImageOrder::nchw8c ? 8 : 1;
}

// The orders that a method reads and writes: only the direct convolution has loops over the batch;
// for the others the images are reordered.
OperandOrders taken_by(std::string_view method, OperandOrders orders) {
    if (method != direct_method) {
        for (ImageOrder* order : {&orders.x, &orders.y}) {
            *order = *order == ImageOrder::chwn ? ImageOrder::nchw : *order;
        }
    }
    return orders;
}

std::byte* next_page(void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return static_cast<std::byte*>(address) + (page - at % page) % page;
}

// What the method keeps of constant weights, computed before the first run; the weights themselves
// if it keeps nothing.
TensorView kept_of(Lowering& lowering, const std::shared_ptr<const PreparedConvolution>& prepared,
                   const TensorView& weight) {
    const KeptWeights kept = prepared->kept_weights();
    const auto floats = static_cast<dnnl::memory::dim>(kept.bytes.value / sizeof(float));
    if (floats == 0) {
        return weight;
    }
    const TensorView made = lowering.make_persistent(plain({floats}, ElementType::f32));
    lowering.compute_once(KernelCall{
        [prepared, make = kept.make](std::span<void* const> at) {
            make(static_cast<const float*>(at[0]), static_cast<float*>(at[1]), next_page(at[2]));
        },
        {weight, made, lowering.scratch(prepared->workspace(), page)}});
    return made;
}

}  // namespace

Desc layout_of_image(ImageOrder order, const dnnl::memory::dims& dims) {
    return {dims, ElementType::f32, image_tags.at(static_cast<std::size_t>(order))};
}

Desc layout_of_filter(FilterOrder order, const dnnl::memory::dims& dims) {
    const auto& tags = dims.size() == 5 ? grouped_filter_tags : filter_tags;
    return {dims, ElementType::f32, tags.at(static_cast<std::size_t>(order))};
}

std::optional<ImageOrder> image_order_of(const Desc& desc) {
    return dims_of(desc).size() == 4 ? order_of(desc, image_orders, layout_of_image) : std::nullopt;
}

std::optional<FilterOrder> filter_order_of(const Desc& desc) {
    const std::size_t axes = dims_of(desc).size();
    return axes == 4 || axes == 5 ? order_of(desc, filter_orders, layout_of_filter) : std::nullopt;
}

std::optional<ImageOrder> OwnConvolution::asked_order(Lowering& lowering) const {
    const ImageLayout asked = lowering.execution().engine.image_layout;
    return asked == ImageLayout::automatic
               ? std::nullopt
               : image_order_of(asked_layout(asked, lowering.extents(image()), ElementType::f32));
}

ConvolutionProblem OwnConvolution::problem(const Lowering& lowering, Pass pass) const {
    const auto& tensors = lowering.graph().tensors;
    const Tensor& x = tensors[image()].tensor;
    return {.pass = pass,
            .x = x.dims,
            .weight = tensors[weight()].tensor.dims,
            .y = tensors[result()].tensor.dims,
            .window = window_of(op, x),
            .groups = op.groups,
            .bias = fuses_bias && pass != Pass::backward_data,
            .constant_weights = has_constant_weights(lowering, pass),
            .threads = omp_get_max_threads()};
}

// The image's present order; the gradient gets the layout of the value, which the next layers also
// use.
ImageOrder OwnConvolution::preferred_image(Lowering& lowering) const {
    if (!lowering.is_placed(image())) {
        return asked_order(lowering).value_or(ImageOrder::nchw);
    }
    return image_order_of(lowering.shaped_value(image()).desc).value_or(ImageOrder::nchw);
}

// A result that is not computed yet continues in the order of the image, or in blocks if those are
// not mostly padding.
ImageOrder OwnConvolution::preferred_result(Lowering& lowering, Pass pass, ImageOrder image) const {
    if (pass != Pass::forward) {
        return image_order_of(lowering.shaped_gradient(result()).desc).value_or(image);
    }
    if (const auto asked = asked_order(lowering)) {
        return *asked;
    }
    const ImageOrder blocked = blocked_order();
    const bool fills_blocks = op.out_channels >= block_of(blocked);
    return image == ImageOrder::nchw && fills_blocks ? blocked : image;
}

FilterOrder OwnConvolution::preferred_filter(Lowering& lowering, ImageOrder image,
                                             ImageOrder result) const {
    if (lowering.is_placed(weight())) {
        Desc present = lowering.value(weight()).desc;
        if (const auto order = filter_order_of(present)) {
            return *order;
        }
    }
    return image == result ? filter_order_beside(image) : FilterOrder::oihw;
}

OperandOrders OwnConvolution::preferred(Lowering& lowering, Pass pass) const {
    const ImageOrder x = preferred_image(lowering);
    const ImageOrder y = preferred_result(lowering, pass, x);
    return {.x = x, .weight = preferred_filter(lowering, x, y), .y = y};
}

std::optional<std::string_view> OwnConvolution::faster_than_library(const Lowering& lowering,
                                                                    Pass pass) const {
    const ImageLayout layout = lowering.execution().engine.image_layout;
    const bool is_known = lowering.element_type() == ElementType::f32 &&
                          (layout == ImageLayout::automatic || layout == ImageLayout::blocked);
    if (!is_known) {
        return {};
    }
    const auto& tensors = lowering.graph().tensors;
    const ConvolutionTask convolution = {.op = op,
                                         .x = tensors[image()].tensor,
                                         .y = tensors[result()].tensor,
                                         .pass = pass,
                                         .keeps_filters = has_constant_weights(lowering, pass)};
    const auto expected = faster_than_direct(convolution, vector_bits());
    return expected ? std::optional(name_of(expected->algorithm)) : std::nullopt;
}

bool OwnConvolution::has_constant_weights(const Lowering& lowering, Pass pass) const {
    return pass == Pass::forward && !lowering.trains() &&
           is_persistent(lowering.graph().tensors[weight()].role);
}

std::shared_ptr<const PreparedConvolution> OwnConvolution::prepare(Lowering& lowering, Pass pass,
                                                                   std::string_view method) const {
    if (lowering.element_type() != ElementType::f32) {
        throw Refusal{"bf16: it computes in f32"};
    }
    return prepare_in_f32(lowering, pass, method);
}

std::shared_ptr<const PreparedConvolution> OwnConvolution::prepare_in_f32(
    Lowering& lowering, Pass pass, std::string_view method) const {
    return prepare(lowering, problem(lowering, pass), method, preferred(lowering, pass));
}

std::shared_ptr<const PreparedConvolution> OwnConvolution::prepare(
    Lowering& lowering, const ConvolutionProblem& problem, std::string_view method,
    const OperandOrders& wanted) const {
    const OperandOrders preferred = taken_by(method, wanted);
    if (const std::size_t axes = op.kernel.size(); axes != 2) {
        throw Refusal{
            fmt::format("{} spatial {}: it needs two", axes, axes == 1 ? "axis" : "axes")};
    }
    const ConvolutionMethod& found = method_named(lowering.methods(), method);
    std::shared_ptr<const PreparedConvolution> prepared = found.prepare(problem, preferred);
    if (prepared->kept_weights().bytes > max_kept) {
        ConvolutionProblem without = problem;
        without.constant_weights = false;
        prepared = found.prepare(without, preferred);
    }
    const auto& limit = lowering.execution().engine.workspace_limit;
    if (limit && prepared->workspace() > *limit) {
        throw Refusal{fmt::format("it needs {} of workspace, more than the limit of {}",
                                  byte_size_text(prepared->workspace()), byte_size_text(*limit))};
    }
    return prepared;
}

// Places what the pass reads before what it writes, because reading may add a reorder.
OwnConvolution::Operands OwnConvolution::place(Lowering& lowering, Pass pass,
                                               const OperandOrders& orders) const {
    const Desc x = layout_of_image(orders.x, lowering.extents(image()));
    const Desc w = layout_of_filter(orders.weight, weight_dims);
    const Desc y = layout_of_image(orders.y, lowering.extents(result()));
    Operands placed;
    if (pass != Pass::backward_data) {
        placed.x = lowering.value(image(), x);
    }
    if (pass != Pass::backward_weights) {
        placed.weight = lowering.value(weight(), w);
    }
    if (pass != Pass::forward) {
        placed.y = lowering.gradient(result(), y);
    }
    switch (pass) {
        case Pass::backward_data:
            placed.x = lowering.make_gradient(image(), x);
            break;
        case Pass::backward_weights:
            placed.weight = lowering.make_gradient(weight(), w);
            break;
        default:
            placed.y = lowering.make_value(result(), y);
            break;
    }
    return placed;
}

std::optional<TensorView> OwnConvolution::place_bias(Lowering& lowering, Pass pass) const {
    if (!op.bias || pass == Pass::backward_data) {
        return {};
    }
    const TensorId bias = layer.inputs[2];
    const Desc row = plain(lowering.extents(bias), ElementType::f32);
    return pass == Pass::forward ? lowering.value(bias, row) : lowering.make_gradient(bias, row);
}

void OwnConvolution::compute(Lowering& lowering, Pass pass,
                             const std::shared_ptr<const PreparedConvolution>& prepared,
                             StepText text) const {
    Operands placed = place(lowering, pass, prepared->orders());
    const TensorView x = placed.x, y = placed.y;
    const std::optional<TensorView> bias = place_bias(lowering, pass);
    placed.bias = fuses_bias ? bias : std::nullopt;
    std::vector<Call> calls = {call_of(lowering, prepared, placed)};
    text.implementation = prepared->implementation();
    text.operations = prepared->operations();
    text.layout = pass == Pass::backward_data ? text_of(y.desc, x.desc) : text_of(x.desc, y.desc);
    if (bias && !fuses_bias) {
        calls.push_back(pass == Pass::forward ? add_bias_call(y, *bias)
                                              : bias_gradient_call(y, *bias));
        text.implementation += " + strata:loops";
    }
    lowering.compute(std::move(text), std::move(calls), prepared->workspace());
}

Call OwnConvolution::call_of(Lowering& lowering,
                             const std::shared_ptr<const PreparedConvolution>& prepared,
                             const Operands& operands) const {
    const TensorView weight = kept_of(lowering, prepared, operands.weight);
    std::vector<TensorView> views = {lowering.scratch(prepared->workspace(), page), operands.x,
                                     weight, operands.y};
    const auto place_of = [&](const std::optional<TensorView>& view) {
        if (view) {
            views.push_back(*view);
        }
        return view ? views.size() - 1 : std::size_t{0};
    };
    const std::size_t bias = place_of(operands.bias), addend = place_of(operands.addend);
    return KernelCall{[prepared, bias, addend](std::span<void* const> at) {
                          const auto floats = [&](std::size_t place) {
                              return place > 0 ? static_cast<float*>(at[place]) : nullptr;
                          };
                          prepared->run({.x = floats(1),
                                         .weight = floats(2),
                                         .bias = floats(bias),
                                         .y = floats(3),
                                         .addend = floats(addend)},
                                        next_page(at[0]));
                      },
                      std::move(views)};
}

FusedResult OwnConvolution::forward_fused(Lowering& lowering, std::string_view method,
                                          const Desc& bias, const StepText& text) const {
    if (op.bias && !fuses_bias) {
        return {Fused::no, lowering.followers().empty() ? "" : "not fused: its bias is separate"};
    }
    return lower_longest_chain(
        lowering.followers(), ChainEnd::one_follower,
        [&](const std::vector<LayerId>& followers, const std::string& apart) {
            FusedOperations fused(lowering, layer, followers, bias);
            StepText with_apart = text;
            with_apart.algorithm = with_reason(std::move(with_apart.algorithm), apart);
            forward_fused(lowering, method, followers, fused, std::move(with_apart));
        });
}

void OwnConvolution::forward_fused(Lowering& lowering, std::string_view method,
                                   const std::vector<LayerId>& followers, FusedOperations& fused,
                                   StepText text) const {
    ConvolutionProblem problem = this->problem(lowering, Pass::forward);
    problem.bias = fused.bias().get_size() > 0;
    problem.sum = fused.has_sum();
    problem.relu = fused.has_relu();
    OperandOrders wanted = preferred(lowering, Pass::forward);
    if (const auto addend = fused.layout_of_addend()) {
        wanted.y = image_order_of(*addend).value_or(wanted.y);
    }
    const auto prepared = prepare(lowering, problem, method, wanted);
    const OperandOrders orders = prepared->orders();
    if (problem.sum && method.starts_with("winograd") && orders.y == ImageOrder::nchw) {
        throw Refusal{"tiles of plain images add more slowly than a separate step"};
    }
    Operands placed;
    placed.x = lowering.value(image(), layout_of_image(orders.x, lowering.extents(image())));
    placed.weight = fused.weights(layout_of_filter(orders.weight, weight_dims));
    placed.bias = fused.bias_value();
    const FusedOperations::Result written = fused.place_result(
        fused.places().front(), layout_of_image(orders.y, lowering.extents(result())));
    placed.y = written.y;
    placed.addend = written.addend;
    text.implementation =
        prepared->implementation() + text_of_fused(lowering.graph(), FusedBias::no, followers);
    text.operations = prepared->operations();
    text.layout = text_of(placed.x.desc, placed.y.desc);
    lowering.compute(std::move(text), {call_of(lowering, prepared, placed)}, prepared->workspace());
    for (const LayerId follower : followers) {
        lowering.include(follower);
    }
}

}  // namespace strata::cpu
