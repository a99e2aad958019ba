// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/program.h"
#include "backend/cuda/device/properties.h"
#include "backend/lower/lowering.h"

#include <map>
#include <memory>
#include <set>

namespace strata::cuda {

struct BuiltPlan;
struct PlanChoice;

// Whether attention and recurrent layers use cuDNN's whole-layer functions, if those compute the
// same, or are composed of products and kernels.
enum class LayerForm { library, composed };

// The operations on views that lowering needs.
struct CudaViews {
    using View = TensorView;
    using Call = cuda::Call;
    struct Layout {
        Dims dims;
        Format format;

        // For tensors that are not images the two orders are the same.
        bool operator==(const Layout& other) const;
    };

    static TensorView view_in(BufferId buffer, const Layout& layout) {
        return {buffer, layout.dims, layout.format};
    }
    static std::size_t bytes_of(const Layout& layout) { return view_in({}, layout).bytes(); }
    static Layout layout_of(const TensorView& view) { return {view.dims, view.format}; }
    static const Dims& dims_of(const Layout& layout) { return layout.dims; }
    static TensorView reinterpreted(const TensorView& view, const Layout& layout) {
        return {view.buffer, layout.dims, layout.format, view.offset};
    }
    static Layout rows_of(const Layout& layout, const Dims& dims) {
        return {dims, {layout.format.type, Order::rows}};
    }
    static Layout gradient_layout(const Layout& value, const Dims& dims) {
        return {dims, value.format};
    }
    static bool same_memory(const Layout& one, const Layout& other) { return one == other; }
    static Layout stored_layout(const Layout& wanted) { return wanted; }
    static Layout trained_layout(const Layout& wanted) {
        return {wanted.dims, {ElementType::f32, wanted.format.order}};
    }
    static std::vector<BufferId> buffers_of(const Call& call);
};

// A graph while it is lowered to a program of library calls and our own kernels. Needs no GPU, only
// its `properties`.
class Lowering : public GraphLowering<Lowering, CudaViews> {
public:
    Lowering(const Graph& graph, const Execution& execution, const DeviceProperties& properties,
             LayerForm layer_form = LayerForm::library);

    const DeviceProperties& properties() const { return properties_; }
    LayerForm layer_form() const { return layer_form_; }

    const Dims& dims(TensorId tensor) const { return graph().tensors[tensor].tensor.dims; }
    // The element type of floating-point activations.
    ElementType element_type() const;
    // The type in which a layer computes this tensor's value: integers and booleans are f32.
    ElementType element_type(TensorId tensor) const;
    // The format of a row-major value of this tensor.
    Format row_format(TensorId tensor) const { return {element_type(tensor), Order::rows}; }

    // The value with the tensor's own extents, in this format.
    using GraphLowering::value;
    TensorView value(TensorId tensor, Format wanted) {
        return value(tensor, layout(tensor, wanted));
    }
    TensorView row_value(TensorId tensor) { return value(tensor, row_layout(tensor)); }
    TensorView make_value(TensorId tensor, Format format) {
        return GraphLowering::make_value(tensor, layout(tensor, format));
    }
    using GraphLowering::gradient;
    TensorView gradient(TensorId tensor, Format wanted) {
        return gradient(tensor, layout(tensor, wanted));
    }
    TensorView row_gradient(TensorId tensor) { return gradient(tensor, row_layout(tensor)); }
    TensorView make_gradient(TensorId tensor, Format format) {
        return GraphLowering::make_gradient(tensor, layout(tensor, format));
    }
    TensorView make_transient(Dims dims, Format format) {
        return GraphLowering::make_transient({std::move(dims), format});
    }
    TensorView make_persistent(Dims dims, Format format, std::function<HostValues()> values = {}) {
        return GraphLowering::make_persistent({std::move(dims), format}, std::move(values));
    }

    using GraphLowering::compute;
    void compute(StepText text, std::vector<Call> calls);
    // Adds a step of one kernel, which also names it.
    void compute(Kernel kernel, std::vector<TensorView> views);

