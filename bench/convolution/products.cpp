// SPDX-License-Identifier: MIT The matrix products inside our convolutions, by the library's sgemm,
// our own small_gemm, OpenBLAS and libxsmm, on one thread:
//
//     OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=SkylakeX bench_products
//         --benchmark_enable_random_interleaving=true --benchmark_repetitions=5
//
// (OpenBLAS 0.3.21 treats unknown processors as a Prescott.) For AVX2: ONEDNN_MAX_CPU_ISA=AVX2
// OPENBLAS_CORETYPE=Haswell LIBXSMM_TARGET=hsw.
#include "backend/cpu/convolution/library_product.h"
#include "backend/cpu/kernels/isa.h"

#include <benchmark/benchmark.h>
#include <cblas.h>
#include <libxsmm.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace strata::cpu;

// c[rows][columns] = a[rows][depth] b[depth][columns], row-major.
struct Product {
    const char* name;
    std::size_t rows, columns, depth;
};

constexpr Product products[] = {
    {"gemm/alexnet.conv1", 64, 3025, 363},
    {"gemm/alexnet.conv2", 192, 729, 1600},
    {"gemm/vgg16.conv4_2", 512, 784, 4608},
    {"gemm/vgg16.conv5_2", 512, 196, 4608},
    {"winograd/depth64", 48, 64, 64},
    {"winograd/depth128", 48, 64, 128},
    {"implicit-gemm/columns16", 48, 16, 256},
    {"implicit-gemm/columns64", 48, 64, 256},
    {"fft/rows32", 32, 64, 64},
    {"fft/rows128", 128, 128, 128},
};

using Multiply = void (*)(const Product&, const float* a, const float* b, float* c);

std::ptrdiff_t stride(std::size_t floats) {
    return static_cast<std::ptrdiff_t>(floats);
}

void by_library(const Product& p, const float* a, const float* b, float* c) {
    library_product({p.rows, p.columns, p.depth}, {a, p.depth}, {b, p.columns},
                    {c, stride(p.columns)}, Into::overwrite);
}

void by_strata(const Product& p, const float* a, const float* b, float* c) {
    small_gemm({p.rows, p.columns, p.depth}, {a, stride(p.depth), 1}, {b, stride(p.columns)},
               {c, stride(p.columns)}, Into::overwrite);
}

void by_openblas(const Product& p, const float* a, const float* b, float* c) {
    const auto count = [](std::size_t value) { return static_cast<blasint>(value); };
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count(p.rows), count(p.columns),
                count(p.depth), 1, a, count(p.depth), b, count(p.columns), 0, c, count(p.columns));
}

// Column-major, so it computes the transposed product. libxsmm keeps its kernels, so the time
// includes finding one.
void by_libxsmm(const Product& p, const float* a, const float* b, float* c) {
    const auto count = [](std::size_t value) { return static_cast<libxsmm_blasint>(value); };
    const float one = 1, zero = 0;
    const libxsmm_smmfunction kernel =
        libxsmm_smmdispatch(count(p.columns), count(p.rows), count(p.depth), nullptr, nullptr,
                            nullptr, &one, &zero, nullptr, nullptr);
    kernel(b, a, c);
}

void run(benchmark::State& state, const Product& product, Multiply multiply) {
    const std::vector<float> a(product.rows * product.depth, 0.5F);
    const std::vector<float> b(product.depth * product.columns, 0.25F);
    std::vector<float> c(product.rows * product.columns);
    multiply(product, a.data(), b.data(), c.data());  // libraries generate code at the first call
    for (auto _ : state) {
        multiply(product, a.data(), b.data(), c.data());
        benchmark::ClobberMemory();
    }
    if (c.back() != 0.125F * static_cast<float>(product.depth)) {
        state.SkipWithError("the product is wrong");
    }
    state.counters["FLOPS"] =
        benchmark::Counter(2 * static_cast<double>(product.rows * product.columns * product.depth),
                           benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
    const char* isa = std::getenv("ONEDNN_MAX_CPU_ISA");
    if (isa != nullptr && std::string_view(isa) == "AVX2") {
        cap_isa(Isa::avx2);
    }
    const auto add = [](const Product& product, const std::string& name, Multiply multiply) {
        benchmark::RegisterBenchmark(
            (product.name + ("/" + name)).c_str(),
            [&product, multiply](benchmark::State& state) { run(state, product, multiply); })
            ->MinTime(0.05);
    };
    for (const Product& product : products) {
        add(product, "onednn", by_library);
        if (product.columns % 16 == 0) {
            add(product, "strata", by_strata);
        }
        add(product, "openblas", by_openblas);
        add(product, "libxsmm", by_libxsmm);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
