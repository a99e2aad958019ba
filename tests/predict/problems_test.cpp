// SPDX-License-Identifier: MIT
#include "predict/problems.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

std::string refusal_of(std::string_view csv) {
    try {
        read_problems(csv, "x.csv");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Problems, AProductHasItsKernelAndItsSplits) {
    const auto table = read_problems(
        "device,op,batch,m,n,k,milliseconds,kernel,grid,block\n"
        "V100,linear,1,300,200,5000,0.25,volta_sgemm_128x64_tn,2x5x4,128\r\n"
        "\n"
        "V100,bmm,6,30,20,50,,volta_sgemm_64x64_nn,1x1x6,64\n",
        "x.csv");
    ASSERT_EQ(table.rows.size(), 2U);
    const ProblemRow& linear = table.rows[0];
    const auto& product = std::get<GemmRow>(linear.problem);
    EXPECT_EQ(linear.problem_class, "linear");
    EXPECT_TRUE(product.problem.b_is_transposed);
    EXPECT_EQ(product.problem.k, 5000);
    EXPECT_EQ(product.kernel->splits, 4);
    EXPECT_DOUBLE_EQ(linear.measured->value, 0.25e-3);
    const auto& batched = std::get<GemmRow>(table.rows[1].problem);
    EXPECT_EQ(batched.kernel->splits, 1);
    EXPECT_FALSE(batched.problem.b_is_transposed);
    EXPECT_FALSE(table.rows[1].measured);
    EXPECT_EQ(table.rows[1].fields.size(), table.columns.size());
}

TEST(Problems, ProductsOf16BitsAreOneClassWhateverTheirTypeIsCalled) {
    const auto table = read_problems(
        "precision,m,n,k,a_transposed,b_transposed\n"
        "fp16_mixed,8,8,8,T,N\nbf16_mixed,8,8,8,T,N\nfp16,8,8,8,T,N\nbf16,8,8,8,T,N\n"
        "fp16_pseudo,8,8,8,T,N\nfp8,8,8,8,T,N\nint8,8,8,8,T,N\n",
        "x.csv");
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(table.rows[i].problem_class, "gemm 16 bits");
    }
    EXPECT_EQ(table.rows[4].problem_class, "gemm fp16_pseudo");
    const auto& eight = std::get<GemmRow>(table.rows[5].problem).problem;
    EXPECT_EQ(eight.arithmetic, Arithmetic::f8);
    EXPECT_EQ(eight.element_bytes, 1);
    EXPECT_EQ(table.rows[6].problem_class, "gemm int8");
}

// A column-major product is the transposed row-major one.
TEST(Problems, DeepBenchsProductsAreByColumns) {
    const auto table = read_problems(
        "precision,m,n,k,a_transposed,b_transposed\n"
        "fp32,35,8457,2560,T,N\n"
        "fp16_mixed,35,8457,2560,N,N\n",
        "x.csv");
    const auto& product = std::get<GemmRow>(table.rows[0].problem);
    EXPECT_EQ(product.problem.m, 8457);
    EXPECT_EQ(product.problem.n, 35);
    EXPECT_TRUE(product.problem.b_is_transposed);
    EXPECT_FALSE(product.kernel);
    EXPECT_EQ(table.rows[0].device, "");
    const auto& mixed = std::get<GemmRow>(table.rows[1].problem).problem;
    EXPECT_EQ(mixed.arithmetic, Arithmetic::f16);
    EXPECT_EQ(mixed.element_bytes, 2);
}

// Numbers that are stored in 16 bits and computed in 32 are not 16-bit arithmetic.
TEST(Problems, PseudoHalfPrecisionComputesInFp32) {
    const auto table = read_problems(
        "precision,m,n,k,a_transposed,b_transposed\nfp16_pseudo,8,8,8,N,N\n", "x.csv");
    const auto& product = std::get<GemmRow>(table.rows[0].problem).problem;
    EXPECT_EQ(product.arithmetic, Arithmetic::f32);
    EXPECT_EQ(product.element_bytes, 2);
}

TEST(Problems, TheGradientOfARecurrentLayersWeightsIsAProduct) {
    const auto table = read_problems(
        "device,precision,cell,hidden,batch,timesteps,pass\n"
        "V100,fp32,lstm,512,16,25,backward_weights\n"
        "V100,fp32,gru,512,16,25,backward_data\n",
        "x.csv");
    const auto& product = std::get<GemmRow>(table.rows[0].problem).problem;
    EXPECT_EQ(product.m, 4 * 512);
    EXPECT_EQ(product.n, 512);
    EXPECT_EQ(product.k, 16 * 25);
    EXPECT_EQ(table.rows[0].problem_class, "recurrent fp32 backward_weights");
    const auto& layer = std::get<RecurrentProblem>(table.rows[1].problem);
    EXPECT_EQ(layer.cell, RecurrentCell::gru);
    EXPECT_EQ(layer.pass, RecurrentPass::backward_data);
    EXPECT_EQ(layer.steps, 25);
}

