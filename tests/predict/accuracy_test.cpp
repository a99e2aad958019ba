// SPDX-License-Identifier: MIT
#include "predict/accuracy.h"

#include "predict/stated_error.h"
#include "tests/support/shared_directory.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

namespace strata::testing {

namespace {

const AccuracyRow* found_row(const std::vector<AccuracyRow>& rows, std::string_view device,
                             std::string_view problem_class, std::string_view split) {
    for (const AccuracyRow& row : rows) {
        if (row.device == device && row.problem_class == problem_class && row.split == split) {
            return &row;
        }
    }
    return nullptr;
}

// data/accuracy.toml states the same. (Left-out rows need all devices' times.)
void expect_stated(const std::vector<AccuracyRow>& accuracy) {
    int compared = 0;
    for (const AccuracyRow& row : accuracy) {
        const auto* const stated =
            found_row(stated_accuracy().rows, row.device, row.problem_class, row.split);
        if (stated != nullptr && row.split != "left-out") {
            const std::string what = row.device + " " + row.problem_class + " " + row.split;
            EXPECT_EQ(stated->errors.n, row.errors.n) << what;
            EXPECT_NEAR(stated->errors.mape, row.errors.mape, 0.002) << what;
            EXPECT_NEAR(stated->errors.signed_sum, row.errors.signed_sum, 0.002) << what;
            ++compared;
        }
    }
    EXPECT_GE(compared, 4);
}

TEST(Accuracy, WhatIsStatedIsPlausible) {
    EXPECT_FALSE(stated_accuracy().source.empty());
    EXPECT_GT(stated_accuracy().rows.size(), 400U);
    for (const AccuracyRow& row : stated_accuracy().rows) {
        EXPECT_GE(row.errors.n, 5U) << row.device << " " << row.problem_class;
        EXPECT_LE(row.errors.median, row.errors.p90) << row.device << " " << row.problem_class;
        EXPECT_GT(row.errors.mape, 0) << row.device << " " << row.problem_class;
    }
}

TEST(Accuracy, ErrorsAreThoseOfTheRatios) {
    const std::vector<Seconds> predicted = {Seconds{1.1}, Seconds{2}, Seconds{2.7}, Seconds{8}};
    const std::vector<Seconds> measured = {Seconds{1}, Seconds{2}, Seconds{3}, Seconds{4}};
    const PredictionErrors errors = errors_of(predicted, measured);
    EXPECT_EQ(errors.n, 4U);
    EXPECT_NEAR(errors.mape, (0.1 + 0 + 0.1 + 1) / 4, 1e-12);
    EXPECT_NEAR(errors.median, 0.1, 1e-12);
    EXPECT_NEAR(errors.p90, 1, 1e-12);
    EXPECT_NEAR(errors.signed_sum, 0.38, 1e-12);
}

// On published measurements: within the error that the model had when it was made, and far better
// than the roofline. (Only one class; all would take some more seconds.)
TEST(Accuracy, OfPublishedProductsIsWhatIsStated) {
    const auto file = shared_directory() / "data" / "neusight" / "gemm.csv";
    if (!std::filesystem::exists(file)) {
        GTEST_SKIP() << "no published measurements; set STRATA_SHARED_DIR";
    }
    const ProblemTable table = read_problem_file(file.string());
    std::vector<const ProblemRow*> rows;
    for (const ProblemRow& row : table.rows) {
        if (row.device == "V100" && row.problem_class == "linear") {
            rows.push_back(&row);
        }
    }
    const auto accuracy = accuracy_of(rows);
    expect_stated(accuracy);
    const auto* const fitted = found_row(accuracy, "v100-pcie", "linear", "cross-validated");
    const auto* const roof = found_row(accuracy, "v100-pcie", "linear", "roofline");
    ASSERT_NE(fitted, nullptr);
    ASSERT_NE(roof, nullptr);
    EXPECT_EQ(fitted->errors.n, 1500U);
    EXPECT_LT(fitted->errors.mape, 0.056);
    EXPECT_GT(roof->errors.mape, 0.3);
}

// Only one device, because each takes a second.
TEST(Accuracy, OfPublishedRecurrentLayersIsWhatIsStated) {
    const auto file = shared_directory() / "data" / "deepbench" / "recurrent.csv";
    if (!std::filesystem::exists(file)) {
        GTEST_SKIP() << "no published measurements; set STRATA_SHARED_DIR";
    }
    const ProblemTable table = read_problem_file(file.string());
    std::vector<const ProblemRow*> rows;
    for (const ProblemRow& row : table.rows) {
        if (row.device == "NV_V100") {
            rows.push_back(&row);
        }
    }
    const auto accuracy = accuracy_of(rows);
    expect_stated(accuracy);
    for (const char* pass : {"forward", "backward_data", "backward_weights"}) {
        const std::string name = std::string("recurrent fp32 ") + pass;
        const auto* const fitted = found_row(accuracy, "v100", name, "cross-validated");
        const auto* const roof = found_row(accuracy, "v100", name, "roofline");
        ASSERT_NE(fitted, nullptr) << name;
        ASSERT_NE(roof, nullptr) << name;
        EXPECT_LT(fitted->errors.mape, 0.12) << name;
        EXPECT_GT(roof->errors.mape, 0.15) << name;
    }
}

// The same for forward convolutions: cross-validated, and by other boards' rates.
TEST(Accuracy, OfPublishedConvolutionsIsWhatIsStated) {
    const auto file = shared_directory() / "data" / "deepbench" / "convolution.csv";
    if (!std::filesystem::exists(file)) {
        GTEST_SKIP() << "no published measurements; set STRATA_SHARED_DIR";
    }
    const ProblemTable table = read_problem_file(file.string());
    std::vector<const ProblemRow*> rows;
    const std::string name = "convolution fp32 forward";
    for (const ProblemRow& row : table.rows) {
        if (row.device.starts_with("NV_") && row.problem_class == name) {
            rows.push_back(&row);
        }
    }
    const auto accuracy = accuracy_of(rows);
    expect_stated(accuracy);
    constexpr std::array devices = {"titan-x", "titan-x-pascal", "gtx-1080-ti", "p100-pcie",
                                    "v100"};
    double fitted = 0, left_out = 0;
    for (const char* const device : devices) {
        const auto* const roof = found_row(accuracy, device, name, "roofline");
        const auto* const inside = found_row(accuracy, device, name, "cross-validated");
        const auto* const outside = found_row(accuracy, device, name, "left-out");
        ASSERT_TRUE(roof && inside && outside) << device;
        EXPECT_EQ(inside->errors.n, 77U);
        EXPECT_GT(roof->errors.mape, 0.3);
        EXPECT_LT(outside->errors.mape, 0.18);
        fitted += inside->errors.mape / devices.size();
        left_out += outside->errors.mape / devices.size();
    }
    EXPECT_LT(fitted, 0.115);
    EXPECT_LT(left_out, 0.15);
}

}  // namespace

}  // namespace strata::testing
