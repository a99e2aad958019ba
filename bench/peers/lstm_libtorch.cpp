// SPDX-License-Identifier: MIT
#include "bench/peers/lstm_libtorch.h"

namespace strata {

namespace {

namespace nn = torch::nn;

constexpr std::int64_t length = 32;
constexpr std::int64_t vocabulary = 10'000;
constexpr std::int64_t width = 1024;

class LstmPtb final : public PeerNetwork {
public:
    LstmPtb()
        : embedding_(vocabulary, width),
          drop_(0.5),
          lstm_(nn::LSTMOptions(width, width).num_layers(2).dropout(0.5)),
          projection_(width, vocabulary) {
        register_module("embedding", embedding_);
        register_module("drop", drop_);
        register_module("lstm", lstm_);
        register_module("projection", projection_);
    }

    torch::Tensor inputs(std::int64_t batch) const override {
        return torch::randint(vocabulary, {length, batch}, torch::kLong);
    }
    std::int64_t classes() const override { return vocabulary; }
    std::int64_t scores(std::int64_t batch) const override { return batch * length; }

    // Words [length, batch] -> scores [length * batch, vocabulary].
    torch::Tensor forward(torch::Tensor words) override {
        const auto y = std::get<0>(lstm_->forward(drop_->forward(embedding_->forward(words))));
        return projection_->forward(drop_->forward(y)).flatten(0, 1);
    }

private:
    nn::Embedding embedding_;
    nn::Dropout drop_;
    nn::LSTM lstm_;
    nn::Linear projection_;
};

}  // namespace

std::shared_ptr<PeerNetwork> lstm_ptb_peer() {
    return std::make_shared<LstmPtb>();
}

}  // namespace strata
