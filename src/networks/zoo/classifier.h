// SPDX-License-Identifier: MIT
#pragma once

#include "networks/zoo/chain.h"

namespace strata {

// How the three fully connected layers end AlexNet and VGG (4096, 4096 and 1000 outputs).
enum class Classifier {
    caffe,        // fc6 relu6 drop6 fc7 relu7 drop7 fc8 loss
    torchvision,  // drop5 fc6 relu6 drop6 fc7 relu7 fc8 loss
    dnnmark,      // fc6 relu6 fc7 relu7 fc8 softmax: no dropout, no loss
};

// The finished network.
Graph with_classifier(Chain chain, Classifier classifier);

}  // namespace strata
