// SPDX-License-Identifier: MIT
#include "predict/layer_products.h"

#include "op/problem.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

double multiply_adds(const std::vector<LayerProduct>& products) {
    double sum = 0;
    for (const LayerProduct& one : products) {
        const GemmProblem& p = one.problem;
        sum += one.repeats * static_cast<double>(p.batch * p.m) * static_cast<double>(p.n * p.k);
    }
    return sum;
}

// The operations as the operator counts its own work.
template <class T>
void expect_its_work(const std::string& text, std::initializer_list<Pass> passes) {
    const Problem problem = parse_problem(text);
    const Signature signature = signature_of(problem);
    for (const Pass pass : passes) {
        EXPECT_DOUBLE_EQ(multiply_adds(products_of(std::get<T>(problem.op), signature, pass)),
                         work_of(problem.op, signature, pass).operations.multiply_adds)
            << text << " " << name_of(pass);
    }
}

constexpr std::initializer_list<Pass> all_products = {Pass::forward, Pass::backward_data,
                                                      Pass::backward_weights};

TEST(LayerProducts, HaveTheOperatorsWork) {
    expect_its_work<FullyConnected>("fully_connected(32x256x6x6) out_features=4096", all_products);
    expect_its_work<MatMul>("matmul(4x8x64x32, 4x8x32x128)", {Pass::forward, Pass::backward_data});
    expect_its_work<Convolution>(
        "convolution(8x64x28x28) out_channels=96 kernel=3x3 pad_begin=1x1 pad_end=1x1",
        all_products);
    expect_its_work<Convolution>("convolution(8x64x28x28) out_channels=64 kernel=5x5 groups=4",
                                 all_products);
    expect_its_work<TransposedConvolution>(
        "transposed_convolution(8x64x14x14) out_channels=32 kernel=2x2 stride=2x2",
        {Pass::forward, Pass::backward_data, Pass::backward_weights});
    expect_its_work<Attention>("attention(2x64x256, 2x64x256, 2x64x256) heads=4", {Pass::forward});
}

TEST(LayerProducts, AFullyConnectedLayersForwardPassReadsTransposedWeights) {
    const Problem problem = parse_problem("fully_connected(32x100) out_features=10");
    const auto& op = std::get<FullyConnected>(problem.op);
    const Signature signature = signature_of(problem);
    const LayerProduct forward = products_of(op, signature, Pass::forward).at(0);
    EXPECT_EQ(forward.problem.m, 32);
    EXPECT_EQ(forward.problem.n, 10);
    EXPECT_EQ(forward.problem.k, 100);
    EXPECT_EQ(forward.rates(), RateClass::linear);
    EXPECT_EQ(products_of(op, signature, Pass::backward_data).at(0).rates(), RateClass::batched);
    EXPECT_TRUE(products_of(op, signature, Pass::update).empty());
}

// Cells add a few multiplications and additions.
TEST(LayerProducts, OfARecurrentLayerAndItsStepsAreNearlyAllOfItsWork) {
    const Problem problem =
        parse_problem("recurrent(25x16x64) cell=lstm hidden=128 layers=2 direction=bidirectional");
    const Signature signature = signature_of(problem);
    const auto& op = std::get<Recurrent>(problem.op);
    for (const Pass pass : all_products) {
        const double work = work_of(problem.op, signature, pass).operations.multiply_adds;
        double found = multiply_adds(products_of(op, signature, pass));
        const auto sequences = sequences_of(op, signature, pass);
        EXPECT_EQ(sequences.size(), pass == Pass::backward_weights ? 0U : 4U);
        for (const RecurrentProblem& one : sequences) {
            found += one.flops().value / 2;
        }
        EXPECT_LE(found, work) << name_of(pass);
        EXPECT_GT(found, 0.99 * work) << name_of(pass);
    }
}

TEST(LayerProducts, AConvolutionIsThatOfALibrary) {
    for (const char* text :
         {"convolution(8x64x29x30) out_channels=96 kernel=3x5 stride=2x1 pad_begin=1x2 pad_end=0x1",
          "convolution(8x64x100) out_channels=96 kernel=5 dilation=2",
          "convolution(8x64x28x28) out_channels=64 kernel=5x5 groups=4"}) {
        const Problem problem = parse_problem(text);
        const Signature signature = signature_of(problem);
        const auto found =
            convolution_of(std::get<Convolution>(problem.op), signature, Pass::backward_data);
        ASSERT_TRUE(found) << text;
        const Dims& result = signature.outputs[0].dims;
        EXPECT_EQ(found->pass, ConvolutionPass::backward_data);
        EXPECT_EQ(found->result_w(), result.back()) << text;
        EXPECT_EQ(found->k, result[1]);
        EXPECT_DOUBLE_EQ(found->flops().value / 2,
                         work_of(problem.op, signature, Pass::forward).operations.multiply_adds)
            << text;
    }
}

TEST(LayerProducts, ATransposedConvolutionIsAnothersGradient) {
    const Problem problem =
        parse_problem("transposed_convolution(8x64x14x14) out_channels=32 kernel=2x2 stride=2x2");
    const auto found = convolution_of(std::get<TransposedConvolution>(problem.op),
                                      signature_of(problem), Pass::forward);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->pass, ConvolutionPass::backward_data);
    EXPECT_EQ(found->c, 32);
    EXPECT_EQ(found->k, 64);
    EXPECT_EQ(found->h, 28);
    EXPECT_EQ(found->result_h(), 14);
}

TEST(LayerProducts, AnUpdateHasNone) {
    const Problem problem = parse_problem("recurrent(25x16x64) cell=gru hidden=128");
    EXPECT_TRUE(
        products_of(std::get<Recurrent>(problem.op), signature_of(problem), Pass::update).empty());
}

// A recurrent layer's products, those at once and those of its steps, are all of its products: as
// many in each pass as for its weights' gradients. (Cells also multiply and add their states.)
TEST(LayerProducts, OfARecurrentLayerAtOnceAndInItsStepsHaveItsWork) {
    for (const char* text :
         {"recurrent(5x4x24) hidden=32", "recurrent(1x3x8) cell=gru hidden=16",
          "recurrent(7x3x16) cell=lstm hidden=24 layers=2 direction=bidirectional"}) {
        const Problem problem = parse_problem(text);
        const auto& op = std::get<Recurrent>(problem.op);
        const Signature signature = signature_of(problem);
        const double all =
            work_of(problem.op, signature, Pass::backward_weights).operations.multiply_adds;
        for (const Pass pass : all_products) {
            EXPECT_DOUBLE_EQ(multiply_adds(products_of(op, signature, pass)) +
                                 multiply_adds(step_products_of(op, signature, pass)),
                             all)
                << text << " " << name_of(pass);
        }
    }
}

}  // namespace

}  // namespace strata::testing
