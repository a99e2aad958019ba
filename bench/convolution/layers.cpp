// SPDX-License-Identifier: MIT The convolutions of AlexNet and VGG-16 by each of our own methods
// and, as "library", by the library's direct algorithm in its own layouts:
//
//     bench_cpu_convolution --benchmark_enable_random_interleaving=true --benchmark_repetitions=5
//                           [--benchmark_filter=vgg.*/forward]
//
// ONEDNN_MAX_CPU_ISA=AVX2 limits all of them to AVX2, OMP_NUM_THREADS to that many threads. The
// rate counts the direct convolution's arithmetic, whatever a method does instead. The gradient of
// the weights includes that of the bias, as in these networks.
#include "backend/cpu/convolution/method.h"
#include "backend/cpu/kernels/isa.h"
#include "backend/lower/program.h"
#include "measure/kernels/kernels.h"

#include <benchmark/benchmark.h>
#include <omp.h>
#include <sys/mman.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using namespace strata;
using namespace strata::cpu;

struct ConvolutionLayer {
    const char* name;
    std::int64_t images, inputs, extent, outputs, kernel, stride, pad;
};

constexpr ConvolutionLayer layers[] = {
    {"alexnet.conv1", 32, 3, 224, 64, 11, 4, 2},    {"alexnet.conv2", 32, 64, 27, 192, 5, 1, 2},
    {"alexnet.conv3", 32, 192, 13, 384, 3, 1, 1},   {"alexnet.conv4", 32, 384, 13, 256, 3, 1, 1},
    {"alexnet.conv5", 32, 256, 13, 256, 3, 1, 1},   {"ungrouped.conv1", 32, 3, 227, 96, 11, 4, 0},
    {"ungrouped.conv2", 32, 96, 27, 256, 5, 1, 2},  {"ungrouped.conv3", 32, 256, 13, 384, 3, 1, 1},
    {"ungrouped.conv4", 32, 384, 13, 384, 3, 1, 1}, {"ungrouped.conv5", 32, 384, 13, 256, 3, 1, 1},
    {"vgg16.conv1_1", 4, 3, 224, 64, 3, 1, 1},      {"vgg16.conv1_2", 4, 64, 224, 64, 3, 1, 1},
    {"vgg16.conv2_1", 4, 64, 112, 128, 3, 1, 1},    {"vgg16.conv2_2", 4, 128, 112, 128, 3, 1, 1},
    {"vgg16.conv3_1", 4, 128, 56, 256, 3, 1, 1},    {"vgg16.conv3_2", 4, 256, 56, 256, 3, 1, 1},
    {"vgg16.conv4_1", 4, 256, 28, 512, 3, 1, 1},    {"vgg16.conv4_2", 4, 512, 28, 512, 3, 1, 1},
    {"vgg16.conv5_2", 4, 512, 14, 512, 3, 1, 1},    {"5x5.map56", 8, 64, 56, 64, 5, 1, 2},
    {"5x5.map112", 8, 64, 112, 64, 5, 1, 2},        {"11x11.map56", 8, 64, 56, 64, 11, 1, 5},
    {"11x11.map128", 8, 64, 128, 64, 11, 1, 5},
};

std::int64_t out_extent(const ConvolutionLayer& l) {
    return (l.extent + 2 * l.pad - l.kernel) / l.stride + 1;
}

std::size_t elements(const Dims& dims) {
    return static_cast<std::size_t>(
        std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>()));
}

ConvolutionProblem problem_of(const ConvolutionLayer& l, Pass pass) {
    const std::int64_t out = out_extent(l);
    return {.pass = pass,
            .x = {l.images, l.inputs, l.extent, l.extent},
            .weight = {l.outputs, l.inputs, l.kernel, l.kernel},
            .y = {l.images, l.outputs, out, out},
            .window = {{l.kernel, l.kernel},
                       {l.stride, l.stride},
                       {1, 1},
                       {l.pad, l.pad},
                       {l.pad, l.pad}},
            .bias = pass == Pass::backward_weights,
            .threads = omp_get_max_threads()};
}

