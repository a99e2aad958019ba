// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"

#include <initializer_list>
#include <memory>
#include <string>

namespace strata {

// The batch of a network. Throws Error (usage) if it is not positive.
std::int64_t positive_batch(std::int64_t batch);

// Square two-dimensional windows, which almost all of the zoo's networks use.
struct SquareConvolution {
    std::int64_t channels = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t pad = 0;
    std::int64_t groups = 1;
    bool bias = true;
};

struct SquarePooling {
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t pad = 0;
    bool ceil_mode = false;
};

Convolution convolution(const SquareConvolution& window);
Pooling max_pooling(const SquarePooling& window);
Pooling average_pooling(const SquarePooling& window);
Pooling global_average_pooling();

// Builds a network layer by layer. Every layer reads the last one and becomes the last. To branch,
// `resume` at the tensor where the branch begins.
class Chain {
public:
    // Begins with the input "data" of shape [batch, 3, image, image]. Throws Error (usage) if the
    // batch is not positive.
    Chain(std::string_view name, std::int64_t batch, std::int64_t image);
    // The same with an input of another shape; the batch is outermost.
    Chain(std::string_view name, Tensor data);
    // The same for a caller that finishes the network. Requires: the sink outlives it.
    Chain(LayerSink& sink, std::int64_t batch, std::int64_t image);
    Chain(LayerSink& sink, Tensor data);

    Chain& add(std::string name, Op op);
    Chain& relu(std::string name);
    // Dropouts draw different masks: each has its own seed.
    Chain& dropout(std::string name, double probability = 0.5);
    // Appends a layer that reads these tensors.
    Chain& join(std::string name, Op op, std::span<const TensorId> from);
    Chain& join(std::string name, Op op, std::initializer_list<TensorId> from);

    // An input of a layer that is neither an activation nor one of its own parameters.
    TensorId constant(std::string name, Tensor tensor, Role role);

    TensorId last() const { return last_; }
    const Dims& dims() const { return sink_->tensor(last_).dims; }
    std::int64_t channels() const { return dims().at(1); }
    Chain& resume(TensorId at);

    // Ends with "loss" on the last layer and the input "labels".
    void end_with_loss();
    Graph with_loss();
    // Requires: this object owns its sink.
    Graph finish();

private:
    std::unique_ptr<GraphBuilder> own_;
    LayerSink* sink_;
    TensorId last_;
    std::int64_t dropouts_ = 0;
};

}  // namespace strata
