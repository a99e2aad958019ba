// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/convolution/method.h"
#include "backend/cpu/onednn/program.h"
#include "backend/lower/lowering.h"

namespace strata::cpu {

// A primitive's scratch memory.
inline Bytes scratchpad_of(const dnnl::primitive_desc_base& described) {
    return {static_cast<double>(described.scratchpad_desc().get_size())};
}

// The operations on views that lowering needs.
struct OnednnViews {
    using View = TensorView;
    using Layout = Desc;
    using Call = cpu::Call;

    static TensorView view_in(BufferId buffer, const Desc& desc) { return {buffer, desc}; }
    static std::size_t bytes_of(const Desc& desc) { return desc.get_size(); }
    static const Desc& layout_of(const TensorView& view) { return view.desc; }
    static Dims dims_of(const Desc& desc) { return cpu::dims_of(desc); }
    // The library treats layouts as equal if only strides of axes with extent 1 differ.
    static TensorView reinterpreted(const TensorView& view, const Desc& desc) {
        return view.desc == desc ? view : TensorView{view.buffer, desc, view.offset};
    }
    static Desc rows_of(const Desc& desc, const Dims& dims) { return plain(dims, type_of(desc)); }
    static Desc gradient_layout(const Desc& value, const Dims&) { return value; }
    static bool same_memory(const Desc& one, const Desc& other);
    // A layout packed for one primitive cannot be filled from outside.
    static Desc stored_layout(const Desc& wanted);
    static Desc trained_layout(const Desc& wanted);
    static std::vector<BufferId> buffers_of(const Call& call);
};

// A graph while it is lowered to a program of library primitives and our own loops.
class Lowering : public GraphLowering<Lowering, OnednnViews> {
public:
    // `methods` are our own convolutions, in addition to the library's.
    Lowering(const Graph& graph, const Execution& execution, const dnnl::engine& engine,
             std::span<const ConvolutionMethod> methods);

    const PrimitiveContext& context() const { return context_; }
    const dnnl::engine& engine() const { return context_.engine; }
    const dnnl::primitive_attr& attributes() const { return context_.attributes; }
    std::span<const ConvolutionMethod> methods() const { return methods_; }
    dnnl::prop_kind forward_kind() const {
        return trains() ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
    }
    // The element type of floating-point activations.
    ElementType element_type() const {
        return execution().numerics.dtype == DataType::bf16 ? ElementType::bf16 : ElementType::f32;
    }
    // The type of this tensor: integers and booleans are f32 whatever activations are, exact up to
    // 2^24.
    ElementType element_type(TensorId tensor) const {
        return is_floating(graph().tensors[tensor].tensor.dtype) ? element_type()
                                                                 : ElementType::f32;
    }
    dnnl::memory::dims extents(TensorId tensor) const {
        return extents_of(graph().tensors[tensor].tensor);
    }

    TensorView plain_value(TensorId tensor, ElementType type = ElementType::f32) {
        return value(tensor, plain(extents(tensor), type));
    }
    TensorView make_plain_value(TensorId tensor, ElementType type = ElementType::f32) {
        return make_value(tensor, plain(extents(tensor), type));
    }
    // Whether the value already has a layout.
    bool is_placed(TensorId tensor) const { return !copies_of_value(tensor).empty(); }
    // Whether the value already exists in exactly this layout.
    bool has_value(TensorId tensor, const Desc& desc) const;
    TensorView plain_gradient(TensorId tensor, ElementType type = ElementType::f32) {
        return gradient(tensor, plain(extents(tensor), type));
    }
    TensorView make_plain_gradient(TensorId tensor) {
        return make_gradient(tensor, plain(extents(tensor), ElementType::f32));
    }
    // f32, for a layer's own use.
    TensorView make_floats(std::size_t count) {
        return make_transient(plain({static_cast<dnnl::memory::dim>(count)}, ElementType::f32));
    }

    using GraphLowering::compute;
    void compute(StepText text, std::vector<Call> calls, Bytes workspace = {}) {
        compute(Work{std::move(text), workspace, std::move(calls)});
    }
    // Adds a step of our own loops.
    void compute_by_loops(std::string layout, Call call) {
        compute({"strata:loops", std::move(layout)}, {std::move(call)});
    }
    // Adds a step of one primitive.
    template <class Primitive>
    void compute(const typename Primitive::primitive_desc& described, std::string layout,
                 Arguments arguments, std::string algorithm = {}, StepChoice choice = {}) {
        compute(
            {described.impl_info_str(), std::move(layout), std::move(algorithm), std::move(choice)},
            {call<Primitive>(described, std::move(arguments))}, scratchpad_of(described));
    }
    template <class Primitive>
    Call call(const typename Primitive::primitive_desc& described, Arguments arguments) {
        const Desc scratch = described.scratchpad_desc();
        reserve_scratchpad(scratch.get_size());
        arguments.emplace_back(DNNL_ARG_SCRATCHPAD, TensorView{scratchpad, scratch});
        return PrimitiveCall{Primitive(described), std::move(arguments)};
    }
    // Memory that a step may use while it runs, with room to align its start.
    TensorView scratch(Bytes bytes, std::size_t alignment);
    // Memory that a call before the first iteration passes to the next call; all of them share it.
    TensorView preparation_memory(const Desc& desc);
    // A copy into another layout or type, for a step of several calls.
    Call reorder_call(const TensorView& from, const TensorView& to);
    // The sum of views with equal layout; `sum` may be the first of them.
    Work sum_of(const std::vector<TensorView>& terms, const TensorView& sum);

private:
    friend GraphLowering;
    static constexpr BufferId scratchpad = 0;

    std::unique_ptr<LoweringOfLayer<Lowering>> make_layer(const Layer& layer) const;
    Desc row_layout(TensorId tensor) const { return plain(extents(tensor), element_type(tensor)); }
    Work reorder(const TensorView& from, const TensorView& to);
    // Our own loop for a reorder that the library does slowly; nothing if it is another one.
    static std::optional<Call> packing_of(const TensorView& from, const TensorView& to);
    template <class Doing>
    static void refusing(const Doing& doing);
    void reserve_scratchpad(std::size_t bytes);

    PrimitiveContext context_;
    std::span<const ConvolutionMethod> methods_;
    std::optional<BufferId> preparation_memory_;
};

}  // namespace strata::cpu

extern template class strata::GraphLowering<strata::cpu::Lowering, strata::cpu::OnednnViews>;
