// SPDX-License-Identifier: MIT
#include "networks/zoo/zoo.h"

#include "networks/zoo/as_published.h"
#include "networks/zoo/classic.h"
#include "networks/zoo/resnet.h"
#include "networks/zoo/transformers.h"
#include "networks/zoo/words.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

// Makes a zoo entry from a variant.
template <const auto& variant>
constexpr ZooNetwork entry(std::string_view origin) {
    return {variant.name, origin, [](std::int64_t batch) { return build(variant, batch); }};
}

constexpr auto networks = std::to_array<ZooNetwork>({
    entry<grouped_alexnet>("Krizhevsky et al. 2012, two groups, LRN, as Caffe has it"),
    entry<ungrouped_alexnet>("the same without groups, as DNNMark and Kim et al. 2017 have it"),
    entry<one_weird_trick_alexnet>("Krizhevsky 2014, \"one weird trick\", as torchvision has it"),
    entry<levinthal_alexnet>("the same on 227 x 227 without padding, as Levinthal counted it"),
    entry<vgg_11>("Simonyan and Zisserman 2014, configuration A"),
    entry<vgg_13>("Simonyan and Zisserman 2014, configuration B"),
    entry<vgg_16>("Simonyan and Zisserman 2014, configuration D"),
    entry<vgg_19>("Simonyan and Zisserman 2014, configuration E"),
    {"googlenet", "Szegedy et al. 2014, Inception v1, as Caffe has it, no auxiliary heads",
     googlenet},
    entry<resnet_18>("He et al. 2015"),
    entry<resnet_34>("He et al. 2015"),
    entry<resnet_50>("He et al. 2015, v1.5: the 3x3 convolution strides, as torchvision has it"),
    entry<resnet_101>("He et al. 2015, v1.5: the 3x3 convolution strides, as torchvision has it"),
    entry<resnet_152>("He et al. 2015, v1.5: the 3x3 convolution strides, as torchvision has it"),
    entry<resnext_50>("Xie et al. 2016, 32 groups of 4, as torchvision has it"),
    {"squeezenet", "Iandola et al. 2016, version 1.1",
     [](std::int64_t batch) { return build(SqueezeNet::version_1_1, batch); }},
    {"squeezenet-1.0", "Iandola et al. 2016, version 1.0",
     [](std::int64_t batch) { return build(SqueezeNet::version_1_0, batch); }},
    {"mobilenet-v1", "Howard et al. 2017", mobilenet_v1},
    {"mobilenet-v2", "Sandler et al. 2018, as torchvision has it", mobilenet_v2},
    {"densenet-121", "Huang et al. 2016, as torchvision has it", densenet_121},
    {"lstm-ptb", "Zaremba et al. 2014 with 2 x 1,024 units as Levinthal had it, 32 words",
     lstm_ptb},
    {"lstm-sentiment", "Keras's imdb_lstm: 128 units, 80 words", lstm_sentiment},
    {"text-cnn", "Kim 2014, movie reviews of 56 words", text_cnn},
    {"gnmt", "Wu et al. 2016 as MLPerf 0.5 had it, 4 + 4 layers, 50 words each", gnmt},
    {"deep-speech-2", "Amodei et al. 2015 as deepspeech.pytorch has it, five seconds",
     deep_speech_2},
    {"ncf", "He et al. 2017, NeuMF for MovieLens-20M, as MLPerf 0.5 had it", ncf},
    {"dlrm", "Naumov et al. 2019 in MLPerf's widths, tables of at most 100,000 rows", dlrm},
    {"inception-v3", "Szegedy et al. 2015, as torchvision has it, no auxiliary head", inception_v3},
    {"mobilenet-v3-large", "Howard et al. 2019, as torchvision has it", mobilenet_v3_large},
    {"mobilenet-v3-small", "Howard et al. 2019, as torchvision has it", mobilenet_v3_small},
    {"efficientnet-b0", "Tan and Le 2019, as torchvision has it", efficientnet_b0},
    {"shufflenet-v2", "Ma et al. 2018, 1.0x, as torchvision has it", shufflenet_v2},
    {"unet", "Ronneberger et al. 2015, 572 x 572, without padding, as published", unet},
    {"ssd-resnet-34", "Liu et al. 2016, 300 x 300, as MLPerf training had it", ssd_resnet_34},
    {"mask-rcnn-backbone", "He et al. 2017, ResNet-50 and feature pyramid, 800 x 1344",
     mask_rcnn_backbone},
    {"minigo", "Silver et al. 2017, 19 x 19, 19 blocks of 256, as MLPerf has it", minigo},
    entry<transformer_base>("Vaswani et al. 2017, WMT en-de, 128 tokens of source and of target"),
    entry<transformer_base_unfused>("the same with attention as matmul, softmax, matmul"),
    entry<transformer_big>("Vaswani et al. 2017, WMT en-de, 128 tokens of source and of target"),
    entry<bert_base>("Devlin et al. 2018, 128 tokens, with pooler and a classifier of two"),
    entry<bert_base_unfused>("the same with attention as matmul, softmax, matmul"),
    entry<bert_large>("Devlin et al. 2018, 128 tokens, with pooler and a classifier of two"),
    entry<gpt2_small>("Radford et al. 2019, 1,024 tokens"),
    entry<gpt2_unfused>("the same with attention as matmul, softmax, matmul"),
    entry<gpt2_medium>("Radford et al. 2019, 1,024 tokens"),
    entry<gpt2_large>("Radford et al. 2019, 1,024 tokens"),
    entry<gpt2_xl>("Radford et al. 2019, 1,024 tokens"),
    entry<vit_b_16>("Dosovitskiy et al. 2020, as torchvision has it"),
    entry<vit_b_16_unfused>("the same with attention as matmul, softmax, matmul"),
    entry<vit_l_16>("Dosovitskiy et al. 2020, as torchvision has it"),
    {"swin-tiny", "Liu et al. 2021, windows of 7 x 7, as torchvision has it", swin_tiny},
    {"convnext-tiny", "Liu et al. 2022, as torchvision has it", convnext_tiny},
});

}  // namespace

std::span<const ZooNetwork> zoo() {
    return networks;
}

bool is_zoo_name(std::string_view name) {
    return std::ranges::find(networks, name, &ZooNetwork::name) != networks.end();
}

}  // namespace strata
