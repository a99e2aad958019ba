// SPDX-License-Identifier: MIT
// The number of trained values of each network, as stated by its publication or torchvision.
#include "tests/physics/support.h"

namespace strata {
namespace {

struct Total {
    const char* network;
    std::int64_t parameters;
};

constexpr Total totals[] = {{"alexnet", 60'965'224},
                            {"alexnet-ungrouped", 62'378'344},
                            {"alexnet-owt", 61'100'840},
                            {"alexnet-levinthal", 61'100'840},
                            {"vgg-11", 132'863'336},
                            {"vgg-13", 133'047'848},
                            {"vgg-16", 138'357'544},
                            {"vgg-19", 143'667'240},
                            {"googlenet", 6'998'552},
                            {"resnet-18", 11'689'512},
                            {"resnet-34", 21'797'672},
                            {"resnet-50", 25'557'032},
                            {"resnet-101", 44'549'160},
                            {"resnet-152", 60'192'808},
                            {"squeezenet", 1'235'496},
                            {"squeezenet-1.0", 1'248'424},
                            {"mobilenet-v1", 4'231'976},
                            {"mobilenet-v2", 3'504'872},
                            {"densenet-121", 7'978'856},
                            {"resnext-50", 25'028'904},
                            {"inception-v3", 23'834'568},
                            {"mobilenet-v3-large", 5'483'032},
                            {"mobilenet-v3-small", 2'542'856},
                            {"efficientnet-b0", 5'288'548},
                            {"shufflenet-v2", 2'278'604},
                            {"unet", 31'030'658},
                            {"ssd-resnet-34", 19'972'534},
                            {"mask-rcnn-backbone", 26'852'416},
                            {"minigo", 22'827'877},
                            {"lstm-ptb", 37'275'408},
                            {"lstm-sentiment", 2'691'842},
                            {"text-cnn", 5'990'402},
                            {"gnmt", 160'634'432},
                            {"deep-speech-2", 41'171'997},
                            {"ncf", 31'832'706},
                            {"dlrm", 109'958'658},
                            {"transformer-base", 63'082'496},
                            {"transformer-base-unfused", 63'082'496},
                            {"transformer-big", 214'245'376},
                            {"bert-base", 109'482'240 + 2 * 768 + 2},
                            {"bert-base-unfused", 109'482'240 + 2 * 768 + 2},
                            {"bert-large", 335'141'888 + 2 * 1024 + 2},
                            {"gpt-2", 124'439'808},
                            {"gpt-2-unfused", 124'439'808},
                            {"gpt-2-medium", 354'823'168},
                            {"gpt-2-large", 774'030'080},
                            {"gpt-2-xl", 1'557'611'200},
                            {"vit-b-16", 86'567'656},
                            {"vit-b-16-unfused", 86'567'656},
                            {"vit-l-16", 304'326'632},
                            {"swin-tiny", 28'288'354},
                            {"convnext-tiny", 28'589'128}};

TEST(Parameters, EveryNetworkOfTheZooHasItsPublishedNumber) {
    ASSERT_EQ(std::size(totals), zoo().size());
    for (const auto& [network, parameters] : totals) {
        EXPECT_EQ(parameter_count(zoo_graph(network)), parameters) << network;
    }
}

TEST(Parameters, TheBatchChangesNothing) {
    EXPECT_EQ(parameter_count(zoo_graph("googlenet", 7)), 6'998'552);
}

}  // namespace
}  // namespace strata
