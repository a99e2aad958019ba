// SPDX-License-Identifier: MIT
#include "bench/convolution/library_convolution.h"

#include "backend/cpu/onednn/compat.h"

#include <algorithm>
#include <utility>

namespace strata::cpu {

namespace {

using Arguments = std::vector<std::pair<int, Desc>>;

struct Descriptions {
    Desc x, weight, bias, y;
};

dnnl::engine& engine() {
    static dnnl::engine only(dnnl::engine::kind::cpu, 0);
    return only;
}

std::function<void()> runnable(dnnl::primitive primitive, const Arguments& arguments) {
    std::unordered_map<int, dnnl::memory> memories;
    for (const auto& [argument, desc] : arguments) {
        dnnl::memory memory(desc, engine());
        std::fill_n(static_cast<float*>(memory.get_data_handle()), desc.get_size() / sizeof(float),
                    0.5F);
        memories.emplace(argument, memory);
    }
    return [primitive = std::move(primitive), memories, stream = dnnl::stream(engine())]() mutable {
        primitive.execute(stream, memories);
        stream.wait();
    };
}

std::function<void()> forward(const dnnl::convolution_forward::primitive_desc& described) {
    return runnable(dnnl::convolution_forward(described),
                    {{DNNL_ARG_SRC, described.src_desc()},
                     {DNNL_ARG_WEIGHTS, described.weights_desc()},
                     {DNNL_ARG_BIAS, described.bias_desc()},
                     {DNNL_ARG_DST, described.dst_desc()}});
}

std::function<void()> backward_data(
    const dnnl::convolution_backward_data::primitive_desc& described) {
    return runnable(dnnl::convolution_backward_data(described),
                    {{DNNL_ARG_DIFF_SRC, described.diff_src_desc()},
                     {DNNL_ARG_WEIGHTS, described.weights_desc()},
                     {DNNL_ARG_DIFF_DST, described.diff_dst_desc()}});
}

std::function<void()> backward_weights(
    const dnnl::convolution_backward_weights::primitive_desc& described) {
    return runnable(dnnl::convolution_backward_weights(described),
                    {{DNNL_ARG_SRC, described.src_desc()},
                     {DNNL_ARG_DIFF_WEIGHTS, described.diff_weights_desc()},
                     {DNNL_ARG_DIFF_BIAS, described.diff_bias_desc()},
                     {DNNL_ARG_DIFF_DST, described.diff_dst_desc()}});
}

}  // namespace

std::function<void()> library_convolution(const ConvolutionProblem& problem,
                                          LibraryAlgorithm algorithm) try {
    const auto kind = algorithm == LibraryAlgorithm::direct ? dnnl::algorithm::convolution_direct
                                                            : dnnl::algorithm::convolution_winograd;
    const auto any = [](const Dims& dims) {
        return Desc(dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
    };
    const Descriptions d = {any(problem.x), any(problem.weight), any({problem.y[1]}),
                            any(problem.y)};
    dnnl::memory::dims dilation = problem.window.dilation;
    for (auto& value : dilation) {
        --value;  // the library counts the gaps
    }
    const auto described = describe<dnnl::convolution_forward>(
        {engine(), {}}, dnnl::prop_kind::forward_training, kind, d.x, d.weight, d.bias, d.y,
        problem.window.stride, dilation, problem.window.pad_begin, problem.window.pad_end);
    const auto backward = [&]<class Primitive>(const auto&... operands) {
        return describe_backward<Primitive>({engine(), {}}, described, kind, operands...,
                                            problem.window.stride, dilation,
                                            problem.window.pad_begin, problem.window.pad_end);
    };
    switch (problem.pass) {
        case Pass::backward_data:
            return backward_data(
                backward.template operator()<dnnl::convolution_backward_data>(d.x, d.weight, d.y));
        case Pass::backward_weights:
            return backward_weights(
                backward.template operator()<dnnl::convolution_backward_weights>(d.x, d.weight,
                                                                                 d.bias, d.y));
        default:
            return forward(described);
    }
} catch (const dnnl::error&) {
    return {};
}

}  // namespace strata::cpu
