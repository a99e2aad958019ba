// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/onednn/lowering.h"
#include "backend/lower/axis.h"

namespace strata::cpu {

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

}  // namespace strata::cpu
