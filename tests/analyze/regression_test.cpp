// SPDX-License-Identifier: MIT
#include "analyze/regression.h"

#include "analyze/release.h"
#include "import/paradnn.h"
#include "published/files.h"
#include "tests/support/error_message.h"
#include "tests/support/shared_directory.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata {
namespace {

// y = 3 a - b on a grid, with an error orthogonal to both.
RegressionData grid(double error) {
    RegressionData data{.names = {"a", "b"}, .columns = {{}, {}}};
    int sign = 1;
    for (const double a : {1.0, 2.0, 3.0, 4.0}) {
        for (const double b : {10.0, 20.0}) {
            data.columns[0].push_back(a);
            data.columns[1].push_back(b);
            data.target.push_back(3 * a - b + sign * error);
            sign = -sign;
        }
        sign = -sign;
    }
    return data;
}

TEST(Regression, WeightsAreInStandardDeviationsOfBothSides) {
    const Regression found = regress(grid(0), {});
    // Deviations: a sqrt(5)/2, b 5, y sqrt(9 * 1.25 + 25).
    const double deviation = std::sqrt(9 * 1.25 + 25);
    ASSERT_EQ(found.terms.size(), 2u);
    EXPECT_NEAR(found.terms[0].weight, 3 * std::sqrt(1.25) / deviation, 1e-12);
    EXPECT_NEAR(found.terms[1].weight, -5 / deviation, 1e-12);
    EXPECT_NEAR(found.r_squared, 1, 1e-12);
    // For independent features, the squared weights add up to R^2.
    const Regression noisy = regress(grid(1), {});
    double squares = 0;
    for (const RegressionTerm& term : noisy.terms) {
        squares += term.weight * term.weight;
        EXPECT_LT(term.interval.low, term.weight);
        EXPECT_GT(term.interval.high, term.weight);
    }
    EXPECT_NEAR(noisy.r_squared, squares, 1e-12);
    EXPECT_LT(noisy.r_squared, 1);
}

TEST(Regression, UnitsAndOriginsOfTheFeaturesDoNotMatter) {
    RegressionData other = grid(1);
    for (double& value : other.columns[0]) {
        value = 1000 * value - 7;
    }
    const Regression a = regress(grid(1), {}), b = regress(other, {});
    for (std::size_t i = 0; i < a.terms.size(); ++i) {
        EXPECT_NEAR(a.terms[i].weight, b.terms[i].weight, 1e-12);
        EXPECT_NEAR(a.terms[i].interval.high, b.terms[i].interval.high, 1e-12);
    }
}

TEST(Regression, TheSecondOrderExplainsAProductThatTheFirstCannot) {
    RegressionData data{.names = {"a", "b"}, .columns = {{}, {}}};
    for (const double a : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
        for (const double b : {-1.0, 0.0, 1.0}) {
            data.columns[0].push_back(a);
            data.columns[1].push_back(b);
            data.target.push_back(a * b);
        }
    }
    EXPECT_NEAR(regress(data, {}).r_squared, 0, 1e-12);
    const Regression second = regress(data, {.order = 2});
    EXPECT_NEAR(second.r_squared, 1, 1e-12);
    EXPECT_EQ(second.terms[3].name, "a x b");
    EXPECT_NEAR(second.terms[3].weight, 1, 1e-12);
}

TEST(Regression, ConstantFeaturesAreNamedAndDependentOnesRefused) {
    RegressionData data = grid(1);
    data.names.push_back("c");
    data.columns.emplace_back(8, 64.0);
    EXPECT_EQ(regress(data, {}).constant, std::vector<std::string>{"c"});
    data.columns[2] = data.columns[0];
    EXPECT_NE(error_of([&] { regress(data, {}); }).find("depend on others"), std::string::npos);
    data.target.assign(8, 1.0);
    EXPECT_NE(error_of([&] { regress(data, {}); }).find("the same in all runs"), std::string::npos);
    RegressionData few{.names = {"a"}, .columns = {{1, 2}}, .target = {1, 2}};
    EXPECT_NE(error_of([&] { regress(few, {}); }).find("too few"), std::string::npos);
    data = grid(0);
    data.columns[0][0] = 0;
    EXPECT_NE(error_of([&] { regress(data, {.scale = FeatureScale::log2}); }).find("logarithm"),
              std::string::npos);
}

Release released(const std::filesystem::path& folder) {
    Release all;
    for (const char* name : {"tpu_fc.json", "gpu_fc.json"}) {
        ByteSource source(folder / name);
        const ParadnnResults results = read_paradnn(source);
        for (const ParadnnEntry& entry : results.entries) {
            all.networks[std::string(name_of(results.platform))].runs.push_back(
                observation_of(entry));
        }
    }
    return all;
}

// Fig. 2d rounds its digits down: .4655 is printed as .465, and -.0414 as -.042.
TEST(Regression, ParadnnsReleasedResultsGiveItsPrintedWeightsToTheLastDigit) {
    const auto folder = shared_directory() / "data/paradnn";
    if (!std::filesystem::exists(folder)) {
        GTEST_SKIP() << folder << " is not here";
    }
    const auto all = released(folder);
    const Reproduced reproduced =
        reproduce(find_reproduction("paradnn-regression"),
                  [&](const FromRelease& asked) { return quantity_of(asked, all); });
    EXPECT_TRUE(agrees(reproduced));
    int printed = 0;
    for (const ComparedNumber& number : reproduced.comparisons) {
        if (number.where == "Fig. 2d") {
            EXPECT_DOUBLE_EQ(std::floor(1000 * number.ours) / 1000, number.published)
                << number.quantity;
            ++printed;
        }
    }
    EXPECT_EQ(printed, 5);
    const auto rounded = [&](const FromRelease& asked) {
        return std::round(1000 * quantity_of(asked, all)) / 1000;
    };
    EXPECT_DOUBLE_EQ(rounded({.data = "tpu", .quantity = "weight of nodes"}), 0.466);
    EXPECT_DOUBLE_EQ(rounded({.data = "tpu", .quantity = "r squared"}), 0.429);
    EXPECT_DOUBLE_EQ(rounded({.data = "gpu", .quantity = "weight of nodes"}), 0.720);
    EXPECT_DOUBLE_EQ(rounded({.data = "tpu", .over = "gpu", .quantity = "weight of batch"}), 0.602);
    EXPECT_DOUBLE_EQ(rounded({.data = "tpu", .over = "gpu", .quantity = "r squared"}), 0.580);
    EXPECT_EQ(quantity_of({.data = "tpu", .over = "gpu", .quantity = "count"}, all), 176);
}

// The counts and sums of the published facts were computed by another program (Python's json).
TEST(Regression, ParadnnsTracesAndRecordsGiveTheirCountsAndIdentities) {
    const auto folder = shared_directory() / "data/paradnn";
    if (!std::filesystem::exists(folder)) {
        GTEST_SKIP() << folder << " is not here";
    }
    Release all = released(folder);
    for (const char* name :
         {"tpu_fc.json", "gpu_fc.json", "fc_trace_10sec.json", "fc_trace_10sec_opbreakdown.json"}) {
        ByteSource source(folder / name);
        ReleasedTable table = read_released_table(source);
        const std::string kind = kind_of(table);
        all.tables[kind] = std::move(table);
    }
    ASSERT_EQ(all.tables.size(), 4U);
    const auto of = [&](FromRelease asked) { return quantity_of(asked, all); };
    EXPECT_EQ(of({.data = "trace", .quantity = "count below", .column = "intensity", .below = 75}),
              191);
    EXPECT_EQ(of({.data = "operators", .quantity = "count", .column = "time_perc"}), 2029);
    EXPECT_EQ(of({.data = "operators", .quantity = "count", .column = "bs", .kind = "while"}), 191);
    EXPECT_NEAR(of({.data = "operators",
                    .quantity = "mean",
                    .column = "time_perc",
                    .kind = "output fusion"}),
                18.157, 0.001);
    EXPECT_THROW(of({.data = "trace", .quantity = "mean", .column = "speed"}), Error);
    EXPECT_THROW(of({.data = "trace", .quantity = "count below", .column = "intensity"}), Error);
    for (const char* name : {"paradnn-roofline", "paradnn-results"}) {
        const Reproduced reproduced =
            reproduce(find_reproduction(name),
                      [&](const FromRelease& asked) { return quantity_of(asked, all); });
        EXPECT_TRUE(agrees(reproduced)) << name;
    }
}

TEST(Regression, AReproductionWithoutItsFilesNamesThem) {
    const std::string sentence =
        error_of([] { quantity_of({.data = "tpu", .quantity = "largest"}, {}); });
    EXPECT_NE(sentence.find("name it with --from"), std::string::npos) << sentence;
}

}  // namespace
}  // namespace strata
