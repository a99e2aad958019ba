// SPDX-License-Identifier: MIT
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>

namespace strata {

// A network in libtorch that outputs class scores, for images of 224 x 224 unless stated otherwise.
class PeerNetwork : public torch::nn::Module {
public:
    virtual torch::Tensor forward(torch::Tensor images) = 0;
    virtual torch::Tensor inputs(std::int64_t batch) const {
        return torch::randn({batch, 3, 224, 224});
    }
    virtual std::int64_t classes() const { return 1000; }
    // The number of rows of scores for a batch.
    virtual std::int64_t scores(std::int64_t batch) const { return batch; }
};

// alexnet-owt, vgg-16, googlenet (without auxiliary heads) or resnet-50, as torchvision defines
// them, lstm-ptb or transformer-base. Throws std::invalid_argument for another name.
std::shared_ptr<PeerNetwork> make_peer(const std::string& network);

}  // namespace strata
