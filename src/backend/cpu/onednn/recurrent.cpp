// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layer_lowering.h"
#include "backend/cpu/onednn/linear_choice.h"
#include "backend/cpu/onednn/recurrent_cell.h"
#include "backend/cpu/onednn/view_calls.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// Products by the library and our own loops: with oneDNN 2.6 faster in training than its recurrent
// primitives, and the backward pass can be split into those for the data and the weights.
class RecurrentLowering : public StackedRecurrent<Lowering, CellLowering, LayerLowering> {
public:
    using StackedRecurrent::StackedRecurrent;

    void forward(Lowering& lowering) override {
        pass_ = Pass::forward;
        StackedRecurrent::forward(lowering);
    }
    void backward_data(Lowering& lowering) override {
        pass_ = Pass::backward_data;
        StackedRecurrent::backward_data(lowering);
    }
    void backward_weights(Lowering& lowering) override {
        pass_ = Pass::backward_weights;
        StackedRecurrent::backward_weights(lowering);
    }

protected:
    void compute(Lowering& lowering, std::vector<Call> calls) const override {
        Bytes workspace;
        for (const auto& one : cells()) {
            workspace = std::max(workspace, one->workspace());
        }
        const auto x = lowering.extents(input(0));
        const Desc rows = CellLowering::rows({x[0] * x[1], x[2]});
        StepText text = text_of_choice(lowering);
        text.implementation = cells().front()->implementation() + " and strata:loops";
        text.layout = text_of(rows);
        lowering.compute(std::move(text), std::move(calls), workspace);
    }

private:
    // Products of single steps are unchanged: in panels, if they are small enough.
    StepText text_of_choice(const Lowering& lowering) const {
        const AskedLinear asked = asked_linear(lowering, layer_, pass_);
        const bool is_for_others = asked.algorithm == LinearAlgorithm::panels ||
                                   asked.algorithm == LinearAlgorithm::transposed;
        std::string reason =
            is_for_others ? "recurrent layers choose between matmul and inner-product" : "";
        for (const auto& cell : cells()) {
            reason = reason.empty() ? cell->refusal() : reason;
        }
        return cpu::text_of(asked, reason);
    }

    Pass pass_ = Pass::forward;  // that is lowered
};

}  // namespace

Made lower(const Layer& layer, const Recurrent& op) {
    return std::make_unique<RecurrentLowering>(layer, op);
}

}  // namespace strata::cpu
