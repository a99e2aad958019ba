// SPDX-License-Identifier: MIT
// The cost of the statistics, by number of samples; they run while nothing is timed.
#include "measure/statistics.h"

#include "measure/modes.h"
#include "measure/series.h"
#include "tests/measure/synthetic.h"

#include <benchmark/benchmark.h>

#include <span>

namespace strata {
namespace {

template <auto Question>
void question(benchmark::State& state) {
    const auto values =
        testing::Synthetic(1).heavy_tailed(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        benchmark::DoNotOptimize(Question(values));
    }
}

Estimate estimate_of(std::span<const Seconds> values) {
    return estimate(values);
}
BENCHMARK(question<estimate_of>)->Name("estimate")->Arg(100)->Arg(10'000);
BENCHMARK(question<trend_of>)->Name("trend_of")->Arg(100)->Arg(10'000);
BENCHMARK(question<modes_of>)->Name("modes_of")->Arg(100)->Arg(10'000);

}  // namespace
}  // namespace strata