    // The library's plan for this key, shared by all layers with the same problem; empty until the
    // first has built it.
    std::shared_ptr<const BuiltPlan>& plan(const std::string& key) { return plans_[key]; }
    // The same if a device may choose among several plans.
    std::shared_ptr<PlanChoice>& plan_choice(const std::string& key) { return plan_choices_[key]; }
    // Whether this plan is requested for the first time; if it does not exist, it is not searched
    // for again.
    bool seeks_plan(const std::string& key) { return sought_plans_.insert(key).second; }
    // The optimizer's state that all parameters share; created on first use.
    std::optional<TensorView>& optimizer_state() { return optimizer_state_; }

private:
    friend GraphLowering;

    std::unique_ptr<LoweringOfLayer<Lowering>> make_layer(const Layer& layer) const;
    Layout layout(TensorId tensor, Format format) const { return {dims(tensor), format}; }
    Layout row_layout(TensorId tensor) const { return layout(tensor, row_format(tensor)); }
    Work reorder(const TensorView& from, const TensorView& to) const;
    Work sum_of(const std::vector<TensorView>& terms, const TensorView& sum) const;

    DeviceProperties properties_;
    LayerForm layer_form_;
    std::map<std::string, std::shared_ptr<const BuiltPlan>> plans_;
    std::map<std::string, std::shared_ptr<PlanChoice>> plan_choices_;
    std::set<std::string> sought_plans_;
    std::optional<TensorView> optimizer_state_;
};

}  // namespace strata::cuda

extern template class strata::GraphLowering<strata::cuda::Lowering, strata::cuda::CudaViews>;

namespace strata::cuda {

class LayerLowering : public LoweringOfLayer<Lowering> {
public:
    using LoweringOfLayer::LoweringOfLayer;
};

// THE list: one lowering function for each operator. Operators not in it are refused.
using Made = std::unique_ptr<LayerLowering>;
Made lower(const Layer& layer, const Convolution& op);
Made lower(const Layer& layer, const FullyConnected& op);
Made lower(const Layer& layer, const MatMul& op);
Made lower(const Layer& layer, const Pooling& op);
Made lower(const Layer& layer, const Lrn& op);
Made lower(const Layer& layer, const BatchNormalization& op);
Made lower(const Layer& layer, const Activation& op);
Made lower(const Layer& layer, const Softmax& op);
Made lower(const Layer& layer, const Dropout& op);
Made lower(const Layer& layer, const Elementwise& op);
Made lower(const Layer& layer, const Concat& op);
Made lower(const Layer& layer, const Transpose& op);
Made lower(const Layer& layer, const Pad& op);
Made lower(const Layer& layer, const SoftmaxCrossEntropy& op);
Made lower(const Layer& layer, const Recurrent& op);
Made lower(const Layer& layer, const Embedding& op);
Made lower(const Layer& layer, const LayerNormalization& op);
Made lower(const Layer& layer, const GroupNormalization& op);
Made lower(const Layer& layer, const Attention& op);
Made lower(const Layer& layer, const Gather& op);
Made lower(const Layer& layer, const Slice& op);
Made lower(const Layer& layer, const Reduction& op);
Made lower(const Layer& layer, const Resize& op);
Made lower(const Layer& layer, const TransposedConvolution& op);
Made lower(const Layer& layer, const TopK& op);
Made lower(const Layer& layer, const Hardmax& op);
Made lower(const Layer& layer, const Expand& op);
Made lower(const Layer& layer, const Cast& op);
Made lower(const Layer& layer, const Unary& op);
Made lower(const Layer& layer, const Select& op);
Made lower(const Layer& layer, const Identity& op);

// Updates the layer's parameters: m = momentum * m + gradient; w = w - rate * m, on f32 master
// values.
void lower_update(Lowering& lowering, LayerId layer);

}  // namespace strata::cuda
