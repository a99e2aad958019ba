// SPDX-License-Identifier: MIT
#include "networks/zoo/chain.h"

#include "base/error.h"

#include <fmt/format.h>

#include <utility>

namespace strata {

namespace {

Pooling pooling(PoolingKind kind, const SquarePooling& window) {
    Pooling layer;
    layer.kind = kind;
    layer.kernel = Dims(2, window.kernel);
    layer.stride = Dims(2, window.stride);
    layer.pad_begin = layer.pad_end = window.pad == 0 ? Dims{} : Dims(2, window.pad);
    layer.ceil_mode = window.ceil_mode;
    return layer;
}

Tensor with_positive_batch(Tensor data) {
    positive_batch(data.dims.at(0));
    return data;
}

}  // namespace

std::int64_t positive_batch(std::int64_t batch) {
    if (batch < 1) {
        throw Error(fmt::format("batch is {}; it must be at least 1", batch), ExitCode::usage);
    }
    return batch;
}

Convolution convolution(const SquareConvolution& window) {
    Convolution layer;
    layer.out_channels = window.channels;
    layer.kernel = Dims(2, window.kernel);
    layer.stride = window.stride == 1 ? Dims{} : Dims(2, window.stride);
    layer.pad_begin = layer.pad_end = window.pad == 0 ? Dims{} : Dims(2, window.pad);
    layer.groups = window.groups;
    layer.bias = window.bias;
    return layer;
}

Pooling max_pooling(const SquarePooling& window) {
    return pooling(PoolingKind::max, window);
}

Pooling average_pooling(const SquarePooling& window) {
    return pooling(PoolingKind::average, window);
}

Pooling global_average_pooling() {
    return {.kind = PoolingKind::average, .global = true};
}

Chain::Chain(std::string_view name, std::int64_t batch, std::int64_t image)
    : Chain(name, {{batch, 3, image, image}}) {}

Chain::Chain(std::string_view name, Tensor data)
    : own_(std::make_unique<GraphBuilder>(std::string(name))),
      sink_(own_.get()),
      last_(sink_->input("data", with_positive_batch(std::move(data)), Role::input)) {}

Chain::Chain(LayerSink& sink, std::int64_t batch, std::int64_t image)
    : Chain(sink, {{batch, 3, image, image}}) {}

Chain::Chain(LayerSink& sink, Tensor data)
    : sink_(&sink), last_(sink.input("data", with_positive_batch(std::move(data)), Role::input)) {}

Chain& Chain::add(std::string name, Op op) {
    return join(std::move(name), std::move(op), {last_});
}

Chain& Chain::relu(std::string name) {
    return add(std::move(name), Activation{});
}

Chain& Chain::dropout(std::string name, double probability) {
    return add(std::move(name), Dropout{.probability = probability, .seed = dropouts_++});
}

Chain& Chain::join(std::string name, Op op, std::span<const TensorId> from) {
    last_ = sink_->add(std::move(name), std::move(op), from);
    return *this;
}

Chain& Chain::join(std::string name, Op op, std::initializer_list<TensorId> from) {
    return join(std::move(name), std::move(op), std::span(from.begin(), from.size()));
}

TensorId Chain::constant(std::string name, Tensor tensor, Role role) {
    return sink_->constant(std::move(name), std::move(tensor), role, {});
}

Chain& Chain::resume(TensorId at) {
    last_ = at;
    return *this;
}

void Chain::end_with_loss() {
    const std::int64_t batch = sink_->tensor(last_).dims.at(0);
    const TensorId labels = sink_->input("labels", Tensor{{batch}, DataType::s64}, Role::label);
    join("loss", SoftmaxCrossEntropy{}, {last_, labels});
}

Graph Chain::with_loss() {
    end_with_loss();
    return finish();
}

Graph Chain::finish() {
    check(own_ != nullptr, "whoever gives a sink finishes the network");
    return own_->finish();
}

}  // namespace strata
