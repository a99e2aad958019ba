// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Recurrent, GivesAsManyFeaturesAsHiddenUnitsAndDirections) {
    EXPECT_EQ(output_of("recurrent(5x4x12) hidden=16"), "5x4x16");
    EXPECT_EQ(output_of("recurrent(5x4x12) hidden=16 direction=bidirectional layers=3"), "5x4x32");
}

TEST(Recurrent, FinalStatesAreOrderedByLayerAndDirection) {
    const auto outputs = signature_of(parse_problem("recurrent(5x4x12) hidden=16 layers=2 "
                                                    "direction=bidirectional final_state=true"))
                             .outputs;
    ASSERT_EQ(outputs.size(), 3U);
    EXPECT_EQ(outputs[1].dims, (Dims{4, 4, 16}));
    EXPECT_EQ(outputs[2].dims, outputs[1].dims);
    EXPECT_EQ(signature_of(parse_problem("recurrent(5x4x12) cell=gru hidden=16 final_state=true"))
                  .outputs.size(),
              2U);
}

// Every layer and direction has its own weights; upper layers read both directions.
TEST(Recurrent, RequestsTheParametersOfEachLayerAndDirection) {
    const auto parameters = parameters_of(Recurrent{.cell = CellKind::gru,
                                                    .hidden = 16,
                                                    .layers = 2,
                                                    .direction = Direction::bidirectional,
                                                    .reset_after = true},
                                          std::vector<Tensor>{{{5, 4, 12}}});
    ASSERT_EQ(parameters.size(), 12U);
    EXPECT_EQ(parameters[0].tensor.dims, (Dims{48, 12}));
    EXPECT_EQ(parameters[1].tensor.dims, (Dims{48, 16}));
    EXPECT_EQ(parameters[2].tensor.dims, (Dims{64}));
    EXPECT_EQ(parameters[5].name, "bias_l0_reverse");
    EXPECT_EQ(parameters[9].tensor.dims, (Dims{48, 32}));
}

TEST(Recurrent, InitialStatesAreGivenAllOrNone) {
    EXPECT_EQ(output_of("recurrent(5x4x12, 1x4x16, 1x4x16) hidden=16"), "5x4x16");
    EXPECT_NE(refusal_of("recurrent(5x4x12, 1x4x16) hidden=16"), "");
    EXPECT_NE(refusal_of("recurrent(5x4x12, 2x4x16, 2x4x16) hidden=16"), "");
    EXPECT_EQ(output_of("recurrent(5x4x12, 1x4x16) hidden=16 cell=gru"), "5x4x16");
}

TEST(Recurrent, WrongAttributesAreRefused) {
    EXPECT_TRUE(contains(refusal_of("recurrent(5x12) hidden=16"), "time, batch, features"));
    EXPECT_NE(refusal_of("recurrent(5x4x12) hidden=0"), "");
    EXPECT_NE(refusal_of("recurrent(5x4x12) hidden=16 layers=0"), "");
    EXPECT_NE(refusal_of("recurrent(5x4x12) hidden=16 layers=999999999"), "");
}

// Levinthal: 16 h^2 operations per cell step if the input is as wide as the state.
TEST(Recurrent, AnLstmStepTakesSixteenTimesTheSquareOfItsWidth) {
    const auto work = work_of("recurrent(32x128x1024) hidden=1024", Pass::forward);
    const double steps = 32 * 128;
    EXPECT_EQ(2 * work.operations.multiply_adds, steps * (16.0 * 1024 * 1024 + 2 * 1024));
    EXPECT_EQ(work_of("recurrent(32x128x1024) hidden=1024", Pass::backward_weights)
                  .operations.multiply_adds,
              steps * 8 * 1024 * 1024);
}

TEST(Recurrent, OtherCellsCountByTheirNumberOfGates) {
    const auto products = [](const std::string& cell) {
        return work_of("recurrent(4x2x64) hidden=64 bias=false cell=" + cell,
                       Pass::backward_weights)
            .operations.multiply_adds;
    };
    EXPECT_EQ(products("gru"), 3 * products("rnn_tanh"));
    EXPECT_EQ(products("lstm"), 4 * products("rnn_relu"));
}

TEST(Embedding, GivesARowForEachIndexAndMultipliesNothing) {
    EXPECT_EQ(output_of("embedding(4x3:s64) rows=10 width=16"), "4x3x16");
    EXPECT_EQ(flops_of("embedding(4x3:s64) rows=10 width=16", Pass::forward), 0);
    EXPECT_EQ(flops_of("embedding(4x3:s64) rows=10 width=16", Pass::backward_weights), 4 * 3 * 16);
    EXPECT_FALSE(has_pass("embedding(4x3:s64) rows=10 width=16", Pass::backward_data));
}

TEST(Embedding, InvalidIndicesAndTablesAreRefused) {
    EXPECT_NE(refusal_of("embedding(4x3) rows=10 width=16"), "");
    EXPECT_NE(refusal_of("embedding(4x3:s64) rows=0 width=16"), "");
    EXPECT_NE(refusal_of("embedding(4x3:s64) rows=10 width=-1"), "");
}

}  // namespace
}  // namespace strata
