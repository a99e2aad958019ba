// SPDX-License-Identifier: MIT
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <vector>

// All differences between oneDNN 2.6 and 3.x, so that no other file depends on the version.
namespace strata::cpu {

using Desc = dnnl::memory::desc;

// The memory layout of a blocked tensor: `strides` of the outer blocks by axis, then inner blocks
// from outermost to innermost, each of `inner_sizes` elements along axis `inner_axes`.
struct Blocking {
    dnnl::memory::dims dims;
    dnnl::memory::dims padded_dims;
    dnnl::memory::dims strides;
    dnnl::memory::dims inner_sizes;
    dnnl::memory::dims inner_axes;
    dnnl::memory::dim offset = 0;
};

// What every primitive is described with.
struct PrimitiveContext {
    dnnl::engine engine;
    dnnl::primitive_attr attributes;
};

// Whether the library uses these instructions here. Sets are bit masks that include the bits of
// their subsets.
inline bool library_uses(dnnl::cpu_isa isa) {
    const auto bits = static_cast<unsigned>(isa);
    return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

// The first of a description's implementations that fits. Throws the library's error if none does.
template <class Described, class Fits>
Described fitting(Described described, const Fits& fits) {
    while (!fits(described)) {
        if (!described.next_impl()) {
            throw dnnl::error(dnnl_unimplemented, "no implementation fits");
        }
    }
    return described;
}

#if DNNL_VERSION_MAJOR >= 3

// Whether it supports bf16 without AVX-512, as it does with AVX-NE-CONVERT's conversions.
inline bool answers_in_bf16_by_avx2() {
    return library_uses(dnnl::cpu_isa::avx2_vnni_2);
}

// Whether backward batch normalisation takes the shift, which it does not need.
inline constexpr bool backward_reads_shift = false;

inline dnnl::memory::data_type type_of(const Desc& desc) {
    return desc.get_data_type();
}
inline dnnl::memory::dims dims_of(const Desc& desc) {
    return desc.get_dims();
}
inline bool is_blocked(const Desc& desc) {
    return desc.get_format_kind() == dnnl::memory::format_kind::blocked;
}
inline bool is_any(const Desc& desc) {
    return desc.get_format_kind() == dnnl::memory::format_kind::any;
}

inline Blocking blocking_of(const Desc& desc) {
    return {desc.get_dims(),       desc.get_padded_dims(), desc.get_strides(),
            desc.get_inner_blks(), desc.get_inner_idxs(),  desc.get_submemory_offset()};
}

// A primitive's description; `arguments` in the library's order.
template <class Primitive, class... Arguments>
auto describe(const PrimitiveContext& context, const Arguments&... arguments) {
    return typename Primitive::primitive_desc(context.engine, arguments..., context.attributes);
}

// The same for a backward primitive, which needs its forward description.
template <class Primitive, class Forward, class... Arguments>
auto describe_backward(const PrimitiveContext& context, const Forward& forward,
                       const Arguments&... arguments) {
    return typename Primitive::primitive_desc(context.engine, arguments..., forward,
                                              context.attributes);
}

// The same, with the first implementation that fits.
template <class Primitive, class Fits, class... Arguments>
auto describe_fitting(const PrimitiveContext& context, const Fits& fits,
                      const Arguments&... arguments) {
    return fitting(describe<Primitive>(context, arguments...), fits);
}
template <class Primitive, class Fits, class Forward, class... Arguments>
auto describe_backward_fitting(const PrimitiveContext& context, const Fits& fits,
                               const Forward& forward, const Arguments&... arguments) {
    return fitting(describe_backward<Primitive>(context, forward, arguments...), fits);
}

inline auto describe_concat(const PrimitiveContext& context, int axis,
                            const std::vector<Desc>& sources) {
    return dnnl::concat::primitive_desc(context.engine, axis, sources, context.attributes);
}
inline auto describe_sum(const PrimitiveContext& context, const Desc& destination,
                         const std::vector<float>& scales, const std::vector<Desc>& sources) {
    return dnnl::sum::primitive_desc(context.engine, destination, scales, sources,
                                     context.attributes);
}

inline auto describe_eltwise(const PrimitiveContext& context, dnnl::prop_kind prop,
                             dnnl::algorithm algorithm, const Desc& x, float alpha, float beta) {
    return describe<dnnl::eltwise_forward>(context, prop, algorithm, x, x, alpha, beta);
}
inline auto describe_eltwise_backward(const PrimitiveContext& context,
                                      const dnnl::eltwise_forward::primitive_desc& forward,
                                      dnnl::algorithm algorithm, const Desc& gradient,
                                      const Desc& x, float alpha, float beta) {
    return describe_backward<dnnl::eltwise_backward>(context, forward, algorithm, gradient,
                                                     gradient, x, alpha, beta);
}

inline auto describe_lrn(const PrimitiveContext& context, dnnl::prop_kind prop, const Desc& x,
                         dnnl::memory::dim size, float alpha, float beta, float k) {
    return describe<dnnl::lrn_forward>(context, prop, dnnl::algorithm::lrn_across_channels, x, x,
                                       size, alpha, beta, k);
}
inline auto describe_lrn_backward(const PrimitiveContext& context,
                                  const dnnl::lrn_forward::primitive_desc& forward, const Desc& x,
                                  const Desc& gradient, dnnl::memory::dim size, float alpha,
                                  float beta, float k) {
    return describe_backward<dnnl::lrn_backward>(context, forward,
                                                 dnnl::algorithm::lrn_across_channels, gradient,
                                                 gradient, x, size, alpha, beta, k);
}

inline auto describe_batch_normalization(const PrimitiveContext& context, dnnl::prop_kind prop,
                                         const Desc& x, float epsilon,
                                         dnnl::normalization_flags flags) {
    return describe<dnnl::batch_normalization_forward>(context, prop, x, x, epsilon, flags);
}
inline auto describe_batch_normalization_backward(
    const PrimitiveContext& context,
    const dnnl::batch_normalization_forward::primitive_desc& forward, dnnl::prop_kind prop,
    const Desc& gradient, const Desc& x, float epsilon, dnnl::normalization_flags flags) {
    return describe_backward<dnnl::batch_normalization_backward>(context, forward, prop, gradient,
                                                                 gradient, x, epsilon, flags);
}

inline void append_relu(dnnl::post_ops& operations) {
    operations.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
}

using SoftmaxForward = dnnl::softmax_forward;
using SoftmaxBackward = dnnl::softmax_backward;
inline dnnl::algorithm softmax_algorithm(bool logarithm) {
    return logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
}

using PoolingForward = dnnl::pooling_forward;
using PoolingBackward = dnnl::pooling_backward;

#else

inline bool answers_in_bf16_by_avx2() {
    return false;
}

inline constexpr bool backward_reads_shift = true;

inline dnnl::memory::data_type type_of(const Desc& desc) {
    return desc.data_type();
}
inline dnnl::memory::dims dims_of(const Desc& desc) {
    return desc.dims();
}
inline bool is_blocked(const Desc& desc) {
    return desc.data.format_kind == dnnl_blocked;
}
inline bool is_any(const Desc& desc) {
    return desc.data.format_kind == dnnl_format_kind_any;
}

inline Blocking blocking_of(const Desc& desc) {
    const auto& data = desc.data;
    const auto& blocking = data.format_desc.blocking;
    const auto take = [](const dnnl_dim_t* values, int count) {
        return dnnl::memory::dims(values, values + count);
    };
    return {take(data.dims, data.ndims),
            take(data.padded_dims, data.ndims),
            take(blocking.strides, data.ndims),
            take(blocking.inner_blks, blocking.inner_nblks),
            take(blocking.inner_idxs, blocking.inner_nblks),
            data.offset0};
}

template <class Primitive, class... Arguments>
auto describe(const PrimitiveContext& context, const Arguments&... arguments) {
    return typename Primitive::primitive_desc(typename Primitive::desc(arguments...),
                                              context.attributes, context.engine);
}

template <class Primitive, class Forward, class... Arguments>
auto describe_backward(const PrimitiveContext& context, const Forward& forward,
                       const Arguments&... arguments) {
    return typename Primitive::primitive_desc(typename Primitive::desc(arguments...),
                                              context.attributes, context.engine, forward);
}

// To advance to the next implementation, the library reads the first description again.
template <class Primitive, class Fits, class... Arguments>
auto describe_fitting(const PrimitiveContext& context, const Fits& fits,
                      const Arguments&... arguments) {
    const typename Primitive::desc desc(arguments...);
    return fitting(typename Primitive::primitive_desc(desc, context.attributes, context.engine),
                   fits);
}
template <class Primitive, class Fits, class Forward, class... Arguments>
auto describe_backward_fitting(const PrimitiveContext& context, const Fits& fits,
                               const Forward& forward, const Arguments&... arguments) {
    const typename Primitive::desc desc(arguments...);
    return fitting(
        typename Primitive::primitive_desc(desc, context.attributes, context.engine, forward),
        fits);
}

inline auto describe_concat(const PrimitiveContext& context, int axis,
                            const std::vector<Desc>& sources) {
    return dnnl::concat::primitive_desc(axis, sources, context.engine, context.attributes);
}
inline auto describe_sum(const PrimitiveContext& context, const Desc& destination,
                         const std::vector<float>& scales, const std::vector<Desc>& sources) {
    return dnnl::sum::primitive_desc(destination, scales, sources, context.engine,
                                     context.attributes);
}

inline auto describe_eltwise(const PrimitiveContext& context, dnnl::prop_kind prop,
                             dnnl::algorithm algorithm, const Desc& x, float alpha, float beta) {
    return describe<dnnl::eltwise_forward>(context, prop, algorithm, x, alpha, beta);
}
inline auto describe_eltwise_backward(const PrimitiveContext& context,
                                      const dnnl::eltwise_forward::primitive_desc& forward,
                                      dnnl::algorithm algorithm, const Desc& gradient,
                                      const Desc& x, float alpha, float beta) {
    return describe_backward<dnnl::eltwise_backward>(context, forward, algorithm, gradient, x,
                                                     alpha, beta);
}

inline auto describe_lrn(const PrimitiveContext& context, dnnl::prop_kind prop, const Desc& x,
                         dnnl::memory::dim size, float alpha, float beta, float k) {
    return describe<dnnl::lrn_forward>(context, prop, dnnl::algorithm::lrn_across_channels, x, size,
                                       alpha, beta, k);
}
inline auto describe_lrn_backward(const PrimitiveContext& context,
                                  const dnnl::lrn_forward::primitive_desc& forward, const Desc& x,
                                  const Desc& gradient, dnnl::memory::dim size, float alpha,
                                  float beta, float k) {
    return describe_backward<dnnl::lrn_backward>(
        context, forward, dnnl::algorithm::lrn_across_channels, x, gradient, size, alpha, beta, k);
}

inline auto describe_batch_normalization(const PrimitiveContext& context, dnnl::prop_kind prop,
                                         const Desc& x, float epsilon,
                                         dnnl::normalization_flags flags) {
    return describe<dnnl::batch_normalization_forward>(context, prop, x, epsilon, flags);
}
inline auto describe_batch_normalization_backward(
    const PrimitiveContext& context,
    const dnnl::batch_normalization_forward::primitive_desc& forward, dnnl::prop_kind prop,
    const Desc& gradient, const Desc& x, float epsilon, dnnl::normalization_flags flags) {
    return describe_backward<dnnl::batch_normalization_backward>(context, forward, prop, gradient,
                                                                 x, epsilon, flags);
}

inline void append_relu(dnnl::post_ops& operations) {
    operations.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
}

using SoftmaxForward = dnnl::softmax_v2_forward;
using SoftmaxBackward = dnnl::softmax_v2_backward;
inline dnnl::algorithm softmax_algorithm(bool logarithm) {
    return logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
}

using PoolingForward = dnnl::pooling_v2_forward;
using PoolingBackward = dnnl::pooling_v2_backward;

#endif

}  // namespace strata::cpu