TEST(Problems, AConvolutionHasWhatRanIt) {
    const auto table = read_problems(
        "device,n,c,hw,k,rs,stride,pad,milliseconds,kernels\n"
        "P100,24,1319,41,6,3,1,1,2.7,generatewinogradtileskernel+"
        "maxwell_scudnn_winograd_128x128_ldg1_ldg4_relu_tile418n_nt_v1\n"
        "P100,29,301,10,1729,3,1,1,,winogradforwarddata4x4+winogradforwardfilter4x4+"
        "maxwell_sgemm_32x128_nn+winogradforwardoutput4x4\n"
        "P100,29,301,10,1729,3,1,0,,an_unknown_kernel\n",
        "x.csv");
    const auto& fused = std::get<ConvolutionRow>(table.rows[0].problem);
    EXPECT_EQ(table.rows[0].problem_class, "convolution");
    EXPECT_EQ(fused.problem.result_h(), 41);
    ASSERT_TRUE(fused.kernel);
    EXPECT_EQ(fused.kernel->algorithm, LibraryAlgorithm::fused_winograd);
    EXPECT_EQ(fused.kernel->block_images, 4);
    EXPECT_EQ(fused.kernel->block_columns, 8);
    const auto& unfused = std::get<ConvolutionRow>(table.rows[1].problem);
    EXPECT_EQ(unfused.kernel->algorithm, LibraryAlgorithm::winograd_3x3);
    EXPECT_EQ(unfused.kernel->tile_m * unfused.kernel->tile_n, 32 * 128);
    const auto& unknown = std::get<ConvolutionRow>(table.rows[2].problem);
    EXPECT_FALSE(unknown.kernel);
    EXPECT_EQ(unknown.problem.result_h(), 8);
}

TEST(Problems, DeepBenchsConvolutionsAreOfAPass) {
    const auto table = read_problems(
        "precision,n,c,h,w,k,r,s,pad_h,pad_w,stride_h,stride_w,pass,algorithm\n"
        "fp32,4,1,161,700,32,5,20,0,0,2,2,backward_weights,\n"
        "fp16_mixed,4,1,161,700,32,5,20,0,0,2,2,forward,WINOGRAD\n",
        "x.csv");
    const auto& row = std::get<ConvolutionRow>(table.rows[0].problem);
    EXPECT_EQ(table.rows[0].problem_class, "convolution fp32 backward_weights");
    EXPECT_EQ(row.problem.pass, ConvolutionPass::backward_weights);
    EXPECT_EQ(row.problem.result_h(), 79);
    EXPECT_EQ(row.problem.result_w(), 341);
    const auto& mixed = std::get<ConvolutionRow>(table.rows[1].problem);
    EXPECT_EQ(table.rows[1].problem_class, "convolution 16 bits forward");
    EXPECT_EQ(mixed.problem.arithmetic, Arithmetic::f16);
    EXPECT_EQ(mixed.problem.element_bytes, 2);
}

TEST(Problems, AConvolutionsDilationAndGroupsMayBeColumns) {
    const std::string header =
        "precision,n,c,h,w,k,r,s,pad_h,pad_w,stride_h,stride_w,dilation_h,dilation_w,groups,pass\n";
    const auto table =
        read_problems(header + "bf16,4,32,28,28,64,3,3,1,1,1,1,2,3,4,backward_data\n", "x.csv");
    const auto& problem = std::get<ConvolutionRow>(table.rows[0].problem).problem;
    EXPECT_EQ(problem.dilation_h, 2);
    EXPECT_EQ(problem.dilation_w, 3);
    EXPECT_EQ(problem.groups, 4);
    EXPECT_EQ(table.rows[0].problem_class, "convolution 16 bits backward_data");
    EXPECT_EQ(refusal_of(header + "bf16,4,32,28,28,64,3,3,1,1,1,1,1,1,5,forward\n"),
              "x.csv:2: groups '5' divides not both c and k");
    EXPECT_EQ(refusal_of(header + "bf16,4,32,28,28,64,3,3,1,1,1,1,0,1,1,forward\n"),
              "x.csv:2: dilation_h '0' is no positive whole number");
}

TEST(Problems, AttentionMayNameItsAlgorithm) {
    const auto table = read_problems(
        "precision,batch,heads,queries,keys,width,mask,pass,algorithm\n"
        "fp16_mixed,2,12,1,1024,64,causal,backward,fused\n"
        "fp32,2,12,1024,1024,64,none,forward,\n",
        "x.csv");
    const auto& fused = std::get<AttentionRow>(table.rows[0].problem);
    EXPECT_EQ(fused.algorithm, AttentionAlgorithm::fused);
    EXPECT_EQ(fused.problem.mask, AttentionMask::causal);
    EXPECT_EQ(fused.problem.pass, AttentionPass::backward);
    EXPECT_EQ(fused.problem.keys, 1024);
    EXPECT_FALSE(std::get<AttentionRow>(table.rows[1].problem).algorithm);
    EXPECT_EQ(table.rows[0].problem_class, "attention 16 bits backward");
}

