// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/scripted_cudnn.h"

#include "backend/reference/operators.h"
#include "tests/backend/cuda/scripted_layer.h"

#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace strata::testing {

namespace {

int passes = 0;
bool refuses = false;

// A pass, expressed as our own operator.
class ReferencePass {
public:
    ReferencePass(cudnnRNNDescriptor_t rnn, cudnnRNNDataDescriptor_t x, bool has_h, bool has_c,
                  bool gives_states, const void* parameters)
        : layer_(described(rnn)), parameters_(parameters_of(layer_)) {
        layer_.op.final_state = gives_states;
        read_extents(x);
        const Dims state = {layer_.cells(), batch_, layer_.op.hidden};
        signature_.inputs.push_back({{{steps_, batch_, layer_.features}}});
        for (const bool has : {has_h, has_c}) {
            if (has) {
                signature_.inputs.push_back({{state}});
            }
        }
        for (const Parameter& parameter : parameters_) {
            signature_.inputs.push_back({{parameter.dims}, Role::parameter});
            values_.push_back(gathered(parameter, parameters));
        }
        signature_.outputs.push_back({{steps_, batch_, layer_.directions() * layer_.op.hidden}});
        if (gives_states) {
            signature_.outputs.resize(layer_.op.cell == CellKind::lstm ? 3 : 2, {state});
        }
    }

    std::span<const float> input(std::size_t operand, const void* memory) const {
        return {static_cast<const float*>(memory), size_of(signature_.inputs[operand].tensor.dims)};
    }

    ReferenceOperands operands(const void* x, const void* hx, const void* cx) const {
        ReferenceOperands all{signature_, execution_, {input(0, x)}, {}, {}, {}, {}};
        for (const void* state : {hx, cx}) {
            if (state != nullptr) {
                all.inputs.push_back(input(all.inputs.size(), state));
            }
        }
        all.inputs.insert(all.inputs.end(), values_.begin(), values_.end());
        return all;
    }

    // The result and the last states, as many as exist.
    template <class Value>
    std::vector<std::span<Value>> results(const std::array<Value*, 3>& memory) const {
        std::vector<std::span<Value>> spans;
        for (std::size_t i = 0; i < signature_.outputs.size(); ++i) {
            spans.push_back(span_of(memory[i], signature_.outputs[i].dims));
        }
        return spans;
    }

    // The sequence and the first states, as many as exist.
    std::vector<std::span<float>> operand_spans(const std::array<float*, 3>& memory) const {
        std::vector<std::span<float>> spans;
        for (std::size_t i = 0; i + values_.size() < signature_.inputs.size(); ++i) {
            spans.push_back(span_of(memory[i], signature_.inputs[i].tensor.dims));
        }
        return spans;
    }

    std::vector<std::vector<float>> room_for_parameters() const { return values_; }

    void add(const std::vector<std::vector<float>>& sums, float* all) const {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            for (const Part& part : parameters_[i].parts) {
                std::transform(sums[i].begin() + part.first,
                               sums[i].begin() + part.first + part.count, all + part.view,
                               all + part.view, std::plus<>());
            }
        }
    }

    const ScriptedLayer& layer() const { return layer_; }

private:
    template <class Value>
    static std::span<Value> span_of(Value* begin, const Dims& dims) {
        return begin == nullptr ? std::span<Value>() : std::span(begin, size_of(dims));
    }

    void read_extents(cudnnRNNDataDescriptor_t x) {
        cudnnDataType_t type;
        cudnnRNNDataLayout_t layout;
        int steps = 0, batch = 0, features = 0;
        float padding = 0;
        cudnnGetRNNDataDescriptor(x, &type, &layout, &steps, &batch, &features, 0, nullptr,
                                  &padding);
        steps_ = steps;
        batch_ = batch;
    }

    ScriptedLayer layer_;
    std::vector<Parameter> parameters_;
    std::int64_t steps_ = 0;
    std::int64_t batch_ = 0;
    Signature signature_;
    Execution execution_;
    std::vector<std::vector<float>> values_;
};

// The values that the forward pass saves for the others, and the pass back through time for the
// last.
struct Reserve {
    int state = 0;
    const void* x = nullptr;
    const void* parameters = nullptr;
    const void* cx = nullptr;
    const void* dy = nullptr;
    const void* dhy = nullptr;
    const void* dcy = nullptr;
};
constexpr int went_forward = 4711;
constexpr int went_back = 4712;
constexpr std::size_t scratch_bytes = 64;

bool is_wrong(const std::int32_t* lengths, std::size_t scratch, const void* workspace,
              std::size_t reserve) {
    return refuses || lengths == nullptr || lengths[0] <= 0 || scratch != scratch_bytes ||
           workspace == nullptr || reserve != sizeof(Reserve);
}

const float* floats(const void* memory) {
    return static_cast<const float*>(memory);
}

float* floats(void* memory) {
    return static_cast<float*>(memory);
}

}  // namespace

int scripted_passes() {
    return passes;
}

void refuse_recurrent_passes(bool refused) {
    refuses = refused;
}

}  // namespace strata::testing

using namespace strata::testing;  // cuDNN's functions are in no namespace

cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float dropout,
                                        void*, std::size_t, unsigned long long) {
    return dropout == 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                         std::size_t* bytes) {
    *bytes = 4 * static_cast<std::size_t>(view_of(described(rnn), -1, 0, false));
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t,
                                        std::size_t* workspace, std::size_t* reserve) {
    *workspace = scratch_bytes;
    *reserve = mode == CUDNN_FWD_MODE_TRAINING ? sizeof(Reserve) : 0;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t rnn, std::int32_t cell,
                                      std::size_t, const void* all, std::int32_t number,
                                      cudnnTensorDescriptor_t matrix, void** matrix_at,
                                      cudnnTensorDescriptor_t bias, void** bias_at) {
    const ScriptedLayer layer = described(rnn);
    const auto hidden = static_cast<int>(layer.op.hidden);
    const auto width = static_cast<int>(layer.width(cell, number));
    float* begin = floats(const_cast<void*>(all));
    const std::array matrix_dims = {1, hidden, width};
    const std::array matrix_strides = {hidden * width, width, 1};
    cudnnSetTensorNdDescriptor(matrix, CUDNN_DATA_FLOAT, 3, matrix_dims.data(),
                               matrix_strides.data());
    *matrix_at = begin + view_of(layer, cell, number, false);
    const std::array bias_dims = {1, hidden, 1};
    const std::array bias_strides = {hidden, 1, 1};
    cudnnSetTensorNdDescriptor(bias, CUDNN_DATA_FLOAT, 3, bias_dims.data(), bias_strides.data());
    *bias_at = layer.has_bias(number) ? begin + view_of(layer, cell, number, true) : nullptr;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                              const std::int32_t* lengths, cudnnRNNDataDescriptor_t x_data,
                              const void* x, cudnnRNNDataDescriptor_t, void* y,
                              cudnnTensorDescriptor_t, const void* hx, void* hy,
                              cudnnTensorDescriptor_t, const void* cx, void* cy, std::size_t,
                              const void* parameters, std::size_t scratch, void* workspace,
                              std::size_t reserve_bytes, void* reserve) {
    const bool trains = mode == CUDNN_FWD_MODE_TRAINING;
    if (is_wrong(lengths, scratch, workspace, trains ? reserve_bytes : sizeof(Reserve))) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    const ReferencePass pass(rnn, x_data, hx != nullptr, cx != nullptr, hy != nullptr, parameters);
    strata::ReferenceOperands operands = pass.operands(x, hx, cx);
    operands.outputs = pass.results(std::array{floats(y), floats(hy), floats(cy)});
    compute_forward(pass.layer().op, operands);
    if (trains) {
        *static_cast<Reserve*>(reserve) = {went_forward, x, parameters, cx};
    }
    ++passes;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                      const std::int32_t* lengths, cudnnRNNDataDescriptor_t,
                                      const void*, const void* dy, cudnnRNNDataDescriptor_t x_data,
                                      void* dx, cudnnTensorDescriptor_t, const void* hx,
                                      const void* dhy, void* dhx, cudnnTensorDescriptor_t,
                                      const void* cx, const void* dcy, void* dcx, std::size_t,
                                      const void* parameters, std::size_t scratch, void* workspace,
                                      std::size_t reserve_bytes, void* reserve) {
    auto* kept = static_cast<Reserve*>(reserve);
    if (is_wrong(lengths, scratch, workspace, reserve_bytes) || kept->state != went_forward ||
        dx == nullptr || dy == nullptr) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    const ReferencePass pass(rnn, x_data, hx != nullptr, cx != nullptr, true, parameters);
    strata::ReferenceOperands operands = pass.operands(kept->x, hx, cx);
    operands.output_gradients = pass.results(std::array{floats(dy), floats(dhy), floats(dcy)});
    operands.input_gradients = pass.operand_spans(std::array{floats(dx), floats(dhx), floats(dcx)});
    compute_backward(pass.layer().op, operands);
    *kept = {went_back, kept->x, parameters, cx, dy, dhy, dcy};
    ++passes;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t, cudnnRNNDescriptor_t rnn,
                                         cudnnWgradMode_t mode, const std::int32_t* lengths,
                                         cudnnRNNDataDescriptor_t x_data, const void* x,
                                         cudnnTensorDescriptor_t, const void* hx,
                                         cudnnRNNDataDescriptor_t, const void*, std::size_t,
                                         void* gradients, std::size_t scratch, void* workspace,
                                         std::size_t reserve_bytes, void* reserve) {
    const auto* kept = static_cast<const Reserve*>(reserve);
    if (is_wrong(lengths, scratch, workspace, reserve_bytes) || kept->state != went_back ||
        kept->x != x || mode != CUDNN_WGRAD_MODE_ADD) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    const ReferencePass pass(rnn, x_data, hx != nullptr, kept->cx != nullptr, true,
                             kept->parameters);
    strata::ReferenceOperands operands = pass.operands(x, hx, kept->cx);
    operands.output_gradients =
        pass.results(std::array{floats(kept->dy), floats(kept->dhy), floats(kept->dcy)});
    std::vector<std::vector<float>> sums = pass.room_for_parameters();
    operands.input_gradients.resize(operands.inputs.size() - sums.size());
    operands.input_gradients.insert(operands.input_gradients.end(), sums.begin(), sums.end());
    compute_backward(pass.layer().op, operands);
    pass.add(sums, floats(gradients));
    ++passes;
    return CUDNN_STATUS_SUCCESS;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
    std::memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
    *stream = nullptr;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t) {
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t) {
    return cudaSuccess;
}
