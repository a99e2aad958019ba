// SPDX-License-Identifier: MIT
#include "networks/dnnmark.h"

#include "networks/network.h"
#include "tests/support/error_message.h"
#include "tests/support/networks.h"
#include "tests/support/shared_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

const std::string image = "n=2\nc=3\nh=8\nw=8\n";

Graph parse(const std::string& text, const DnnMarkOptions& options = {}) {
    return parse_dnnmark(text, "x.dnnmark", options);
}

std::string complaint(const std::string& text, const DnnMarkOptions& options = {}) {
    return error_of([&] { parse(text, options); });
}

// The only layer of a file with one section.
Op op_of(const std::string& section) {
    return parse(section + "\n" + image).layers.at(0).op;
}

Dims result_of(const std::string& section) {
    const Graph graph = parse(section + "\n" + image);
    return graph.tensors[graph.outputs.at(0)].tensor.dims;
}

TEST(DnnMark, EachLayerHasTheDefaultsOfDnnMark) {
    EXPECT_EQ(op_of("[Convolution]"), Op(Convolution{.out_channels = 32,
                                                     .kernel = {5, 5},
                                                     .stride = {1, 1},
                                                     .pad_begin = {2, 2},
                                                     .pad_end = {2, 2},
                                                     .bias = false}));
    EXPECT_EQ(op_of("[Pooling]"), Op(Pooling{.kernel = {3, 3},
                                             .stride = {2, 2},
                                             .pad_begin = {0, 0},
                                             .pad_end = {0, 0},
                                             .ceil_mode = true}));
    EXPECT_EQ(op_of("[LRN]"), Op(Lrn{.size = 5, .alpha = 1e-4, .beta = 0.75, .k = 2}));
    EXPECT_EQ(op_of("[Activation]"), Op(Activation{}));
    EXPECT_EQ(op_of("[FullyConnected]"), Op(FullyConnected{.out_features = 4096, .bias = false}));
    EXPECT_EQ(op_of("[Softmax]"), Op(Softmax{}));
    EXPECT_EQ(op_of("[BatchNorm]"),
              Op(BatchNormalization{.momentum = 0, .scope = NormalizationScope::per_activation}));
    EXPECT_EQ(op_of("[Dropout]"), Op(Dropout{}));
    EXPECT_EQ(op_of("[Bypass]"), Op(Identity{}));
}

TEST(DnnMark, PoolingRoundsUpAndConvolutionDown) {
    EXPECT_EQ(result_of("[Pooling]"), (Dims{2, 3, 4, 4}));
    EXPECT_EQ(result_of("[Convolution]\nkernel_size=3\npad=0\nstride=2"), (Dims{2, 32, 3, 3}));
}

TEST(DnnMark, HeightAndWidthAreSetTogetherOrApart) {
    EXPECT_EQ(result_of("[Convolution]\nkernel_size=3\nkernel_size_w=1\npad=0\nstride_h=2"),
              (Dims{2, 32, 3, 8}));
}

TEST(DnnMark, ModesBecomeTheirOperators) {
    EXPECT_EQ(op_of("[Pooling]\npool_mode=avg_include_padding"),
              Op(Pooling{.kind = PoolingKind::average,
                         .kernel = {3, 3},
                         .stride = {2, 2},
                         .pad_begin = {0, 0},
                         .pad_end = {0, 0},
                         .ceil_mode = true,
                         .count_include_pad = true}));
    EXPECT_EQ(op_of("[Activation]\nactivation_mode=tanh"),
              Op(Activation{.kind = ActivationKind::tanh}));
    EXPECT_EQ(op_of("[Softmax]\nsoftmax_algo=log"), Op(Softmax{.logarithm = true}));
    EXPECT_EQ(op_of("[BatchNorm]\nbatchnorm_mode=spatial\nexp_avg_factor=0.25\nepsilon=2e-5"),
              Op(BatchNormalization{.epsilon = 2e-5, .momentum = 0.75}));
}

TEST(DnnMark, ASoftmaxOfWholeImagesWorksOnTheFlattenedImage) {
    const Graph graph = parse("[Softmax]\nname=s\nsoftmax_mode=instance\n" + image);
    ASSERT_EQ(graph.layers.size(), 2U);
    EXPECT_EQ(graph.layers[0].name, "s.flat");
    EXPECT_EQ(graph.tensors[graph.outputs.at(0)].tensor.dims, (Dims{2, 192}));
}