TEST(Problems, AttentionMayShareKeysSeeAWindowAndNameItsLibrary) {
    const std::string header =
        "precision,batch,heads,kv_heads,queries,keys,width,window,cache,mask,library\n";
    const auto table = read_problems(header +
                                         "bf16_mixed,2,32,8,1,4096,128,1024,fp8,causal,vllm\n"
                                         "bf16_mixed,2,32,,512,512,128,,,none,\n",
                                     "x.csv");
    const auto& decode = std::get<AttentionRow>(table.rows[0].problem);
    EXPECT_EQ(decode.problem.kv_heads, 8);
    EXPECT_EQ(decode.problem.window, 1024);
    EXPECT_EQ(decode.problem.cache_bytes, 1);
    EXPECT_EQ(table.rows[0].problem_class, "attention 16 bits decode vllm");
    EXPECT_EQ(table.rows[1].problem_class, "attention 16 bits encoder");
    EXPECT_THROW(read_problems(header + "bf16_mixed,2,32,5,1,8,128,,,none,\n", "x.csv"), Error);
    EXPECT_THROW(read_problems(header + "bf16_mixed,2,32,8,1,8,128,,fp7,none,\n", "x.csv"), Error);
}

TEST(Problems, AStepOfParaDnnsNetworks) {
    const auto table = read_problems(
        "device,layers,nodes,inputs,outputs,batch\ntpu-v2,4,64,2000,200,128\n", "x.csv");
    const auto& step = std::get<TrainingStepProblem>(table.rows[0].problem);
    EXPECT_EQ(step.layers, 4);
    EXPECT_EQ(step.batch, 128);
    EXPECT_EQ(step.cores, 8);
}

TEST(Problems, BadTablesAreOneSentence) {
    EXPECT_EQ(refusal_of(""), "x.csv: is empty; give a table with a header");
    EXPECT_EQ(refusal_of("a,b\n1,2\n"),
              "x.csv: its header is none of the known forms; strata predict --help names them");
    EXPECT_EQ(refusal_of("op,rows,columns\nadd,1\n"),
              "x.csv:2: has 2 fields where the header has 3");
    EXPECT_EQ(refusal_of("op,rows,columns\nadd,1,x\n"),
              "x.csv:2: columns 'x' is no positive whole number");
    EXPECT_EQ(refusal_of("op,rows,columns\nadd,0,5\n"),
              "x.csv:2: rows '0' is no positive whole number");
    EXPECT_EQ(refusal_of("op,rows,columns,milliseconds\nadd,1,5,-3\n"),
              "x.csv:2: milliseconds '-3' is no positive number");
    EXPECT_EQ(refusal_of("n,c,hw,k,rs,stride,pad\n1,1,5,1,7,1,0\n"),
              "x.csv:2: rs '7' is larger than the padded image");
    EXPECT_EQ(refusal_of("n,c,hw,k,rs,stride,pad\n1,1,5,1,3,1,-1\n"),
              "x.csv:2: pad '-1' is no whole number");
    EXPECT_EQ(refusal_of("n,c,hw,k,rs,stride,pad\n1,1,5,1,3,0,1\n"),
              "x.csv:2: stride '0' is no positive whole number");
    EXPECT_EQ(refusal_of("op,batch,m,n,k\nconv,1,1,1,1\n"),
              "x.csv:2: op 'conv' is neither linear nor bmm");
    EXPECT_EQ(refusal_of("precision,m,n,k,a_transposed,b_transposed\nfp32,1,1,1,X,N\n"),
              "x.csv:2: a_transposed 'X' is neither N nor T");
    EXPECT_EQ(refusal_of("precision,m,n,k,a_transposed,b_transposed\nfp6,1,1,1,N,N\n"),
              "x.csv:2: precision 'fp6' is none of fp32, tf32, fp16_mixed, bf16_mixed, "
              "fp16_pseudo, fp8 and int8");
    EXPECT_EQ(refusal_of("precision,cell,hidden,batch,timesteps\nfp8,gru,1,1,1\n"),
              "x.csv:2: precision 'fp8' is none of fp32, tf32, fp16_mixed, bf16_mixed and "
              "fp16_pseudo");
    EXPECT_EQ(refusal_of("precision,cell,hidden,batch,timesteps\nfp32,mgu,1,1,1\n"),
              "x.csv:2: cell 'mgu' is none of vanilla, lstm, gru");
}

}  // namespace

}  // namespace strata::testing
