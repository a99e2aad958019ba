// SPDX-License-Identifier: MIT
#include "run/operator_times.h"

#include "backend/reference/reference.h"
#include "base/error.h"
#include "networks/network.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

std::vector<OperatorTime> measured_by_reference(const std::vector<std::string>& operators,
                                                Mode mode = Mode::training) {
    Execution execution;
    execution.numerics.mode = mode;
    execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
    const auto backend = make_reference_backend();
    return measure_operators(
        operators, *backend, execution,
        {.rounds = 2, .turn = {.enough = {}, .longest = Seconds{10}, .fewest = 1, .most = 1}});
}

std::size_t count_of(const std::vector<OperatorTime>& times, Pass pass) {
    return static_cast<std::size_t>(std::ranges::count(times, pass, &OperatorTime::pass));
}

TEST(OperatorTimes, EveryPassOfAnOperatorHasATime) {
    const auto times = measured_by_reference({"fully_connected(2x8) out_features=4"});
    for (const Pass pass : all_passes) {
        EXPECT_EQ(count_of(times, pass), 1U) << name_of(pass);
    }
    for (const OperatorTime& one : times) {
        EXPECT_GT(one.time, Seconds{});
    }
}

TEST(OperatorTimes, InferenceHasOnlyTheForwardPass) {
    const auto times = measured_by_reference(
        {"fully_connected(2x8) out_features=4", "activation(2x4)"}, Mode::inference);
    EXPECT_EQ(times.size(), 2U);
    EXPECT_EQ(count_of(times, Pass::forward), times.size());
    EXPECT_EQ(times.front().mode, Mode::inference);
}

TEST(OperatorTimes, TheHelperConvolutionIsNotIncluded) {
    const auto times = measured_by_reference(
        {"pooling(1x4x6x6) kernel=2x2 stride=2x2", "elementwise(1x4x6x6, 1x4x6x6)"});
    EXPECT_EQ(count_of(times, Pass::forward), 2U);
    for (const OperatorTime& one : times) {
        EXPECT_FALSE(std::holds_alternative<Convolution>(one.op));
        EXPECT_EQ(one.signature.inputs.front().tensor.dims, (Dims{1, 4, 6, 6}));
    }
}

TEST(OperatorTimes, AnImpossibleOperatorIsLeftOut) {
    EXPECT_EQ(
        measured_by_reference({"convolution(1x4x6x6) out_channels=2 kernel=9x9", "activation(2x8)"},
                              Mode::inference)
            .size(),
        1U);
}

TEST(OperatorTimes, EveryListedOperatorIsValid) {
    const auto operators = operators_to_measure();
    EXPECT_GT(operators.size(), 400U);
    for (const std::string& text : operators) {
        const Graph graph =
            load_network({.network = text, .batch = {}, .dims = {}, .variables = {}});
        EXPECT_EQ(graph.layers.size(), 1U) << text;
    }
}

TEST(OperatorTimes, AreReadBackFromTheirTable) {
    auto times = measured_by_reference(
        {"elementwise(1x4x6x6, 1x4x6x6)", "fully_connected(2x8) out_features=4"});
    for (std::size_t i = 0; i < times.size(); ++i) {
        times[i].time = Seconds{1e-3 * static_cast<double>(i + 1)};
    }
    const auto read = parse_operator_times(operator_times_csv(times), "times.csv");
    ASSERT_EQ(read.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        EXPECT_EQ(read[i].op, times[i].op);
        EXPECT_EQ(read[i].signature, times[i].signature);
        EXPECT_EQ(read[i].pass, times[i].pass);
        EXPECT_EQ(read[i].kind, times[i].kind);
        EXPECT_DOUBLE_EQ(read[i].time.value, times[i].time.value);
        EXPECT_EQ(read[i].problem, times[i].problem);
    }
}

TEST(OperatorTimes, AnInvalidLineIsNamed) {
    const std::string header = "mode,pass,kind,seconds,operator\n";
    for (const std::string& text :
         {std::string("seconds\n"), header + "training,forward,compute,1e-3\n",
          header + "training,sideways,compute,1e-3,\"activation(2x4)\"\n",
          header + "training,forward,compute,0,\"activation(2x4)\"\n",
          header + "training,forward,compute,1e-3,\"nonsense(2x4)\"\n",
          header + "training,forward,compute,1e-3,activation(2x4)\n"}) {
        try {
            parse_operator_times(text, "times.csv");
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_TRUE(std::string_view(error.what()).starts_with("times.csv, line "))
                << error.what();
        }
    }
}

TEST(OperatorTimes, ATableWithoutRowsIsRefused) {
    try {
        parse_operator_times("mode,pass,kind,seconds,operator\n", "times.csv");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "times.csv has no time of an operator");
    }
}

}  // namespace
}  // namespace strata
