// SPDX-License-Identifier: MIT
#include "bench/peers/transformer_libtorch.h"

#include <cmath>
#include <limits>

namespace strata {

namespace {

namespace nn = torch::nn;

constexpr std::int64_t width = 512;
constexpr std::int64_t inner = 2048;
constexpr std::int64_t heads = 8;
constexpr std::int64_t layers = 6;
constexpr std::int64_t length = 128;
constexpr std::int64_t vocabulary = 37'000;
constexpr double dropout = 0.1;

// The end of each sublayer: LayerNorm(x + Dropout(result)).
class CloseImpl final : public nn::Module {
public:
    CloseImpl() : norm_(nn::LayerNormOptions({width})), drop_(dropout) {
        register_module("norm", norm_);
        register_module("drop", drop_);
    }
    torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& result) {
        return norm_->forward(x + drop_->forward(result));
    }

private:
    nn::LayerNorm norm_;
    nn::Dropout drop_;
};
TORCH_MODULE(Close);

// Sequences first, as the module requires.
class AttendImpl final : public nn::Module {
public:
    AttendImpl() : attention_(width, heads) {
        register_module("attention", attention_);
        register_module("close", close_);
    }
    torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& keys,
                          const torch::Tensor& mask = {}) {
        const auto result = attention_->forward(x, keys, keys, {}, false, mask);
        return close_->forward(x, std::get<0>(result));
    }

private:
    nn::MultiheadAttention attention_;
    Close close_;
};
TORCH_MODULE(Attend);

class FeedForwardImpl final : public nn::Module {
public:
    FeedForwardImpl() : wide_(width, inner), narrow_(inner, width) {
        register_module("wide", wide_);
        register_module("narrow", narrow_);
        register_module("close", close_);
    }
    torch::Tensor forward(const torch::Tensor& x) {
        return close_->forward(x, narrow_->forward(torch::relu(wide_->forward(x))));
    }

private:
    nn::Linear wide_, narrow_;
    Close close_;
};
TORCH_MODULE(FeedForward);

torch::Tensor sinusoids() {
    const torch::Tensor place = torch::arange(length, torch::kFloat).unsqueeze(1);
    const torch::Tensor step =
        torch::exp(torch::arange(0, width, 2, torch::kFloat) * (-std::log(1e4) / width));
    return torch::stack({torch::sin(place * step), torch::cos(place * step)}, 2)
        .reshape({length, 1, width});
}

class TransformerBase final : public PeerNetwork {
public:
    TransformerBase() : table_(vocabulary, width), drop_(dropout) {
        register_module("table", table_);
        register_module("drop", drop_);
        // As in the zoo: with libtorch's default deviation of 1, the loss's gradient is full of
        // denormal numbers.
        nn::init::normal_(table_->weight, 0, 1 / std::sqrt(double{width}));
        positions_ = register_buffer("positions", sinusoids());
        mask_ = register_buffer(
            "mask",
            torch::triu(torch::full({length, length}, -std::numeric_limits<float>::infinity()), 1));
        for (std::int64_t i = 0; i < layers; ++i) {
            const std::string name = std::to_string(i);
            encoder_.emplace_back(register_module("encoder_attend" + name, Attend()),
                                  register_module("encoder_forward" + name, FeedForward()));
            decoder_.push_back({register_module("decoder_self" + name, Attend()),
                                register_module("decoder_cross" + name, Attend()),
                                register_module("decoder_forward" + name, FeedForward())});
        }
    }

    torch::Tensor inputs(std::int64_t batch) const override {
        return torch::randint(vocabulary, {2, length, batch}, torch::kLong);
    }
    std::int64_t classes() const override { return vocabulary; }
    std::int64_t scores(std::int64_t batch) const override { return batch * length; }

    // Tokens [source and target, length, batch] -> scores [length * batch, vocabulary].
    torch::Tensor forward(torch::Tensor tokens) override {
        torch::Tensor source = embed(tokens[0]), target = embed(tokens[1]);
        for (auto& [attend, feed_forward] : encoder_) {
            source = feed_forward->forward(attend->forward(source, source));
        }
        for (auto& layer : decoder_) {
            target = layer.self->forward(target, target, mask_);
            target = layer.feed_forward->forward(layer.cross->forward(target, source));
        }
        return torch::linear(target.reshape({-1, width}), table_->weight);
    }

private:
    torch::Tensor embed(const torch::Tensor& tokens) {
        return drop_->forward(table_->forward(tokens) * std::sqrt(double{width}) + positions_);
    }

    struct Decoder {
        Attend self, cross;
        FeedForward feed_forward;
    };

    nn::Embedding table_;
    nn::Dropout drop_;
    torch::Tensor positions_, mask_;
    std::vector<std::pair<Attend, FeedForward>> encoder_;
    std::vector<Decoder> decoder_;
};

}  // namespace

std::shared_ptr<PeerNetwork> transformer_base_peer() {
    return std::make_shared<TransformerBase>();
}

}  // namespace strata