TEST(DnnMark, WhatCannotBeComputedIsOpaqueWithItsShape) {
    const std::string transposed =
        "[Convolution]\nconv_mode=transpose\nstride=2\nkernel_size=4\npad=1";
    EXPECT_TRUE(std::holds_alternative<Opaque>(op_of(transposed)));
    EXPECT_EQ(result_of(transposed), (Dims{2, 32, 16, 16}));
    EXPECT_TRUE(std::holds_alternative<Opaque>(op_of("[LRN]\nlrn_mode=within_channel")));
    EXPECT_NE(
        complaint("[Convolution]\nconv_mode=transpose\npad=99\n" + image).find("make it smaller"),
        std::string::npos);
}

TEST(DnnMark, LayersAreConnectedByName) {
    const Graph graph = parse("[DNNMark]\nrun_mode=composed\n[Bypass]\nname=a\n" + image +
                              "[Activation]\nname=b\nprevious_layer=a\n"
                              "[Activation]\nname=c\nprevious_layer=a\n");
    ASSERT_EQ(graph.layers.size(), 3U);
    EXPECT_EQ(graph.layers[2].inputs, graph.layers[0].outputs);
    EXPECT_EQ(graph.outputs.size(), 2U);
    EXPECT_EQ(graph.name, "x");
}

TEST(DnnMark, TemplatesTakeTheScriptsDefaultsOrWhatIsGiven) {
    const std::string text =
        "[Convolution]\nn=$N\nc=$C\nh=$H\nw=$W\nnum_output=$K\nkernel_size=$S\npad=$P\nstride=$U\n"
        "$CUDNN_CBFA\n$CUDNN_CBDA\n";
    const auto result = [&](const DnnMarkOptions& options) {
        const Graph graph = parse(text, options);
        return graph.tensors[graph.outputs.at(0)].tensor.dims;
    };
    EXPECT_EQ(result({}), (Dims{64, 128, 32, 32}));
    EXPECT_EQ(
        result({.batch = {}, .variables = {{"N", "5"}, {"K", "7"}, {"CUDNN_CBFA", "winograd"}}}),
        (Dims{5, 7, 32, 32}));
    EXPECT_EQ(result({.batch = 9, .variables = {{"CUDNN_CBDA", "algod=fft"}}}),
              (Dims{9, 128, 32, 32}));
}

TEST(DnnMark, AVariableMustExistAndHaveAValue) {
    EXPECT_EQ(complaint("[Bypass]\n" + image, {.batch = {}, .variables = {{"N", "5"}}}),
              "x.dnnmark: it has no variable $N; remove it");
    EXPECT_EQ(complaint("[Bypass]\nn=$Q\nc=1\nh=1\nw=1"),
              "x.dnnmark:2: variable $Q has no value; give it one with --set");
}

TEST(DnnMark, AMistakeNamesFileLineAndFix) {
    EXPECT_EQ(complaint("[Convolutin]\n" + image),
              "x.dnnmark:1: there is no section [Convolutin]; did you mean [Convolution]?");
    EXPECT_EQ(complaint("[Bypass]\n" + image +
                        "\n# fine\n[Convolution]\nprevious_layer=Bypass1\n"
                        "kernl_size=3"),
              "x.dnnmark:10: [Convolution] has no key \"kernl_size\"; did you mean "
              "\"kernel_size\"?");
    EXPECT_EQ(complaint("[Bypass]\nname a"),
              "x.dnnmark:2: \"name a\" is neither a [Section] nor key=value; correct it");
    EXPECT_EQ(complaint("n=1"),
              "x.dnnmark:1: a setting precedes the first section; begin with [DNNMark]");
    EXPECT_EQ(complaint("[Bypass]\nname=a\nn=1"),
              "x.dnnmark:1: layer \"a\" follows no other and needs a positive c; add it, or "
              "previous_layer");
    EXPECT_EQ(complaint("[Bypass]\nname=conv1\n" + image + "[Bypass]\nprevious_layer=cnv1"),
              "x.dnnmark:8: there is no layer \"cnv1\" so far; did you mean \"conv1\"?");
    EXPECT_EQ(complaint("[Bypass]\nname=a\n" + image + "[Bypass]\nname=a\nprevious_layer=a"),
              "x.dnnmark:8: two layers are named \"a\"; rename one");
    EXPECT_EQ(complaint("[Pooling]\npool_mode=median\n" + image),
              "x.dnnmark:2: pool_mode=median is not known; use one of max, avg_include_padding, "
              "avg_exclude_padding, avg");
    EXPECT_EQ(complaint("[Bypass]\nname=a\n" + image + "[Bypass]\nprevious_layer=a\nc=4"),
              "x.dnnmark:9: c=4, but previous_layer gives 3; remove it");
}