using Memory = std::unique_ptr<float, decltype(&std::free)>;

// In huge pages, like the engine's.
Memory memory_of(std::size_t floats) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t bytes = (floats * sizeof(float) + page) / page * page;
    Memory memory(static_cast<float*>(std::aligned_alloc(page, bytes)), std::free);
    madvise(memory.get(), bytes, MADV_HUGEPAGE);
    for (std::size_t i = 0; i < bytes / sizeof(float); ++i) {
        memory.get()[i] = static_cast<float>(i % 17) / 8 - 1;
    }
    return memory;
}

void set_rate(benchmark::State& state, const ConvolutionProblem& problem) {
    const double products = static_cast<double>(elements(problem.y)) *
                            static_cast<double>(elements(problem.weight)) /
                            static_cast<double>(problem.weight[0]);
    state.counters["FLOPS"] =
        benchmark::Counter(2 * products, benchmark::Counter::kIsIterationInvariantRate);
}

void run_method(benchmark::State& state, const ConvolutionMethod& method,
                const ConvolutionLayer& layer, Pass pass, ImageOrder order) {
    const ConvolutionProblem problem = problem_of(layer, pass);
    std::unique_ptr<PreparedConvolution> prepared;
    try {
        prepared = method.prepare(
            problem, {layer.inputs < 8 ? ImageOrder::nchw : order, FilterOrder::oihw, order});
    } catch (const Refusal& refusal) {
        state.SkipWithError(refusal.reason.c_str());
        return;
    }
    const Memory x = memory_of(elements(problem.x)), weight = memory_of(elements(problem.weight));
    const Memory y = memory_of(elements(problem.y)), bias = memory_of(elements({layer.outputs}));
    const Memory workspace =
        memory_of(static_cast<std::size_t>(prepared->workspace().value) / sizeof(float));
    const ConvolutionOperands operands = {x.get(), weight.get(),
                                          problem.bias ? bias.get() : nullptr, y.get()};
    auto* bytes = reinterpret_cast<std::byte*>(workspace.get());
    for (auto _ : state) {
        prepared->run(operands, bytes);
    }
    set_rate(state, problem);
    state.counters["workspace"] = prepared->workspace().value;
    state.SetLabel(prepared->implementation());
}

// The library's primitive of a pass and the arguments of its result.
struct Direct {
    dnnl::primitive primitive;
    dnnl::memory::desc x, weight, y;
    std::string implementation;
};

