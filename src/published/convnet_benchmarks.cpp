// SPDX-License-Identifier: MIT
#include "published/convnet_benchmarks.h"

#include "graph/builder.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Builds a network in their vocabulary, layer by layer.
class ConvnetBuilder {
public:
    ConvnetBuilder(std::string name, std::int64_t batch, std::int64_t side)
        : build_(std::move(name)) {
        at = build_.input("data", {{batch, 3, side, side}});
    }

    void convolve(std::int64_t channels, std::int64_t kernel, std::int64_t stride,
                  std::int64_t pad) {
        at = convolution(at, channels, kernel, stride, pad);
    }

    TensorId convolution(TensorId from, std::int64_t channels, std::int64_t kernel,
                         std::int64_t stride, std::int64_t pad) {
        const Convolution op = {.out_channels = channels,
                                .kernel = {kernel, kernel},
                                .stride = {stride, stride},
                                .pad_begin = {pad, pad},
                                .pad_end = {pad, pad}};
        return rectified(build_.add(next("conv"), op, {from}));
    }

    TensorId rectified(TensorId from) { return build_.add(next("relu"), Activation{}, {from}); }

    void pool(std::int64_t kernel, std::int64_t stride, std::int64_t pad = 0) {
        at = pooling(at, PoolingKind::max, kernel, stride, pad);
    }

    TensorId pooling(TensorId from, PoolingKind kind, std::int64_t kernel, std::int64_t stride,
                     std::int64_t pad) {
        const Pooling op = {.kind = kind,
                            .kernel = {kernel, kernel},
                            .stride = {stride, stride},
                            .pad_begin = {pad, pad},
                            .pad_end = {pad, pad},
                            .ceil_mode = true};
        return build_.add(next("pool"), op, {from});
    }

    void connect(std::int64_t features) {
        at = build_.add(next("fc"), FullyConnected{.out_features = features}, {at});
    }

    // Channels of the 1x1 branch, the 3x3 branch and its reduction, the 5x5 branch and its
    // reduction, and after the pooling.
    void inception(std::int64_t c1, std::int64_t c3r, std::int64_t c3, std::int64_t c5r,
                   std::int64_t c5, std::int64_t cp) {
        const TensorId a = convolution(at, c1, 1, 1, 0);
        const TensorId b = convolution(convolution(at, c3r, 1, 1, 0), c3, 3, 1, 1);
        const TensorId c = convolution(convolution(at, c5r, 1, 1, 0), c5, 5, 1, 2);
        const TensorId d = convolution(pooling(at, PoolingKind::max, 3, 1, 1), cp, 1, 1, 0);
        at = build_.add(next("concat"), Concat{}, {a, b, c, d});
    }

    Graph finish() { return build_.finish(); }

    TensorId at = 0;  // input of the next layer

private:
    std::string next(std::string_view kind) { return fmt::format("{}{}", kind, ++count_); }

    GraphBuilder build_;
    int count_ = 0;
};

}  // namespace

Graph convnet_alexnet(std::int64_t batch) {
    ConvnetBuilder net("alexnet-owt", batch, 224);
    net.convolve(64, 11, 4, 2);
    net.pool(3, 2);
    net.convolve(192, 5, 1, 2);
    net.pool(3, 2);
    net.convolve(384, 3, 1, 1);
    net.convolve(256, 3, 1, 1);
    net.convolve(256, 3, 1, 1);
    net.pool(3, 2);
    for (const std::int64_t features : {4096, 4096, 1000}) {
        net.connect(features);
    }
    return net.finish();
}

Graph convnet_vgg_a(std::int64_t batch) {
    ConvnetBuilder net("vgg-a", batch, 224);
    for (const auto& [channels, layers] :
         {std::pair{64, 1}, {128, 1}, {256, 2}, {512, 2}, {512, 2}}) {
        for (int layer = 0; layer < layers; ++layer) {
            net.convolve(channels, 3, 1, 1);
        }
        net.pool(2, 2);
    }
    for (const std::int64_t features : {4096, 4096, 1000}) {
        net.connect(features);
    }
    return net.finish();
}

Graph convnet_overfeat(std::int64_t batch) {
    ConvnetBuilder net("overfeat-fast", batch, 231);
    net.convolve(96, 11, 4, 0);
    net.pool(2, 2);
    net.convolve(256, 5, 1, 0);
    net.pool(2, 2);
    net.convolve(512, 3, 1, 1);
    net.convolve(1024, 3, 1, 1);
    net.convolve(1024, 3, 1, 1);
    net.pool(2, 2);
    for (const std::int64_t features : {3072, 4096, 1000}) {
        net.connect(features);
    }
    return net.finish();
}

Graph convnet_googlenet(std::int64_t batch) {
    ConvnetBuilder net("googlenet", batch, 224);
    net.convolve(64, 7, 2, 3);
    net.pool(3, 2);
    net.convolve(64, 1, 1, 0);
    net.convolve(192, 3, 1, 1);
    net.pool(3, 2);
    net.inception(64, 96, 128, 16, 32, 32);
    net.inception(128, 128, 192, 32, 96, 64);
    net.pool(3, 2);
    net.inception(192, 96, 208, 16, 48, 64);
    net.inception(160, 112, 224, 24, 64, 64);
    net.inception(128, 128, 256, 24, 64, 64);
    net.inception(112, 144, 288, 32, 64, 64);
    net.inception(256, 160, 320, 32, 128, 128);
    net.pool(3, 2);
    net.inception(256, 160, 320, 32, 128, 128);
    net.inception(384, 192, 384, 48, 128, 128);
    net.at = net.pooling(net.at, PoolingKind::average, 7, 1, 0);
    net.connect(1000);
    net.at = net.rectified(net.at);
    return net.finish();
}

}  // namespace strata
