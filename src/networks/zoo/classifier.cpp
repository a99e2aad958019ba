// SPDX-License-Identifier: MIT
#include "networks/zoo/classifier.h"

namespace strata {

namespace {

Graph caffe(Chain& chain) {
    chain.add("fc6", FullyConnected{4096}).relu("relu6").dropout("drop6");
    chain.add("fc7", FullyConnected{4096}).relu("relu7").dropout("drop7");
    return chain.add("fc8", FullyConnected{1000}).with_loss();
}

Graph torchvision(Chain& chain) {
    chain.dropout("drop5").add("fc6", FullyConnected{4096}).relu("relu6");
    chain.dropout("drop6").add("fc7", FullyConnected{4096}).relu("relu7");
    return chain.add("fc8", FullyConnected{1000}).with_loss();
}

Graph dnnmark(Chain& chain) {
    chain.add("fc6", FullyConnected{4096}).relu("relu6");
    chain.add("fc7", FullyConnected{4096}).relu("relu7");
    return chain.add("fc8", FullyConnected{1000}).add("softmax", Softmax{}).finish();
}

}  // namespace

Graph with_classifier(Chain chain, Classifier classifier) {
    switch (classifier) {
        case Classifier::caffe:
            return caffe(chain);
        case Classifier::torchvision:
            return torchvision(chain);
        case Classifier::dnnmark:
            return dnnmark(chain);
    }
    return chain.finish();
}

}  // namespace strata
