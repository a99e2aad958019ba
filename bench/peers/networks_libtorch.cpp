// SPDX-License-Identifier: MIT
#include "bench/peers/networks_libtorch.h"

#include "bench/peers/lstm_libtorch.h"
#include "bench/peers/transformer_libtorch.h"

#include <array>
#include <stdexcept>
#include <vector>

namespace strata {

namespace {

namespace nn = torch::nn;

nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride = 1, std::int64_t pad = 0, bool bias = true) {
    return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(pad).bias(bias));
}

nn::MaxPool2d max_pooling(std::int64_t kernel, std::int64_t stride, std::int64_t pad = 0,
                          bool ceil = false) {
    return nn::MaxPool2d(nn::MaxPool2dOptions(kernel).stride(stride).padding(pad).ceil_mode(ceil));
}

nn::ReLU relu() {
    return nn::ReLU(nn::ReLUOptions(true));
}

// A chain of modules.
class Chain final : public PeerNetwork {
public:
    explicit Chain(nn::Sequential layers) : layers_(register_module("layers", std::move(layers))) {}
    torch::Tensor forward(torch::Tensor images) override { return layers_->forward(images); }

private:
    nn::Sequential layers_;
};

void add_classifier(nn::Sequential& layers, std::int64_t features) {
    layers->push_back(nn::Flatten());
    layers->push_back(nn::Linear(features, 4096));
    layers->push_back(relu());
    layers->push_back(nn::Dropout());
    layers->push_back(nn::Linear(4096, 4096));
    layers->push_back(relu());
    layers->push_back(nn::Dropout());
    layers->push_back(nn::Linear(4096, 1000));
}

std::shared_ptr<PeerNetwork> alexnet() {
    nn::Sequential layers(convolution(3, 64, 11, 4, 2), relu(), max_pooling(3, 2),
                          convolution(64, 192, 5, 1, 2), relu(), max_pooling(3, 2),
                          convolution(192, 384, 3, 1, 1), relu(), convolution(384, 256, 3, 1, 1),
                          relu(), convolution(256, 256, 3, 1, 1), relu(), max_pooling(3, 2));
    add_classifier(layers, 256 * 6 * 6);
    return std::make_shared<Chain>(layers);
}

std::shared_ptr<PeerNetwork> vgg16() {
    nn::Sequential layers;
    std::int64_t channels = 3;
    for (const auto& [width, depth] : {std::pair{64, 2}, std::pair{128, 2}, std::pair{256, 3},
                                       std::pair{512, 3}, std::pair{512, 3}}) {
        for (int i = 0; i < depth; ++i) {
            layers->push_back(convolution(channels, width, 3, 1, 1));
            layers->push_back(relu());
            channels = width;
        }
        layers->push_back(max_pooling(2, 2));
    }
    add_classifier(layers, 512 * 7 * 7);
    return std::make_shared<Chain>(layers);
}

// A chain that can be part of another one, unlike nn::Sequential with its templated forward.
class BlockImpl final : public nn::Module {
public:
    template <class... Links>
    explicit BlockImpl(Links&&... links)
        : links_(register_module("links", nn::Sequential(std::forward<Links>(links)...))) {}
    torch::Tensor forward(torch::Tensor x) { return links_->forward(x); }

private:
    nn::Sequential links_;
};
TORCH_MODULE(Block);

Block convolution_norm_relu(std::int64_t in, std::int64_t out, std::int64_t kernel,
                            std::int64_t stride, std::int64_t pad) {
    return Block(convolution(in, out, kernel, stride, pad, false), nn::BatchNorm2d(out), relu());
}

Block convolution_relu(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride = 1, std::int64_t pad = 0) {
    return Block(convolution(in, out, kernel, stride, pad), relu());
}

// Four branches side by side (Szegedy et al. 2014, figure 2b), without batch normalisation.
class InceptionImpl final : public nn::Module {
public:
    InceptionImpl(std::int64_t in, const std::array<std::int64_t, 6>& width) {
        branches_ = {
            convolution_relu(in, width[0], 1),
            Block(convolution_relu(in, width[1], 1), convolution_relu(width[1], width[2], 3, 1, 1)),
            Block(convolution_relu(in, width[3], 1), convolution_relu(width[3], width[4], 5, 1, 2)),
            Block(max_pooling(3, 1, 1), convolution_relu(in, width[5], 1)),
        };
        for (std::size_t i = 0; i < branches_.size(); ++i) {
            register_module("branch" + std::to_string(i), branches_[i]);
        }
    }