TEST(DnnMark, HostileNumbersAreRefused) {
    for (const char* value : {"-1", "99999999999999999999", "1e3", "", "3x"}) {
        EXPECT_NE(complaint("[Convolution]\nstride=" + std::string(value) + "\n" + image)
                      .find("is not a whole number"),
                  std::string::npos)
            << value;
    }
    EXPECT_NE(complaint("[Convolution]\nstride=0\n" + image), "no error");
    EXPECT_NE(complaint("[Bypass]\nn=1073741824\nc=1073741824\nh=2\nw=2"), "no error");
    EXPECT_NE(complaint("[Dropout]\ndropout_probability=nan\n" + image), "no error");
    EXPECT_NE(complaint(std::string(std::size_t{2} << 20, '\n')).find("more than a DNNMark file"),
              std::string::npos);
    EXPECT_EQ(complaint("# nothing"),
              "x.dnnmark: it has no layers; add a section such as [Convolution]");
}

std::filesystem::path example(const std::string& name) {
    return shared_directory() / "data/dnnmark" / name;
}

Graph load_file(const std::string& name, std::optional<std::int64_t> batch = {}) {
    return load_network(
        {.network = example(name).string(), .batch = batch, .dims = {}, .variables = {}});
}

TEST(DnnMarkExamples, EveryFileBecomesANetwork) {
    if (!std::filesystem::exists(example("alexnet.dnnmark"))) {
        GTEST_SKIP() << "no DNNMark example files; set STRATA_SHARED_DIR";
    }
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(example(""))) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".dnnmark") || name.ends_with(".dnntemplate")) {
            SCOPED_TRACE(name);
            EXPECT_EQ(error_of([&] { validate(load_file(name)); }), "no error");
            EXPECT_EQ(batch_of(load_file(name, 3)), 3);
            ++files;
        }
    }
    EXPECT_EQ(files, 15U);
}

TEST(DnnMarkExamples, TheVggHas58LayersInFileAndTemplate) {
    if (!std::filesystem::exists(example("VGG.dnnmark"))) {
        GTEST_SKIP() << "no DNNMark example files; set STRATA_SHARED_DIR";
    }
    EXPECT_EQ(load_file("VGG.dnnmark").layers.size(), 58U);
    EXPECT_EQ(load_file("VGG.dnntemplate").layers.size(), 58U);
    EXPECT_EQ(batch_of(load_file("VGG.dnnmark")), 100);
    EXPECT_EQ(batch_of(load_file("VGG.dnntemplate")), 64);
}

// The arithmetic of a layer's forward pass without the bias, which DNNMark does not have.
Operations unbiased_operations(const Graph& graph, const Layer& layer) {
    Operations operations = work_of(layer.op, signature_of(graph, layer), Pass::forward).operations;
    operations.bias_adds = 0;
    return operations;
}

TEST(DnnMarkExamples, TheAlexNetIsTheZoosUngroupedOneWithoutBiases) {
    if (!std::filesystem::exists(example("alexnet.dnnmark"))) {
        GTEST_SKIP() << "no DNNMark example files; set STRATA_SHARED_DIR";
    }
    const Graph file = load_file("alexnet.dnnmark");
    const Graph zoo = find_zoo_network("alexnet-ungrouped").build(16);
    ASSERT_EQ(file.layers.size(), zoo.layers.size());
    for (LayerId id = 0; id < file.layers.size(); ++id) {
        const Layer& ours = file.layers[id];
        const Layer& theirs = zoo.layers[id];
        EXPECT_EQ(ours.name, theirs.name);
        EXPECT_EQ(kind_of(ours.op), kind_of(theirs.op));
        EXPECT_EQ(unbiased_operations(file, ours), unbiased_operations(zoo, theirs));
        EXPECT_EQ(file.tensors[ours.outputs[0]].tensor, zoo.tensors[theirs.outputs[0]].tensor);
    }
    EXPECT_EQ(parameter_count(file), 62'367'776);
}

}  // namespace
}  // namespace strata
