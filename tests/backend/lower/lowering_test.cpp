// SPDX-License-Identifier: MIT
#include "backend/lower/lowering.h"

#include "backend/lower/layers.h"
#include "backend/lower/tasks.h"
#include "backend/lower/tensors.h"
#include "graph/builder.h"

#include <gtest/gtest.h>

// A third engine with only what every engine must add. Its layouts are row-major or reversed, and
// convolutions need them reversed.
namespace strata::testing {

namespace {

enum class Order { rows, reversed };

struct Extents {
    Dims dims;
    Order order = Order::rows;

    bool operator==(const Extents&) const = default;
};

struct Somewhere {
    BufferId buffer = 0;
    Extents layout = {};
};

struct Views {
    using View = Somewhere;
    using Layout = Extents;
    using Call = std::vector<Somewhere>;

    static View view_in(BufferId buffer, const Layout& layout) { return {buffer, layout}; }
    static std::size_t bytes_of(const Layout& layout) {
        return static_cast<std::size_t>(product(layout.dims)) * sizeof(float);
    }
    static Layout layout_of(const View& view) { return view.layout; }
    static Dims dims_of(const Layout& layout) { return layout.dims; }
    static View reinterpreted(const View& view, const Layout& layout) {
        return {view.buffer, layout};
    }
    static bool same_memory(const Layout& one, const Layout& other) { return one == other; }
    static Layout rows_of(const Layout&, const Dims& dims) { return {dims}; }
    static Layout stored_layout(const Layout& wanted) { return wanted; }
    static Layout trained_layout(const Layout& wanted) { return wanted; }
    static Layout gradient_layout(const Layout& value, const Dims&) { return value; }
    static std::vector<BufferId> buffers_of(const Call& call) {
        std::vector<BufferId> buffers;
        for (const View& view : call) {
            buffers.push_back(view.buffer);
        }
        return buffers;
    }
};

class SmallLowering : public GraphLowering<SmallLowering, Views> {
public:
    SmallLowering(const Graph& graph, const Execution& execution)
        : GraphLowering(graph, execution) {}

    Extents row_layout(TensorId tensor) const { return {graph().tensors[tensor].tensor.dims}; }

    std::unique_ptr<LoweringOfLayer<SmallLowering>> make_layer(const Layer& layer) const;

    Work reorder(const Somewhere& from, const Somewhere& to) const {
        return {{"copy"}, {}, {{from, to}}};
    }

    Work sum_of(std::vector<Somewhere> terms, const Somewhere& sum) const {
        terms.push_back(sum);
        return {{"sum"}, {}, {std::move(terms)}};
    }
};

template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

class AnyLayer : public LoweringOfLayer<SmallLowering> {
public:
    using LoweringOfLayer::LoweringOfLayer;

    void forward(SmallLowering& lowering) override {
        if (std::holds_alternative<Lrn>(layer_.op)) {
            throw Refusal{"not in this engine"};
        }
        lowering.compute({{"forward"},
                          {},
                          {{lowering.value(input(0), layout_of(lowering, input(0))),
                            lowering.make_value(output(), layout_of(lowering, output()))}}});
    }

    void backward_data(SmallLowering& lowering) override {
        const Somewhere dy = lowering.gradient(output());
        lowering.compute({{"backward"},
                          {},
                          {{dy, lowering.make_gradient(input(0), layout_of(lowering, input(0)))}}});
    }

    void backward_weights(SmallLowering& lowering) override { lowering.refuse("done with data"); }

private:
    Extents layout_of(const SmallLowering& lowering, TensorId tensor) const {
        const bool reversed = std::holds_alternative<Convolution>(layer_.op);
        return {lowering.row_layout(tensor).dims, reversed ? Order::reversed : Order::rows};
    }
};

std::unique_ptr<LoweringOfLayer<SmallLowering>> SmallLowering::make_layer(
    const Layer& layer) const {
    const auto lower_listed = []<OneOf<Convolution, Activation, Lrn> T>(
                                  const Layer& one,
                                  const T&) -> std::unique_ptr<LoweringOfLayer<SmallLowering>> {
        return std::make_unique<AnyLayer>(one);
    };
    return lowering_of<SmallLowering>(layer, lower_listed);
}

void lower_update(SmallLowering& lowering, LayerId) {
    lowering.compute({{"update"}});
}

// "copy", "forward", "sum" of each step, or why it is refused.
std::vector<std::string> steps_of(const Graph& graph, Mode mode) {
    const auto program = SmallLowering(graph, {.numerics = {.mode = mode}}).run();
    std::vector<std::string> steps;
    for (const auto& planned : program.steps) {
        const Step& step = planned.step;
        steps.push_back(step.runs() ? step.implementation : step.refusal());
    }
    return steps;
}

// One image, read by this number of layers of the operator.
Graph read_by(std::size_t readers, const Op& op) {
    GraphBuilder builder("readers");
    TensorId image = builder.input("image", {{2, 3, 4, 4}, DataType::f32});
    image = builder.add("first", Activation{}, {image});
    for (std::size_t i = 0; i < readers; ++i) {
        builder.add("reader" + std::to_string(i), op, {image});
    }
    return builder.finish();
}

const Convolution convolution = {.out_channels = 3, .kernel = {1, 1}};

}  // namespace

using Steps = std::vector<std::string>;

TEST(Lowering, MakesACopyInAnotherLayoutOnceForAllReaders) {
    EXPECT_EQ(steps_of(read_by(2, convolution), Mode::inference),
              (Steps{"forward", "copy", "forward", "forward"}));
    EXPECT_EQ(steps_of(read_by(2, Activation{}), Mode::inference),
              (Steps{"forward", "forward", "forward"}));
}

TEST(Lowering, ContinuesWithDrawnValuesAfterALayerThatIsRefused) {
    GraphBuilder builder("refused");
    TensorId x = builder.input("image", {{2, 3, 4, 4}, DataType::f32});
    x = builder.add("norm", Lrn{}, {x});
    builder.add("relu", Activation{}, {x});
    const Graph graph = builder.finish();
    EXPECT_EQ(steps_of(graph, Mode::inference), (Steps{"lrn: not in this engine", "forward"}));
}

TEST(Lowering, RefusesAnOperatorWithoutALoweringInTheEngine) {
    GraphBuilder builder("lacking");
    TensorId x = builder.input("image", {{2, 3, 4, 4}, DataType::f32});
    x = builder.add("choice", Hardmax{}, {x});
    builder.add("flat", Reshape{.dims = {2, 48}}, {x});
    EXPECT_EQ(steps_of(builder.finish(), Mode::inference),
              (Steps{"hardmax: not implemented in this backend", "alias"}));
}

TEST(Lowering, AddsTheGradientsOfSeveralReadersIntoTheFirst) {
    Execution execution;
    execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
    const Graph graph = read_by(3, Activation{});
    const auto program = SmallLowering(graph, execution).run();
    const auto sum = std::ranges::find(program.steps, StepKind::accumulate,
                                       [](const auto& planned) { return planned.step.kind; });
    ASSERT_NE(sum, program.steps.end());
    const std::vector<Somewhere>& views = sum->calls.front();
    ASSERT_EQ(views.size(), 4U);
    EXPECT_EQ(views.front().buffer, views.back().buffer);
    EXPECT_EQ(sum->step.moved.value, 4.0 * 2 * 3 * 4 * 4 * 4);
}

}  // namespace strata::testing
