// SPDX-License-Identifier: MIT
// Wang, Wei and Brooks 2020 (ParaDnn): parameters and operations of the generated networks, by the
// paper's formulas and in every released record.
#include "networks/generate/generator.h"
#include "tests/physics/support.h"
#include "tests/support/shared_directory.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <regex>

namespace strata {
namespace {

Graph generated(const std::string& text, std::int64_t batch = 1) {
    return build(parse_generator(text), batch);
}

double multiply_adds(const Graph& graph) {
    return sum_over(
        graph, [](const Layer&) { return true; },
        [&](const Layer& layer) {
            return work_of(layer.op, signature_of(graph, layer), Pass::forward)
                .operations.multiply_adds;
        });
}

TEST(ParaDnn, FullyConnectedNetworksHaveTheParametersOfTheFormula) {
    EXPECT_EQ(parameter_count(generated("fc:layers=64,nodes=512,inputs=2000,outputs=1000")),
              18'084'840);
    for (const std::int64_t layers : {4, 128}) {
        for (const std::int64_t nodes : {32, 8192}) {
            const std::int64_t weights = nodes * nodes * (layers - 1) + nodes * (2000 + 1000);
            const Graph graph = generated(
                fmt::format("fc:layers={},nodes={},inputs=2000,outputs=1000", layers, nodes), 2);
            EXPECT_EQ(parameter_count(graph), weights + nodes * layers + 1000);
            EXPECT_EQ(multiply_adds(graph), 2.0 * static_cast<double>(weights));
        }
    }
}

struct Plane {
    std::int64_t image;
    std::int64_t averages;  // 7x7 windows at stride 1 that the last plane has
};

// 3x3 convolutions, projections and normalisation of one group, by hand from ParaDnn's code.
std::int64_t residual_group(std::int64_t in, std::int64_t out, std::int64_t blocks) {
    const std::int64_t first = 9 * in * out + 9 * out * out + in * out + 3 * 2 * out;
    return first + (blocks - 1) * (2 * 9 * out * out + 2 * 2 * out);
}

std::int64_t bottleneck_group(std::int64_t in, std::int64_t width, std::int64_t blocks) {
    const std::int64_t out = 4 * width, inner = 9 * width * width + width * out + 2 * 2 * width;
    const std::int64_t first = in * width + inner + 2 * out + in * out + 2 * out;
    return first + (blocks - 1) * (out * width + inner + 2 * out);
}

TEST(ParaDnn, ConvolutionalNetworksHaveTheParametersOfItsCode) {
    constexpr Plane planes[] = {{200, 1}, {224, 1}, {250, 4}, {300, 16}};
    for (const auto& [image, averages] : planes) {
        for (const std::int64_t blocks : {1, 8}) {
            const std::int64_t f = 16, stem = 3 * 49 * f + 2 * f;
            std::int64_t residual = stem, bottleneck = stem;
            for (std::int64_t group = 0; group < 4; ++group) {
                const std::int64_t width = f << group, before = group == 0 ? f : width / 2;
                residual += residual_group(before, width, blocks);
                bottleneck += bottleneck_group(group == 0 ? f : 4 * before, width, blocks);
            }
            const std::string sizes =
                fmt::format("blocks={},filters=16,image={},outputs=500", blocks, image);
            EXPECT_EQ(parameter_count(generated("residual:" + sizes)),
                      residual + 8 * f * averages * 500 + 500);
            EXPECT_EQ(parameter_count(generated("bottleneck:" + sizes)),
                      bottleneck + 32 * f * averages * 500 + 500);
        }
    }
}

TEST(ParaDnn, RecurrentNetworksHaveTheParametersOfItsCode) {
    const std::int64_t layers = 9, embed = 500, vocabulary = 256;
    const std::int64_t cell = 2 * embed * embed + embed;
    const std::int64_t ends = 2 * vocabulary * embed + vocabulary;
    for (const auto& [family, gates] : {std::pair("rnn", 1), {"gru", 3}, {"lstm", 4}}) {
        const auto text = fmt::format("{}:layers={},embed={},length=50,vocabulary={}", family,
                                      layers, embed, vocabulary);
        EXPECT_EQ(parameter_count(generated(text)), ends + layers * gates * cell) << family;
        // Gated cells blend their states with one multiply-add per unit.
        const double unit = gates * 2 * 500 + (gates > 1 ? 1 : 0);
        EXPECT_EQ(multiply_adds(generated(text, 3)), 3.0 * 50 * (9 * 500 * unit + 500 * 256));
    }
}

TEST(ParaDnn, TransformersHaveTheParametersOfTheFormula) {
    const std::int64_t layers = 6, embed = 512, inner = 2048, vocabulary = 1000;
    const std::int64_t expected =
        2 * vocabulary * embed + vocabulary +
        layers * (4 * embed * embed + 2 * embed * inner + 9 * embed + inner);
    EXPECT_EQ(parameter_count(generated("transformer:vocabulary=1000")), expected);
}

// ---- the released records

struct Record {
    std::string network;
    std::int64_t batch = 1;
};

// "layer_64-node_512-input_2000-output_1000-bs_64", the label of a record.
Record record_of(const std::string& label) {
    static const std::regex form(R"(layer_(\d+)-node_(\d+)-input_(\d+)-output_(\d+)-bs_(\d+))");
    std::smatch part;
    if (!std::regex_match(label, part, form)) {
        throw std::runtime_error("no label: " + label);
    }
    return {fmt::format("fc:layers={},nodes={},inputs={},outputs={}", part[1].str(), part[2].str(),
                        part[3].str(), part[4].str()),
            std::stoll(part[5])};
}

class ParaDnnRecords : public ::testing::TestWithParam<const char*> {};

TEST_P(ParaDnnRecords, EveryRecordHasTheParametersOfTheGeneratedNetwork) {
    const auto path = shared_directory() / "data/paradnn" / GetParam();
    std::ifstream file(path);
    if (!file) {
        GTEST_SKIP() << path << " is not here";
    }
    const auto data = nlohmann::json::parse(file);
    const auto labels = data.at("labels").get<std::vector<std::string>>();
    const auto parameters = data.at("params").get<std::vector<double>>();
    ASSERT_EQ(labels.size(), parameters.size());
    ASSERT_GT(labels.size(), 100U);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const Graph graph = generated(record_of(labels[i]).network);
        const auto ours = static_cast<double>(parameter_count(graph));
        // The records are rounded, "18.08m".
        EXPECT_NEAR(ours / parameters[i], 1, 0.0042) << labels[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Released, ParaDnnRecords, ::testing::Values("gpu_fc.json", "tpu_fc.json"),
                         [](const auto& parameter) { return std::string(parameter.param, 3); });

TEST(ParaDnn, AStepOfEveryGpuRecordHasSixOperationsForEachWeightAndExample) {
    std::ifstream file(shared_directory() / "data/paradnn/gpu_fc.json");
    if (!file) {
        GTEST_SKIP() << "../shared/data/paradnn is not here";
    }
    const auto data = nlohmann::json::parse(file);
    const auto labels = data.at("labels").get<std::vector<std::string>>();
    const auto billions = data.at("fl").get<std::vector<double>>();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const Record record = record_of(labels[i]);
        const double ours = 6 * multiply_adds(generated(record.network, record.batch)) / 1e9;
        EXPECT_GT(billions[i] / ours, 0.9995) << labels[i];
        EXPECT_LT(billions[i] / ours, 1.0149) << labels[i];
    }
}

}  // namespace
}  // namespace strata
