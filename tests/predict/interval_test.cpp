// SPDX-License-Identifier: MIT
#include "predict/interval.h"

#include "base/error.h"
#include "base/text.h"
#include "networks/network.h"
#include "predict/gpu_rates.h"
#include "predict/network_interval.h"
#include "predict/predictive.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace strata::testing {

namespace {

// Products whose measured times are `factor` times what a V100's rates predict.
std::string products(std::string_view device, double factor, std::uint64_t seed) {
    std::string csv = "device,precision,m,n,k,a_transposed,b_transposed,milliseconds\n";
    const DeviceDescription v100 = find_description("v100");
    const DeviceRates rates = rates_of("v100");
    std::uint64_t state = seed;
    for (int i = 0; i < 300; ++i) {
        const auto next = [&] {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            return static_cast<double>(state >> 40U) / static_cast<double>(1U << 24U);
        };
        const int m = static_cast<int>(64 * std::exp2(6 * next()));
        const int n = static_cast<int>(64 * std::exp2(6 * next()));
        const int k = static_cast<int>(64 * std::exp2(6 * next()));
        const std::string row = fmt::format("{},fp32,{},{},{},N,N,", device, m, n, k);
        const auto one = read_problems(
            "device,precision,m,n,k,a_transposed,b_transposed,milliseconds\n" + row + "1\n", "t");
        // Evenly spread over a fourth of a logarithm.
        const double scatter = std::exp(0.25 * (next() - 0.5));
        const Seconds time = predict_row(one.rows.front(), v100, rates) * factor * scatter;
        csv += row + fmt::format("{}\n", time.value * 1e3);
    }
    return csv;
}

std::vector<ResidualRow> residuals_in(const ProblemTable& table) {
    std::vector<const ProblemRow*> rows;
    for (const ProblemRow& row : table.rows) {
        rows.push_back(&row);
    }
    return residuals_of(rows);
}

std::vector<ResidualRow> rows_with(const std::vector<ResidualRow>& rows, std::string_view device,
                                   ResidualSplit split) {
    std::vector<ResidualRow> found;
    std::ranges::copy_if(rows, std::back_inserter(found), [&](const ResidualRow& row) {
        return row.device == device && row.split == split && row.problem_class == "gemm fp32";
    });
    return found;
}

// Times whose scatter is known: eight tenths of 0.25 lie between the tenth and the ninth decile,
// and folds that did not make an interval are held by it as often as it says.
TEST(Residuals, FindTheScatterOfMeasuredTimes) {
    const auto residuals = residuals_in(read_problems(products("v100", 1, 1), "t"));
    const auto rows = rows_with(residuals, "v100", ResidualSplit::cross_validated);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_LT(rows[0].until, rows[1].until);
    EXPECT_LT(rows[1].until, rows[2].until);
    for (const ResidualRow& row : rows) {
        EXPECT_NEAR(row.residuals.high - row.residuals.low, 0.2, 0.07);
        EXPECT_NEAR(row.covered, 0.8, 0.1);
        EXPECT_EQ(row.n, 100U);
    }
    const auto beyond = rows_with(residuals, "v100", ResidualSplit::beyond);
    ASSERT_EQ(beyond.size(), 1U);
    EXPECT_GT(beyond.front().residuals.high, beyond.front().residuals.low);
    EXPECT_TRUE(rows_with(residuals, "v100", ResidualSplit::left_out).empty());
}

TEST(Residuals, AreTheSameAfterAFile) {
    const StatedResiduals stated{
        .source = "a \"test\"",
        .rows = {{.device = "v100",
                  .problem_class = "gemm fp32",
                  .split = ResidualSplit::beyond,
                  .n = 12,
                  .devices = 1,
                  .until = Seconds{0.25e-3},
                  .residuals = {.low = -0.125, .middle = 0.0625, .high = 0.5},
                  .covered = 0.75}}};
    const StatedResiduals read = parse_residuals(to_toml(stated), "t");
    EXPECT_EQ(read.source, stated.source);
    ASSERT_EQ(read.rows.size(), 1U);
    const ResidualRow& row = read.rows.front();
    EXPECT_EQ(row.device, "v100");
    EXPECT_EQ(row.split, ResidualSplit::beyond);
    EXPECT_EQ(row.n, 12U);
    EXPECT_NEAR(row.until.value, 0.25e-3, 1e-12);
    EXPECT_EQ(row.residuals.low, -0.125);
    EXPECT_EQ(row.residuals.high, 0.5);
    EXPECT_THROW(parse_residuals("source = \"\"\nresiduals = [{device = \"\"}]", "t"), Error);
    std::string wrong = to_toml(stated);
    wrong.replace(wrong.find("beyond"), 6, "before");
    EXPECT_THROW(parse_residuals(wrong, "t"), Error);
}

// However many networks a machine ran.
TEST(Residuals, OfNetworksWeighEachMachineAlike) {
    std::vector<MeasuredTime> networks;
    for (int machine = 0; machine < 10; ++machine) {
        const int runs = machine == 0 ? 100 : 2;
        for (int i = 0; i < runs; ++i) {
            networks.push_back({.problem_class = network_class(DeviceKind::cpu),
                                .machine = std::to_string(machine),
                                .measured = Seconds{1 + 0.1 * machine},
                                .predicted = Seconds{1}});
        }
    }
    const auto rows = residuals_of(networks);
    ASSERT_EQ(rows.size(), 2U);  // the class and its family
    const ResidualRow& whole = rows.back();
    EXPECT_EQ(whole.problem_class, "network on a cpu");
    EXPECT_EQ(whole.devices, 10U);
    EXPECT_EQ(whole.n, 118U);
    EXPECT_NEAR(whole.residuals.middle, std::log(1.4), 0.08);
    EXPECT_LE(whole.residuals.low, std::log(1.1));
    EXPECT_GE(whole.residuals.high, std::log(1.8));
}

std::vector<MeasuredTime> networks_on(int machines, double shift) {
    std::vector<MeasuredTime> networks;
    for (int machine = 0; machine < machines; ++machine) {
        for (int i = -2; i <= 2; ++i) {
            networks.push_back({.problem_class = network_class(DeviceKind::gpu),
                                .machine = fmt::format("{} {}", machine, shift),
                                .measured = Seconds{std::exp(shift + 0.01 * i)},
                                .predicted = Seconds{1}});
        }
    }
    return networks;
}

// One machine says little of the next: what all kinds of them had counts as one more.
TEST(Residuals, OfFewMachinesAreWiderThanTheirOwnScatter) {
    auto networks = networks_on(1, 0);
    auto others = networks_on(8, 0.5);
    for (MeasuredTime& one : others) {
        one.problem_class = network_class(DeviceKind::cpu);
    }
    networks.insert(networks.end(), others.begin(), others.end());
    const auto width_of = [](const std::vector<ResidualRow>& rows) {
        const auto at =
            std::ranges::find(rows, network_class(DeviceKind::gpu), &ResidualRow::problem_class);
        return at->residuals.high - at->residuals.low;
    };
    EXPECT_GT(width_of(residuals_of(networks)), 0.4);
    EXPECT_LT(width_of(residuals_of(networks_on(8, 0))), 0.05);
}

TEST(Predictive, IsTheMeanOfWhatIsKnownAndOfAWiderCircle) {
    const ResidualDistribution own({{0, 1}, {1, 1}, {2, 1}});
    EXPECT_EQ(own.groups(), 3);
    EXPECT_EQ(own.quantile(0.5), 1);
    EXPECT_NEAR(own.share_below(1), 0.5, 1e-12);
    const ResidualDistribution wider({{10, 5}, {20, 5}});
    const ResidualDistribution found = own.with(wider);
    EXPECT_EQ(found.quantile(0.74), 2);
    EXPECT_EQ(found.quantile(0.8), 10);
    EXPECT_EQ(found.quantile(1), 20);
    EXPECT_NEAR(found.share_below(5), 0.75, 1e-12);
    EXPECT_EQ(own.with({}).groups(), 3);
    EXPECT_EQ(ResidualDistribution().with(wider).quantile(0.4), 10);
}

TEST(Residuals, OfNetworksRefuseWhatIsNoTime) {
    const auto quoted =
        read_measured_networks("network,measured_ms,predicted_ms\n\"fc:a=1,b=2\",1,2\n", "t");
    ASSERT_TRUE(quoted);
    EXPECT_EQ(quoted->front().predicted.value, 2e-3);
    EXPECT_FALSE(read_measured_networks("device,m,n,k\nv100,1,2,3\n", "t"));
    EXPECT_THROW(read_measured_networks("measured_ms,predicted_ms\n0,1\n", "t"), Error);
    EXPECT_THROW(read_measured_networks("measured_ms,predicted_ms\n1\n", "t"), Error);
    EXPECT_THROW(read_measured_networks("device,measured_ms,predicted_ms\nv99,1,1\n", "t"), Error);
}

TEST(Interval, OfWhatWasNeverMeasuredIsWideAndSaysSo) {
    const IntervalRule rule(
        {.problem_class = "singing", .origin = RateOrigin::related, .device = "v100"});
    const IntervalRule of_tpu(
        {.problem_class = "fully connected training", .origin = RateOrigin::related});
    EXPECT_FALSE(of_tpu.is_measured());
    const TimeInterval interval = of_tpu.interval(Seconds{1});
    EXPECT_NEAR(interval.low.value, 0.25, 1e-12);
    EXPECT_NEAR(interval.high.value, 4, 1e-12);
    EXPECT_EQ(of_tpu.basis(Seconds{1}), "no measured times of this kind");
    EXPECT_NE(rule.basis(Seconds{1}), "");
}

TEST(Interval, ComesFromWhatResemblesIt) {
    const Resembled own{
        .problem_class = "gemm 16 bits", .origin = RateOrigin::shipped, .device = "h100"};
    const IntervalRule rule(own);
    ASSERT_TRUE(rule.is_measured());
    EXPECT_EQ(rule.basis(Seconds{1e-4}), "cross-validated, gemm 16 bits on h100");
    EXPECT_EQ(rule.basis(Seconds{1e3}), "beyond, gemm 16 bits on h100");
    Resembled changed = own;
    changed.is_changed = true;
    const IntervalRule elsewhere(changed);
    EXPECT_TRUE(elsewhere.basis(Seconds{1e-4}).starts_with("left-out, gemm 16 bits on "));
    const auto width = [](const TimeInterval& interval) { return interval.high / interval.low; };
    EXPECT_GT(width(elsewhere.interval(Seconds{1e-3})), width(rule.interval(Seconds{1e-3})));
    Resembled blind = own;
    blind.origin = RateOrigin::prior;
    EXPECT_TRUE(IntervalRule(blind).basis(Seconds{1e-4}).starts_with("uncalibrated, "));
}

NetworkIntervals intervals_on(const char* device, const char* network) {
    const auto model = model_of(find_description(device));
    const Graph graph = load_network({network, 32, {}, {}}, Mode::inference);
    Execution execution;
    execution.numerics.mode = Mode::inference;
    return intervals_of(predict_network(graph, execution, *model), *model, false);
}

// Layers' errors cancel in a sum, but what a network's layers share does not.
TEST(Interval, OfANetworkIsNeverAsNarrowAsIndependentLayers) {
    const NetworkIntervals deep = intervals_on("v100", "resnet-152");
    EXPECT_GT(deep.whole.time.high / deep.whole.time.low, 1.2);
    EXPECT_TRUE(deep.whole.basis.starts_with("left-out, network on a gpu on "));
    std::size_t found = 0;
    for (const auto& step : deep.steps) {
        if (step) {
            EXPECT_LT(step->time.low, step->time.high);
            EXPECT_FALSE(step->basis.empty());
            ++found;
        }
    }
    EXPECT_GT(found, 300U);
}

TEST(Interval, OfACpuAndATpuHasABasis) {
    const NetworkIntervals cpu = intervals_on("knl-7250", "alexnet");
    EXPECT_TRUE(cpu.whole.basis.starts_with("left-out, network on a cpu on "));
    const NetworkIntervals tpu = intervals_on("tpu-v2", "fc:");
    EXPECT_EQ(tpu.whole.basis, "cross-validated, fully connected training on tpu-v2");
}

}  // namespace

}  // namespace strata::testing
