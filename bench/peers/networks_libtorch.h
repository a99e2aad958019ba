// SPDX-License-Identifier: MIT
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>

namespace strata {

// A classifier of 224 x 224 images in libtorch.
class PeerNetwork : public torch::nn::Module {
public:
    virtual torch::Tensor forward(torch::Tensor images) = 0;
};

// alexnet-owt, vgg-16, googlenet (without auxiliary heads) or resnet-50, as torchvision defines
// them. Throws std::invalid_argument for another name.
std::shared_ptr<PeerNetwork> make_peer(const std::string& network);

}  // namespace strata
