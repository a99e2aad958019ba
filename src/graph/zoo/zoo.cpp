// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "graph/network.h"
#include "graph/zoo/alexnet.h"
#include "graph/zoo/bert.h"
#include "graph/zoo/densenet.h"
#include "graph/zoo/googlenet.h"
#include "graph/zoo/gpt2.h"
#include "graph/zoo/mobilenet.h"
#include "graph/zoo/resnet.h"
#include "graph/zoo/squeezenet.h"
#include "graph/zoo/transformer.h"
#include "graph/zoo/vgg.h"
#include "graph/zoo/vit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

// A variant as a zoo entry.
template <const auto& variant>
constexpr ZooNetwork entry(std::string_view origin) {
    return {variant.name, origin, [](std::int64_t batch) { return build(variant, batch); }};
}

constexpr GoogLeNet googlenet = {};

constexpr std::array<ZooNetwork, 33> networks = {{
    entry<grouped_alexnet>("Krizhevsky et al. 2012, two groups, LRN, as Caffe has it"),
    entry<ungrouped_alexnet>("the same without groups, as DNNMark and Kim et al. 2017 have it"),
    entry<one_weird_trick_alexnet>("Krizhevsky 2014, \"one weird trick\", as torchvision has it"),
    entry<levinthal_alexnet>("the same on 227 x 227 without padding, as Levinthal counted it"),
    entry<vgg_11>("Simonyan and Zisserman 2014, configuration A"),
    entry<vgg_13>("Simonyan and Zisserman 2014, configuration B"),
    entry<vgg_16>("Simonyan and Zisserman 2014, configuration D"),
    entry<vgg_19>("Simonyan and Zisserman 2014, configuration E"),
    entry<googlenet>("Szegedy et al. 2014, Inception v1, as Caffe has it, no auxiliary heads"),
    entry<resnet_18>("He et al. 2015"),
    entry<resnet_34>("He et al. 2015"),
    entry<resnet_50>("He et al. 2015, v1.5: the 3x3 convolution strides, as torchvision has it"),
    entry<resnet_101>("He et al. 2015, v1.5: the 3x3 convolution strides, as torchvision has it"),
    entry<resnet_152>("He et al. 2015, v1.5: the 3x3 convolution strides, as torchvision has it"),
    {"squeezenet", "Iandola et al. 2016, version 1.1",
     [](std::int64_t batch) { return build(SqueezeNet::version_1_1, batch); }},
    {"squeezenet-1.0", "Iandola et al. 2016, version 1.0",
     [](std::int64_t batch) { return build(SqueezeNet::version_1_0, batch); }},
    {"mobilenet-v1", "Howard et al. 2017", mobilenet_v1},
    {"mobilenet-v2", "Sandler et al. 2018, as torchvision has it", mobilenet_v2},
    {"densenet-121", "Huang et al. 2016, as torchvision has it", densenet_121},
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
}};

}  // namespace

std::span<const ZooNetwork> zoo() {
    return networks;
}

const ZooNetwork& find_zoo_network(std::string_view name) {
    const auto found = std::ranges::find(networks, name, &ZooNetwork::name);
    if (found != networks.end()) {
        return *found;
    }
    std::vector<std::string> names;
    for (const ZooNetwork& network : networks) {
        names.emplace_back(network.name);
    }
    const auto meant = nearest(name, names);
    throw Error(fmt::format("there is no network \"{}\"; {}", printable(name),
                            meant ? "did you mean \"" + *meant + "\"?"
                                  : "\"strata list networks\" names them, and a file is named with "
                                    "its ending"),
                ExitCode::usage);
}

}  // namespace strata