    torch::Tensor forward(torch::Tensor x) {
        std::vector<torch::Tensor> parts;
        for (auto& branch : branches_) {
            parts.push_back(branch->forward(x));
        }
        return torch::cat(parts, 1);
    }

private:
    std::vector<Block> branches_;
};
TORCH_MODULE(Inception);

using Widths = std::array<std::int64_t, 6>;

std::shared_ptr<PeerNetwork> googlenet() {
    nn::Sequential layers(convolution_relu(3, 64, 7, 2, 3), max_pooling(3, 2, 0, true),
                          nn::LocalResponseNorm(nn::LocalResponseNormOptions(5)),
                          convolution_relu(64, 64, 1), convolution_relu(64, 192, 3, 1, 1),
                          nn::LocalResponseNorm(nn::LocalResponseNormOptions(5)),
                          max_pooling(3, 2, 0, true));
    layers->push_back(Inception(192, Widths{64, 96, 128, 16, 32, 32}));
    layers->push_back(Inception(256, Widths{128, 128, 192, 32, 96, 64}));
    layers->push_back(max_pooling(3, 2, 0, true));
    layers->push_back(Inception(480, Widths{192, 96, 208, 16, 48, 64}));
    layers->push_back(Inception(512, Widths{160, 112, 224, 24, 64, 64}));
    layers->push_back(Inception(512, Widths{128, 128, 256, 24, 64, 64}));
    layers->push_back(Inception(512, Widths{112, 144, 288, 32, 64, 64}));
    layers->push_back(Inception(528, Widths{256, 160, 320, 32, 128, 128}));
    layers->push_back(max_pooling(3, 2, 0, true));
    layers->push_back(Inception(832, Widths{256, 160, 320, 32, 128, 128}));
    layers->push_back(Inception(832, Widths{384, 192, 384, 48, 128, 128}));
    layers->push_back(nn::AdaptiveAvgPool2d(1));
    layers->push_back(nn::Flatten());
    layers->push_back(nn::Dropout(0.4));
    layers->push_back(nn::Linear(1024, 1000));
    return std::make_shared<Chain>(layers);
}

// A residual block of three convolutions with the stride on the middle one (ResNet v1.5).
class BottleneckImpl final : public nn::Module {
public:
    BottleneckImpl(std::int64_t in, std::int64_t width, std::int64_t stride) {
        body_ = register_module("body", Block(convolution_norm_relu(in, width, 1, 1, 0),
                                              convolution_norm_relu(width, width, 3, stride, 1),
                                              convolution(width, 4 * width, 1, 1, 0, false),
                                              nn::BatchNorm2d(4 * width)));
        if (stride != 1 || in != 4 * width) {
            shortcut_ = register_module(
                "shortcut",
                Block(convolution(in, 4 * width, 1, stride, 0, false), nn::BatchNorm2d(4 * width)));
        }
    }

    torch::Tensor forward(torch::Tensor x) {
        torch::Tensor y = body_->forward(x);
        y += shortcut_ ? shortcut_->forward(x) : x;
        return y.relu_();
    }

private:
    Block body_{nullptr};
    Block shortcut_{nullptr};
};
TORCH_MODULE(Bottleneck);

std::shared_ptr<PeerNetwork> resnet50() {
    nn::Sequential layers(convolution_norm_relu(3, 64, 7, 2, 3), max_pooling(3, 2, 1));
    std::int64_t in = 64;
    for (const auto& [width, depth] :
         {std::pair{64, 3}, std::pair{128, 4}, std::pair{256, 6}, std::pair{512, 3}}) {
        for (int i = 0; i < depth; ++i) {
            layers->push_back(Bottleneck(in, width, i == 0 && width > 64 ? 2 : 1));
            in = 4 * width;
        }
    }
    layers->push_back(nn::AdaptiveAvgPool2d(1));
    layers->push_back(nn::Flatten());
    layers->push_back(nn::Linear(2048, 1000));
    return std::make_shared<Chain>(layers);
}

}  // namespace

std::shared_ptr<PeerNetwork> make_peer(const std::string& network) {
    if (network == "alexnet-owt") {
        return alexnet();
    }
    if (network == "vgg-16") {
        return vgg16();
    }
    if (network == "googlenet") {
        return googlenet();
    }
    if (network == "resnet-50") {
        return resnet50();
    }
    if (network == "lstm-ptb") {
        return lstm_ptb_peer();
    }
    if (network == "transformer-base") {
        return transformer_base_peer();
    }
    throw std::invalid_argument("no peer of " + network);
}

}  // namespace strata
