// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/layer_lowering.h"
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

protected:
    void compute(Lowering& lowering, std::vector<Call> calls) const override {
        Bytes workspace;
        for (const auto& one : cells()) {
            workspace = std::max(workspace, one->workspace());
        }
        const auto x = lowering.extents(input(0));
        const Desc rows = CellLowering::rows({x[0] * x[1], x[2]});
        lowering.compute({cells().front()->implementation() + " and strata:loops", text_of(rows)},
                         std::move(calls), workspace);
    }
};

}  // namespace

Made lower(const Layer& layer, const Recurrent& op) {
    return std::make_unique<RecurrentLowering>(layer, op);
}

}  // namespace strata::cpu
