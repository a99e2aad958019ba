// SPDX-License-Identifier: MIT
// Convolution algorithms side by side on VGG-16's layers (Simonyan and Zisserman 2015, table 1, D).
//
//   bench_vgg_convolution [PASS] [BATCH] [ROUNDS] [METHOD...]
//
// PASS is forward, backward_data or backward_weights; without METHODs, all of strata's that support
// the layers run. In each round every algorithm runs once. Prints, layer by layer, the median time,
// the nominal rate (2 operations for each multiplication of the definition) and how many times as
// fast as the library's direct convolution that is, then the sums over all layers but the first.
// OMP_NUM_THREADS and ONEDNN_MAX_CPU_ISA limit threads and instruction sets.
#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/onednn/isa.h"
#include "backend/lower/program.h"
#include "base/error.h"
#include "bench/convolution/library_convolution.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>

namespace {

using namespace strata;
using namespace strata::cpu;

struct VggLayer {
    const char* name = "";
    std::int64_t inputs = 0;
    std::int64_t outputs = 0;
    std::int64_t side = 0;
    int times = 1;  // in the network
};

constexpr std::array layers = {
    VggLayer{"conv1_1", 3, 64, 224},      VggLayer{"conv1_2", 64, 64, 224},
    VggLayer{"conv2_1", 64, 128, 112},    VggLayer{"conv2_2", 128, 128, 112},
    VggLayer{"conv3_1", 128, 256, 56},    VggLayer{"conv3_2", 256, 256, 56, 2},
    VggLayer{"conv4_1", 256, 512, 28},    VggLayer{"conv4_2", 512, 512, 28, 2},
    VggLayer{"conv5_1", 512, 512, 14, 3},
};

ConvolutionProblem problem_of(const VggLayer& layer, Pass pass, std::int64_t batch) {
    const std::int64_t side = layer.side;
    return {.pass = pass,
            .x = {batch, layer.inputs, side, side},
            .weight = {layer.outputs, layer.inputs, 3, 3},
            .y = {batch, layer.outputs, side, side},
            .window = {{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
            .bias = true,
            .threads = omp_get_max_threads()};
}

double nominal_operations(const ConvolutionProblem& problem) {
    double operations = 2 * 9 * static_cast<double>(problem.x[1]);
    for (const std::int64_t extent : problem.y) {
        operations *= static_cast<double>(extent);
    }
    return operations;
}

// Memory for blocked operands, whose channels may be padded to 16.
std::shared_ptr<float[]> operand(const Dims& dims) {
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        const auto extent = static_cast<std::size_t>(dims[axis]);
        count *= axis < 2 && dims.size() > 1 ? (extent + 15) / 16 * 16 : extent;
    }
    auto* memory = static_cast<float*>(std::aligned_alloc(4096, (count * 4 + 4095) / 4096 * 4096));
    std::fill_n(memory, count, 0.5F);
    return {memory, [](float* p) { std::free(p); }};
}

struct Contestant {
    std::string name;
    std::function<void()> run;
    std::vector<double> seconds = {};

    double median() {
        const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
        std::ranges::nth_element(seconds, middle);
        return *middle;
    }
};

// Empty if the method refuses.
std::function<void()> own_convolution(const ConvolutionMethod& method,
                                      const ConvolutionProblem& problem) try {
    const bool wide = widest_isa() == Isa::avx512;
    const ImageOrder images = wide ? ImageOrder::nchw16c : ImageOrder::nchw8c;
    const FilterOrder filters = wide ? FilterOrder::oihw16i16o : FilterOrder::oihw8i8o;
    const std::shared_ptr<PreparedConvolution> prepared =
        method.prepare(problem, {images, filters, images});
    const auto x = operand(problem.x), weight = operand(problem.weight), y = operand(problem.y),
               bias = operand({problem.y[1]});
    const auto workspace =
        operand({static_cast<std::int64_t>(prepared->workspace().value) / 4 + 1});
    return [=] {
        prepared->run({x.get(), weight.get(), bias.get(), y.get()},
                      reinterpret_cast<std::byte*>(workspace.get()));
    };
} catch (const Refusal&) {
    return {};
}

std::vector<Contestant> contestants(const ConvolutionProblem& problem,
                                    std::span<char* const> wanted) {
    std::vector<Contestant> all = {
        {"onednn direct", library_convolution(problem, LibraryAlgorithm::direct)},
        {"onednn winograd", library_convolution(problem, LibraryAlgorithm::winograd)}};
    for (const ConvolutionMethod& method : convolution_methods()) {
        if (wanted.empty() || std::ranges::find(wanted, method.name) != wanted.end()) {
            all.push_back({std::string(method.name), own_convolution(method, problem)});
        }
    }
    std::erase_if(all, [](const Contestant& one) { return !one.run; });
    return all;
}

void take_turns(std::vector<Contestant>& all, int rounds) {
    for (int round = -1; round < rounds; ++round) {
        for (Contestant& one : all) {
            const auto begin = std::chrono::steady_clock::now();
            one.run();
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
            if (round >= 0) {  // the first only warms up
                one.seconds.push_back(taken.count());
            }
        }
    }
}

struct Sum {
    double seconds = 0;
    double operations = 0;
};

void print(const char* layer, const std::string& algorithm, const Sum& one, double direct) {
    fmt::print("{:8} {:18} {:9.2f} ms {:8.1f} GF/s {:6.2f}x\n", layer, algorithm, 1e3 * one.seconds,
               1e-9 * one.operations / one.seconds, direct / one.seconds);
}

}  // namespace

int main(int count, char** arguments) try {
    const std::span<char*> given(arguments, static_cast<std::size_t>(count));
    const Pass pass = parse_pass(count > 1 ? given[1] : "forward");
    const std::int64_t batch = count > 2 ? std::stoll(given[2]) : 8;
    const int rounds = count > 3 ? std::stoi(given[3]) : 10;
    cap_isa(effective_isa());
    fmt::print("{}, batch {}, {} threads, {}\n", name_of(pass), batch, omp_get_max_threads(),
               text_of(widest_isa()));
    std::map<std::string, Sum> sums;
    for (const VggLayer& layer : layers) {
        const ConvolutionProblem problem = problem_of(layer, pass, batch);
        auto all = contestants(problem, given.subspan(std::min<std::size_t>(4, given.size())));
        take_turns(all, rounds);
        const double operations = nominal_operations(problem), direct = all.front().median();
        for (Contestant& one : all) {
            const double seconds = one.median();
            print(layer.name, one.name, {seconds, operations}, direct);
            if (&layer != layers.data()) {
                Sum& sum = sums[one.name];
                sum.seconds += layer.times * seconds;
                sum.operations += layer.times * operations;
            }
        }
    }
    for (const auto& [name, sum] : sums) {
        print("the rest", name, sum, sums["onednn direct"].seconds);
    }
    return EXIT_SUCCESS;
} catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
}
