// SPDX-License-Identifier: MIT
//
// Training steps of the classic networks, of an LSTM language model and of a Transformer in
// libtorch's C++ interface, as its users would write them: forward, cross-entropy, backward, SGD
// with momentum, gradients set to None.
//   step_libtorch NETWORK BATCH THREADS [channels_last]
#include "bench/peers/networks_libtorch.h"
#include "bench/peers/protocol.h"

#include <torch/torch.h>

#include <cstdlib>

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: step_libtorch NETWORK BATCH THREADS [channels_last]\n");
        return 2;
    }
    const std::string network = argv[1];
    const std::int64_t batch = std::atoll(argv[2]);
    const bool channels_last = argc > 4 && std::string(argv[4]) == "channels_last";
    torch::set_num_threads(std::atoi(argv[3]));
    torch::manual_seed(1);

    auto model = strata::make_peer(network);
    model->train();
    torch::Tensor images = model->inputs(batch);
    const torch::Tensor labels =
        torch::randint(model->classes(), {model->scores(batch)}, torch::kLong);
    if (channels_last && images.dim() != 4) {
        std::fprintf(stderr, "channels_last is a layout of images\n");
        return 2;
    }
    if (channels_last) {
        images = images.contiguous(torch::MemoryFormat::ChannelsLast);
        for (auto& parameter : model->parameters()) {
            if (parameter.dim() == 4) {
                parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
            }
        }
    }
    torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(1e-4).momentum(0.9));
    strata::answer_requests([&] {
        for (auto& parameter : model->parameters()) {
            parameter.mutable_grad() = torch::Tensor();
        }
        torch::nn::functional::cross_entropy(model->forward(images), labels).backward();
        optimizer.step();
    });
}