Direct direct_of(const ConvolutionProblem& p, const dnnl::engine& engine) {
    using Desc = dnnl::memory::desc;
    const auto any = [](const Dims& dims) {
        return Desc(dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
    };
    const Window& w = p.window;
    const Desc x = any(p.x), weight = any(p.weight), y = any(p.y), bias = any({p.y[1]});
    const dnnl::memory::dims stride = w.stride, begin = w.pad_begin, end = w.pad_end;
    const auto direct = dnnl::algorithm::convolution_direct;
    const auto kind = p.pass == Pass::backward_weights ? dnnl::prop_kind::forward_training
                                                       : dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::convolution_forward::primitive_desc forward(engine, kind, direct, x, weight, y,
                                                            stride, begin, end);
#else
    const dnnl::convolution_forward::primitive_desc forward(
        {kind, direct, x, weight, y, stride, begin, end}, engine);
#endif
    if (p.pass == Pass::backward_data) {
#if DNNL_VERSION_MAJOR >= 3
        const dnnl::convolution_backward_data::primitive_desc d(engine, direct, x, weight, y,
                                                                stride, begin, end, forward);
#else
        const dnnl::convolution_backward_data::primitive_desc d(
            {direct, x, weight, y, stride, begin, end}, engine, forward);
#endif
        return {dnnl::convolution_backward_data(d), d.diff_src_desc(), d.weights_desc(),
                d.diff_dst_desc(), d.impl_info_str()};
    }
    if (p.pass == Pass::backward_weights) {
#if DNNL_VERSION_MAJOR >= 3
        const dnnl::convolution_backward_weights::primitive_desc d(engine, direct, x, weight, bias,
                                                                   y, stride, begin, end, forward);
#else
        const dnnl::convolution_backward_weights::primitive_desc d(
            {direct, x, weight, bias, y, stride, begin, end}, engine, forward);
#endif
        return {dnnl::convolution_backward_weights(d), d.src_desc(), d.diff_weights_desc(),
                d.diff_dst_desc(), d.impl_info_str()};
    }
    return {dnnl::convolution_forward(forward), forward.src_desc(), forward.weights_desc(),
            forward.dst_desc(), forward.impl_info_str()};
}

void run_direct(benchmark::State& state, const ConvolutionLayer& layer, Pass pass) {
    const ConvolutionProblem problem = problem_of(layer, pass);
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    const Direct direct = direct_of(problem, engine);
    std::vector<Memory> operands;
    const auto memory = [&](const dnnl::memory::desc& desc) {
        operands.push_back(memory_of(desc.get_size() / sizeof(float)));
        return dnnl::memory(desc, engine, operands.back().get());
    };
    const bool to_data = pass == Pass::backward_data, to_weights = pass == Pass::backward_weights;
    std::unordered_map<int, dnnl::memory> arguments = {
        {to_data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, memory(direct.x)},
        {to_weights ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, memory(direct.weight)},
        {pass == Pass::forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, memory(direct.y)}};
    if (problem.bias) {
        using Type = dnnl::memory::data_type;
        arguments.emplace(DNNL_ARG_DIFF_BIAS,
                          memory({{layer.outputs}, Type::f32, dnnl::memory::format_tag::a}));
    }
    for (auto _ : state) {
        direct.primitive.execute(stream, arguments);
        stream.wait();
    }
    set_rate(state, problem);
    state.SetLabel(direct.implementation);
}

// The peak to compare rates with: multiply-adds in registers, on all threads.
void run_peak(benchmark::State& state) {
    const auto kernels = widest_isa() == Isa::avx512 ? compute_kernels_avx512()
                         : widest_isa() == Isa::avx2 ? compute_kernels_avx2()
                                                     : compute_kernels_portable();
    const auto f32 = std::find_if(kernels.begin(), kernels.end(), [](const ComputeKernel& kernel) {
        return kernel.dtype == "f32";
    });
    constexpr std::size_t rounds = 1'000'000;
    const int threads = omp_get_max_threads();
    for (auto _ : state) {
#pragma omp parallel num_threads(threads)
        f32->run(rounds);
    }
    state.counters["FLOPS"] = benchmark::Counter(f32->operations * rounds * threads,
                                                 benchmark::Counter::kIsIterationInvariantRate);
    state.SetLabel(std::string(f32->name));
}

void register_layer(const ConvolutionLayer& layer, Pass pass) {
    const std::string prefix = std::string(layer.name) + "/" + std::string(name_of(pass)) + "/";
    const auto add = [&](const std::string& name, auto run) {
        benchmark::RegisterBenchmark((prefix + name).c_str(), run)
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond)
            ->MinTime(0.05);
    };
    add("library", [&layer, pass](benchmark::State& state) { run_direct(state, layer, pass); });
    for (const ConvolutionMethod& method : convolution_methods()) {
        for (const ImageOrder order : {ImageOrder::nchw, ImageOrder::nchw8c, ImageOrder::nchw16c}) {
            const char* suffix = order == ImageOrder::nchw     ? ""
                                 : order == ImageOrder::nchw8c ? "/nchw8c"
                                                               : "/nchw16c";
            add(std::string(method.name) + suffix,
                [&layer, pass, &method, order](benchmark::State& state) {
                    run_method(state, method, layer, pass, order);
                });
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const char* isa = std::getenv("ONEDNN_MAX_CPU_ISA");
    if (isa != nullptr && std::string(isa) == "AVX2") {
        cap_isa(Isa::avx2);
    }
    benchmark::RegisterBenchmark("peak/f32/registers", run_peak)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond)
        ->MinTime(0.05);
    for (const ConvolutionLayer& layer : layers) {
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            register_layer(layer, pass);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
