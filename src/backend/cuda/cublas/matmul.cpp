// SPDX-License-Identifier: MIT
#include "backend/cuda/cublas/matmul.h"

#include "backend/cuda/device/stream.h"
#include "backend/cuda/device/trouble.h"
#include "backend/device_watch.h"

#include <algorithm>
#include <bit>

namespace strata::cuda {

namespace {

// NVIDIA's recommendation for Hopper; less would exclude its split-K products.
constexpr std::size_t workspace_bytes = std::size_t{32} << 20U;

cudaDataType_t data_type(ElementType type) {
    switch (type) {
        case ElementType::f16:
            return CUDA_R_16F;
        case ElementType::bf16:
            return CUDA_R_16BF;
        case ElementType::f32:
            break;
    }
    return CUDA_R_32F;
}

// A handle of the library with the function that destroys it.
template <class Handle, auto destroy>
class Owned {
public:
    Owned() = default;
    ~Owned() {
        if (handle_ != nullptr && !device_hangs()) {
            destroy(handle_);
        }
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;

    Handle get() const { return handle_; }
    Handle* address() { return &handle_; }

private:
    Handle handle_ = nullptr;
};
using Operation = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

template <class Value>
void set(const Layout& layout, cublasLtMatrixLayoutAttribute_t name, Value value) {
    require_cublas(cublasLtMatrixLayoutSetAttribute(layout.get(), name, &value, sizeof(value)),
                   "describing a matrix");
}

template <class Value>
void set(const Operation& operation, cublasLtMatmulDescAttributes_t name, Value value) {
    require_cublas(cublasLtMatmulDescSetAttribute(operation.get(), name, &value, sizeof(value)),
                   "describing a product");
}

template <class Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t name, Value value) {
    require_cublas(
        cublasLtMatmulPreferenceSetAttribute(preference.get(), name, &value, sizeof(value)),
        "choosing a product's algorithm");
}

// The alignment in bytes of every address and every row of these matrices, at most 256.
std::uint32_t alignment_of(const TensorView& view, const Matrix& matrix) {
    const auto size = size_in_bytes(matrix.type);
    const auto bits = std::size_t{256} | view.offset |
                      static_cast<std::size_t>(matrix.row_stride) * size |
                      static_cast<std::size_t>(matrix.batch_stride) * size;
    return std::uint32_t{1} << static_cast<unsigned>(std::countr_zero(bits));
}

// cuBLASLt's matrices are column-major, so it sees a row-major matrix as its transpose. We
// therefore request y^T = b^T a^T.
class MatmulCall : public LibraryCall {
public:
    MatmulCall(const Matmul& matmul, const std::vector<TensorView>& views)
        : matmul_(matmul),
          alignments_{alignment_of(views[0], matmul.a), alignment_of(views[1], matmul.b),
                      alignment_of(views[2], matmul.y)},
          bias_alignment_(matmul.has_bias ? alignment_of(views[3], {matmul.y.type}) : 16) {}

    void finalize(const Queue& queue) override;
    void enqueue(const Queue& queue, std::span<void* const> addresses) const override;
    LibraryWork work() const override { return &matmul_; }
    std::size_t workspace() const override { return workspace_bytes; }

private:
    void describe(Layout& layout, const Matrix& matrix, std::int64_t rows, std::int64_t columns);
    void choose(const Queue& queue);

    Matmul matmul_;
    std::array<std::uint32_t, 3> alignments_;
    std::uint32_t bias_alignment_;
    Operation operation_;
    Layout a_;
    Layout b_;
    Layout y_;
    cublasLtMatmulAlgo_t algorithm_ = {};
};

void MatmulCall::describe(Layout& layout, const Matrix& matrix, std::int64_t rows,
                          std::int64_t columns) {
    const std::int64_t stored_rows = matrix.transposed ? columns : rows;
    const std::int64_t stored_columns = matrix.transposed ? rows : columns;
    require_cublas(
        cublasLtMatrixLayoutCreate(layout.address(), data_type(matrix.type),
                                   static_cast<std::uint64_t>(stored_columns),
                                   static_cast<std::uint64_t>(stored_rows), matrix.row_stride),
        "describing a matrix");
    set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(matmul_.batch));
    set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, matrix.batch_stride);
}

void MatmulCall::finalize(const Queue& queue) {
    const bool fast =
        matmul_.single_precision == SinglePrecision::tf32 && matmul_.a.type == ElementType::f32;
    require_cublas(cublasLtMatmulDescCreate(
                       operation_.address(),
                       fast ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
                   "describing a product");
    set(operation_, CUBLASLT_MATMUL_DESC_TRANSA, matmul_.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(operation_, CUBLASLT_MATMUL_DESC_TRANSB, matmul_.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (matmul_.has_bias) {
        set(operation_, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
        // The heuristic reads the bias' alignment from its address, which is not known yet.
        set(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
            reinterpret_cast<void*>(std::uintptr_t{bias_alignment_}));
    }
    describe(a_, matmul_.a, matmul_.m, matmul_.k);
    describe(b_, matmul_.b, matmul_.k, matmul_.n);
    describe(y_, matmul_.y, matmul_.m, matmul_.n);
    choose(queue);
}

void MatmulCall::choose(const Queue& queue) {
    Preference preference;
    require_cublas(cublasLtMatmulPreferenceCreate(preference.address()),
                   "choosing a product's algorithm");
    set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignments_[1]);
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignments_[0]);
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments_[2]);
    set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments_[2]);
    std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(matmul_.choice) +
                                                         1);
    int found = 0;
    require_cublas(cublasLtMatmulAlgoGetHeuristic(queue.cublas, operation_.get(), b_.get(),
                                                  a_.get(), y_.get(), y_.get(), preference.get(),
                                                  matmul_.choice + 1, results.data(), &found),
                   "choosing a product's algorithm");
    require_cublas(found <= matmul_.choice ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS,
                   "choosing a product's algorithm");
    require_cublas(results.back().state, "choosing a product's algorithm");
    algorithm_ = results.back().algo;
}

void MatmulCall::enqueue(const Queue& queue, std::span<void* const> addresses) const {
    if (matmul_.has_bias) {
        set(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, addresses[3]);
    }
    const float scale = matmul_.scale;
    const float kept = matmul_.accumulates ? 1 : 0;
    require_cublas(cublasLtMatmul(queue.cublas, operation_.get(), &scale, addresses[1], b_.get(),
                                  addresses[0], a_.get(), &kept, addresses[2], y_.get(),
                                  addresses[2], y_.get(), &algorithm_, queue.workspace,
                                  std::min(queue.workspace_bytes, workspace_bytes), queue.stream),
                   "multiplying matrices");
}

}  // namespace

Call matmul_call(const Matmul& matmul, std::vector<TensorView> views) {
    auto call = std::make_shared<MatmulCall>(matmul, views);
    return {std::move(call), std::move(views)};
}

}  // namespace strata::cuda
