// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/lowering.h"

#include "backend/cpu/kernels/pack_weights.h"
#include "backend/cpu/kernels/small_gemm.h"
#include "backend/cpu/onednn/choose.h"
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/lower/layers.h"
#include "backend/lower/tasks.h"
#include "backend/lower/tensors.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// User-managed scratchpads, so that their size is known and one block of memory serves all.
dnnl::primitive_attr user_scratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

Desc plain_floats(const Desc& desc) {
    return plain(dims_of(desc), ElementType::f32);
}

}  // namespace

bool OnednnViews::same_memory(const Desc& one, const Desc& other) {
    return one == other || (dims_of(one) == dims_of(other) && type_of(one) == type_of(other) &&
                            is_plain(one) && is_plain(other));
}

Desc OnednnViews::stored_layout(const Desc& wanted) {
    return is_blocked(wanted) ? wanted : plain_floats(wanted);
}

Desc OnednnViews::trained_layout(const Desc& wanted) {
    return is_blocked(wanted) && type_of(wanted) == ElementType::f32 ? wanted
                                                                     : plain_floats(wanted);
}

std::vector<BufferId> OnednnViews::buffers_of(const Call& call) {
    std::vector<BufferId> buffers;
    if (const auto* primitive = std::get_if<PrimitiveCall>(&call)) {
        for (const auto& [argument, view] : primitive->arguments) {
            buffers.push_back(view.buffer);
        }
    } else {
        for (const TensorView& view : std::get<KernelCall>(call).views) {
            buffers.push_back(view.buffer);
        }
    }
    return buffers;
}

Lowering::Lowering(const Graph& graph, const Execution& execution, const dnnl::engine& engine,
                   std::span<const ConvolutionMethod> methods)
    : GraphLowering(graph, execution), context_{engine, user_scratchpad()}, methods_(methods) {
    add_buffer(0, Life::persistent);
}

std::unique_ptr<LoweringOfLayer<Lowering>> Lowering::make_layer(const Layer& layer) const {
    const auto make = [](const Layer& one, const auto& op) -> decltype(cpu::lower(one, op)) {
        return cpu::lower(one, op);
    };
    return lowering_of<Lowering>(layer, make);
}

template <class Doing>
void Lowering::refusing(const Doing& doing) {
    try {
        doing();
    } catch (const dnnl::error& error) {
        throw Refusal{library_refusal(error)};
    }
}

void Lowering::reserve_scratchpad(std::size_t bytes) {
    auto& reserved = buffer(scratchpad).bytes;
    reserved = std::max(reserved, bytes);
}

TensorView Lowering::scratch(Bytes bytes, std::size_t alignment) {
    const std::size_t size = static_cast<std::size_t>(bytes.value) + alignment;
    reserve_scratchpad(size);
    return {scratchpad, plain({static_cast<dnnl::memory::dim>(size)}, ElementType::u8)};
}

TensorView Lowering::preparation_memory(const Desc& desc) {
    if (!preparation_memory_) {
        preparation_memory_ = add_buffer(0, Life::persistent);
    }
    auto& reserved = buffer(*preparation_memory_).bytes;
    reserved = std::max(reserved, desc.get_size());
    return {*preparation_memory_, desc};
}

bool Lowering::has_value(TensorId tensor, const Desc& desc) const {
    return std::ranges::count(copies_of_value(tensor), desc, &TensorView::desc) > 0;
}

Lowering::Work Lowering::reorder(const TensorView& from, const TensorView& to) {
    if (auto packing = packing_of(from, to)) {
        return {{"strata:loops", text_of(from.desc, to.desc)}, {}, {std::move(*packing)}};
    }
    const dnnl::reorder::primitive_desc described(engine(), from.desc, engine(), to.desc,
                                                  attributes());
    return {{described.impl_info_str(), text_of(from.desc, to.desc)},
            scratchpad_of(described),
            {call<dnnl::reorder>(described, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}})}};
}

// Masters of weights in f32, for the products in bf16.
std::optional<Call> Lowering::packing_of(const TensorView& from, const TensorView& to) {
    using Tag = dnnl::memory::format_tag;
    constexpr auto panel = static_cast<dnnl::memory::dim>(panel_columns);
    const auto dims = dims_of(from.desc);
    if (dims.size() != 2 || dims[0] % panel != 0 || dims[1] % panel != 0 ||
        !library_uses(dnnl::cpu_isa::avx512_core_bf16) ||
        from.desc != Desc(dims, ElementType::f32, Tag::AB16b64a)) {
        return std::nullopt;
    }
    const PanelExtents extents = {static_cast<std::size_t>(dims[0]),
                                  static_cast<std::size_t>(dims[1])};
    if (to.desc == Desc(dims, ElementType::bf16, Tag::AB16b64a2b)) {
        return loop_call(pack_weights, {from, to}, extents);
    }
    if (to.desc == Desc(dims, ElementType::bf16, Tag::BA16a64b2a)) {
        return loop_call(pack_transposed_weights, {from, to}, extents);
    }
    return std::nullopt;
}

Call Lowering::reorder_call(const TensorView& from, const TensorView& to) {
    return std::move(reorder(from, to).calls.front());
}

}  // namespace strata::cpu

template class strata::GraphLowering<strata::cpu::Lowering, strata::cpu::OnednnViews>;
