// SPDX-License-Identifier: MIT
#include "backend/cuda/legacy_convolution.h"

#include "backend/cuda/device/stream.h"
#include "backend/cuda/device/trouble.h"
#include "backend/device_watch.h"

#include <cudnn.h>
#include <fmt/format.h>

#include <array>
#include <vector>

namespace strata::cuda {

namespace {

// Indexed by algorithm number; those named "0", "1" or "3" have no other name in cuDNN.
constexpr std::array<std::string_view, CUDNN_CONVOLUTION_FWD_ALGO_COUNT> forward_names = {
    "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING",
    "WINOGRAD",      "WINOGRAD_NONFUSED"};
constexpr std::array<std::string_view, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT> data_names = {
    "ALGO_0", "ALGO_1", "FFT", "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"};
constexpr std::array<std::string_view, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT> weights_names = {
    "ALGO_0", "ALGO_1", "FFT", "ALGO_3", "WINOGRAD", "WINOGRAD_NONFUSED", "FFT_TILING"};

// A descriptor of the older interface, and its destruction.
template <class Handle, cudnnStatus_t (*create)(Handle*), cudnnStatus_t (*destroy)(Handle)>
class Owned {
public:
    Owned() { require_cudnn(create(&handle_), "describing a convolution"); }
    ~Owned() {
        if (!device_hangs()) {
            destroy(handle_);
        }
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    Handle get() const { return handle_; }

private:
    Handle handle_ = nullptr;
};
using TensorDescriptor =
    Owned<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using FilterDescriptor =
    Owned<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using WindowDescriptor = Owned<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
                               cudnnDestroyConvolutionDescriptor>;

cudnnDataType_t data_type(ElementType type) {
    switch (type) {
        case ElementType::f16:
            return CUDNN_DATA_HALF;
        case ElementType::bf16:
            return CUDNN_DATA_BFLOAT16;
        case ElementType::f32:
            break;
    }
    return CUDNN_DATA_FLOAT;
}

// Full f32 uses only FMA units. Narrow types may use tensor cores, and so may f32, as TF32, on
// request.
cudnnMathType_t math_of(const ConvolutionProblem& problem) {
    const bool is_full = problem.format.type == ElementType::f32 &&
                         problem.single_precision == SinglePrecision::full;
    return is_full ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
}

// Extents in cuDNN's form: at least two spatial axes.
std::vector<int> extents(const Dims& values, std::size_t spatial, int added) {
    std::vector<int> result(values.begin(), values.end());
    if (spatial == 1) {
        result.push_back(added);
    }
    return result;
}

class LegacyConvolution : public LibraryCall {
public:
    LegacyConvolution(const ConvolutionProblem& problem, int algorithm);

    void finalize(const Queue& queue) override;
    void enqueue(const Queue& queue, std::span<void* const> addresses) const override;
    LibraryWork work() const override { return &problem_; }
    std::size_t workspace() const override { return workspace_; }

private:
    void describe_tensor(const TensorDescriptor& tensor, const Dims& dims) const;
    void describe_weights() const;
    void describe_window() const;
    std::string doing() const;

