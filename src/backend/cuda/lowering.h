// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/program.h"
#include "backend/cuda/device/properties.h"
#include "backend/lower/lowering.h"
#include "graph/fuse.h"

#include <map>
#include <memory>
#include <set>

namespace strata::cuda {

struct BuiltPlan;
struct PlanChoice;

// Whether attention and recurrent layers are left to what cuDNN has for a whole layer, where it
// computes the same, or composed of products and kernels.
enum class LayerForm { library, composed };

// What lowering asks of these views.
struct CudaViews {
    using View = TensorView;
    using Call = cuda::Call;
    struct Layout {
        Dims dims;
        Format format;

        // Of images without channels or extents both orders are the same.
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

// A graph on its way to a program of libraries' calls and kernels of our own. Needs no GPU: only
// what `properties` says of one.
class Lowering : public GraphLowering<Lowering, CudaViews> {
public:
    Lowering(const Graph& graph, const Execution& execution, const DeviceProperties& properties,
             LayerForm layer_form = LayerForm::library);

    const DeviceProperties& properties() const { return properties_; }
    LayerForm layer_form() const { return layer_form_; }

    const Dims& dims(TensorId tensor) const { return graph().tensors[tensor].tensor.dims; }
    // Of activations that are numbers with a fraction.
    ElementType element_type() const;
    // Of this tensor's value where a layer computes it: integers and booleans are f32.
    ElementType element_type(TensorId tensor) const;
    // The format of a row-major value of this tensor.
    Format row_format(TensorId tensor) const { return {element_type(tensor), Order::rows}; }

    // With the tensor's own extents in this format.
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
    // A step of one kernel, which gives it its name.
    void compute(Kernel kernel, std::vector<TensorView> views);

    // The layers that may be done in one operation with the task's layer, where that is asked for.
    std::vector<LayerId> followers() const;

    // The library's plan of this name, made once for all layers with the same problem; empty until
    // the first has made it.
    std::shared_ptr<const BuiltPlan>& plan(const std::string& key) { return plans_[key]; }
    // The same where a device may choose among several.
    std::shared_ptr<PlanChoice>& plan_choice(const std::string& key) { return plan_choices_[key]; }
    // Whether this plan is asked for the first time: what there is not need not be sought again.
    bool seeks_plan(const std::string& key) { return sought_plans_.insert(key).second; }
    // What the optimizer counts over all parameters; made by the first that asks for it.
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
    std::vector<FusedChain> chains_;
    std::map<std::string, std::shared_ptr<const BuiltPlan>> plans_;
    std::map<std::string, std::shared_ptr<PlanChoice>> plan_choices_;
    std::set<std::string> sought_plans_;
    std::optional<TensorView> optimizer_state_;
};

}  // namespace strata::cuda

extern template class strata::GraphLowering<strata::cuda::Lowering, strata::cuda::CudaViews>;
