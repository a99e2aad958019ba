// SPDX-License-Identifier: MIT
#include "backend/cuda/lowering.h"

#include "backend/cuda/kernel_calls.h"
#include "backend/cuda/kernels/movement.h"
#include "backend/cuda/kernels/reduction.h"
#include "backend/lower/layers.h"
#include "backend/lower/tasks.h"
#include "backend/lower/tensors.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata::cuda {

namespace {

bool reads_past_l1(const std::vector<Call>& calls) {
    return std::ranges::any_of(calls, [](const Call& call) {
        const auto* kernel = std::get_if<Kernel>(&call.function);
        return kernel != nullptr && kernel->reads == Reads::past_l1;
    });
}

Lowering::Work work_of(StepText text, std::vector<Call> calls) {
    text.implementation += reads_past_l1(calls) ? " past L1" : "";
    std::size_t workspace = 0;
    for (const Call& call : calls) {
        workspace = std::max(workspace, workspace_of(call));
    }
    return {std::move(text), Bytes{static_cast<double>(workspace)}, std::move(calls)};
}

}  // namespace

std::size_t workspace_of(const Call& call) {
    const auto* library = std::get_if<std::shared_ptr<LibraryCall>>(&call.function);
    return library ? (*library)->workspace() : 0;
}

TensorView part_of(const TensorView& view, std::int64_t first_element, Dims dims) {
    const auto begin = static_cast<std::size_t>(first_element) * size_in_bytes(view.format.type);
    return {view.buffer, std::move(dims), view.format, view.offset + begin};
}

bool CudaViews::Layout::operator==(const Layout& other) const {
    return dims == other.dims && format.type == other.format.type &&
           (format.order == other.format.order || !has_channel_order(dims));
}

std::vector<BufferId> CudaViews::buffers_of(const Call& call) {
    std::vector<BufferId> buffers;
    for (const TensorView& view : call.views) {
        buffers.push_back(view.buffer);
    }
    return buffers;
}

Lowering::Lowering(const Graph& graph, const Execution& execution,
                   const DeviceProperties& properties, LayerForm layer_form)
    : GraphLowering(graph, execution), properties_(properties), layer_form_(layer_form) {}

std::unique_ptr<LoweringOfLayer<Lowering>> Lowering::make_layer(const Layer& layer) const {
    const auto make = [](const Layer& one, const auto& op) -> decltype(cuda::lower(one, op)) {
        return cuda::lower(one, op);
    };
    return lowering_of<Lowering>(layer, make);
}

ElementType Lowering::element_type() const {
    switch (execution().numerics.dtype) {
        case DataType::f16:
            return ElementType::f16;
        case DataType::bf16:
            return ElementType::bf16;
        default:
            return ElementType::f32;
    }
}

ElementType Lowering::element_type(TensorId tensor) const {
    return is_floating(graph().tensors[tensor].tensor.dtype) ? element_type() : ElementType::f32;
}

// Without calls the result is the input, in its memory.
void Lowering::compute(StepText text, std::vector<Call> calls) {
    if (calls.empty()) {
        text.implementation = alias_implementation;
    }
    compute(work_of(std::move(text), std::move(calls)));
}

void Lowering::compute(Kernel kernel, std::vector<TensorView> views) {
    StepText text = {kernel.name, text_of(views.front().dims, views.front().format)};
    compute(std::move(text), {Call{std::move(kernel), std::move(views)}});
}

Lowering::Work Lowering::reorder(const TensorView& from, const TensorView& to) const {
    Kernel kernel = strided_copy("strata:reorder", from.dims, side_of(from), side_of(to));
    return work_of({"strata:reorder", fmt::format("{} -> {}", text_of(from.dims, from.format),
                                                  text_of(to.dims, to.format))},
                   {Call{std::move(kernel), {from, to}}});
}

Lowering::Work Lowering::sum_of(const std::vector<TensorView>& terms, const TensorView& sum) const {
    return work_of({"strata:sum", text_of(sum.dims, sum.format)}, sum_calls(terms, sum));
}

}  // namespace strata::cuda

template class strata::GraphLowering<strata::cuda::Lowering, strata::cuda::CudaViews>;