    ConvolutionProblem problem_;
    int algorithm_;
    std::size_t workspace_ = 0;
    TensorDescriptor x_;
    FilterDescriptor w_;
    TensorDescriptor y_;
    WindowDescriptor window_;
};

LegacyConvolution::LegacyConvolution(const ConvolutionProblem& problem, int algorithm)
    : problem_(problem), algorithm_(algorithm) {
    if (problem.window.pad_begin != problem.window.pad_end) {
        throw DeviceError(DeviceTrouble::library_refused,
                          "cuDNN's older interface pads alike on both sides");
    }
    describe_tensor(x_, problem.x);
    describe_weights();
    describe_tensor(y_, problem.y);
    describe_window();
}

void LegacyConvolution::describe_tensor(const TensorDescriptor& tensor, const Dims& dims) const {
    const std::size_t spatial = dims.size() - 2;
    Dims padded = dims;
    if (spatial == 1) {
        padded.push_back(1);
    }
    const std::vector<int> sizes = extents(dims, spatial, 1);
    const Dims steps = strides_of(padded, problem_.format.order);
    const std::vector<int> strides(steps.begin(), steps.end());
    require_cudnn(
        cudnnSetTensorNdDescriptor(tensor.get(), data_type(problem_.format.type),
                                   static_cast<int>(sizes.size()), sizes.data(), strides.data()),
        doing());
}

void LegacyConvolution::describe_weights() const {
    const std::vector<int> sizes = extents(problem_.w, problem_.w.size() - 2, 1);
    const cudnnTensorFormat_t format =
        problem_.format.order == Order::channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    require_cudnn(cudnnSetFilterNdDescriptor(w_.get(), data_type(problem_.format.type), format,
                                             static_cast<int>(sizes.size()), sizes.data()),
                  doing());
}

void LegacyConvolution::describe_window() const {
    const Window& window = problem_.window;
    const std::size_t spatial = problem_.x.size() - 2;
    const std::vector<int> pad = extents(window.pad_begin, spatial, 0);
    const std::vector<int> stride = extents(window.stride, spatial, 1);
    const std::vector<int> dilation = extents(window.dilation, spatial, 1);
    require_cudnn(cudnnSetConvolutionNdDescriptor(window_.get(), static_cast<int>(pad.size()),
                                                  pad.data(), stride.data(), dilation.data(),
                                                  CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
                  doing());
    const auto groups = static_cast<int>(problem_.x[1] / problem_.w[1]);
    require_cudnn(cudnnSetConvolutionGroupCount(window_.get(), groups), doing());
    require_cudnn(cudnnSetConvolutionMathType(window_.get(), math_of(problem_)), doing());
}

std::string LegacyConvolution::doing() const {
    return fmt::format("{} by {}", text_of(problem_),
                       legacy_algorithms(problem_.pass)[static_cast<std::size_t>(algorithm_)]);
}

void LegacyConvolution::finalize(const Queue& queue) {
    const auto ask = [&]() -> cudnnStatus_t {
        switch (problem_.pass) {
            case Pass::backward_data:
                return cudnnGetConvolutionBackwardDataWorkspaceSize(
                    queue.cudnn, w_.get(), y_.get(), window_.get(), x_.get(),
                    static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_), &workspace_);
            case Pass::backward_weights:
                return cudnnGetConvolutionBackwardFilterWorkspaceSize(
                    queue.cudnn, x_.get(), y_.get(), window_.get(), w_.get(),
                    static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_), &workspace_);
            default:
                return cudnnGetConvolutionForwardWorkspaceSize(
                    queue.cudnn, x_.get(), w_.get(), window_.get(), y_.get(),
                    static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_), &workspace_);
        }
    };
    require_cudnn(ask(), doing());
}

void LegacyConvolution::enqueue(const Queue& queue, std::span<void* const> at) const {
    const float one = 1;
    const float zero = 0;
    const auto compute = [&]() -> cudnnStatus_t {
        switch (problem_.pass) {
            case Pass::backward_data:
                return cudnnConvolutionBackwardData(
                    queue.cudnn, &one, w_.get(), at[1], y_.get(), at[2], window_.get(),
                    static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_), queue.workspace,
                    workspace_, &zero, x_.get(), at[0]);
            case Pass::backward_weights:
                return cudnnConvolutionBackwardFilter(
                    queue.cudnn, &one, x_.get(), at[0], y_.get(), at[2], window_.get(),
                    static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_), queue.workspace,
                    workspace_, &zero, w_.get(), at[1]);
            default:
                return cudnnConvolutionForward(queue.cudnn, &one, x_.get(), at[0], w_.get(), at[1],
                                               window_.get(),
                                               static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_),
                                               queue.workspace, workspace_, &zero, y_.get(), at[2]);
        }
    };
    require_cudnn(compute(), doing());
}

}  // namespace

std::span<const std::string_view> legacy_algorithms(Pass pass) {
    return pass == Pass::forward         ? std::span<const std::string_view>(forward_names)
           : pass == Pass::backward_data ? std::span<const std::string_view>(data_names)
                                         : std::span<const std::string_view>(weights_names);
}

bool is_deterministic(Pass pass, int algorithm) {
    switch (pass) {
        case Pass::backward_data:
            return algorithm != CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
        case Pass::backward_weights:
            return algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 &&
                   algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
        default:
            return true;
    }
}

std::shared_ptr<LibraryCall> legacy_convolution(const ConvolutionProblem& problem, int algorithm) {
    return std::make_shared<LegacyConvolution>(problem, algorithm);
}

}  // namespace strata::cuda
