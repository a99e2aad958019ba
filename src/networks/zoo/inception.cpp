// SPDX-License-Identifier: MIT
#include "networks/zoo/as_published.h"

#include "networks/zoo/blocks.h"

namespace strata {

namespace {

// Convolution, normalisation, ReLU; the window may be oblong.
Chain& add_oblong(Chain& chain, const std::string& name, std::int64_t channels, std::int64_t height,
                  std::int64_t width) {
    const Dims pad = {height / 2, width / 2};
    const Convolution window = {
        .out_channels = channels, .kernel = {height, width}, .pad_begin = pad, .pad_end = pad};
    return add_normalized_convolution(chain, name, window, normalization(1e-3))
        .relu(name + ".relu");
}

Chain& add_square(Chain& chain, const std::string& name, const SquareConvolution& window) {
    return add_normalized(chain, name, window, normalization(1e-3)).relu(name + ".relu");
}

Pooling unpadded_halving() {
    return max_pooling({.kernel = 3, .stride = 2});
}

// An average over 3x3, padding included, and a 1x1 convolution.
TensorId add_pooled(Chain& chain, const std::string& block, std::int64_t channels) {
    Pooling pooling = average_pooling({.kernel = 3, .pad = 1});
    pooling.count_include_pad = true;
    chain.add(block + "pool", pooling);
    return add_square(chain, block + "branch_pool", {channels}).last();
}

// Begins a branch at the block's input with a 1x1 convolution.
Chain& begin_branch(Chain& chain, TensorId from, const std::string& name, std::int64_t channels) {
    return add_square(chain.resume(from), name, {channels});
}

// Figure 5 of the paper, but with its 5x5.
void add_a(Chain& chain, const std::string& block, std::int64_t pooled) {
    const TensorId from = chain.last();
    const TensorId direct = begin_branch(chain, from, block + "branch1x1", 64).last();
    begin_branch(chain, from, block + "branch5x5_1", 48);
    const TensorId wide = add_square(chain, block + "branch5x5_2", {64, 5, 1, 2}).last();
    begin_branch(chain, from, block + "branch3x3dbl_1", 64);
    add_square(chain, block + "branch3x3dbl_2", {96, 3, 1, 1});
    const TensorId twice = add_square(chain, block + "branch3x3dbl_3", {96, 3, 1, 1}).last();
    const TensorId pool = add_pooled(chain.resume(from), block, pooled);
    chain.join(block + "concat", Concat{}, {direct, wide, twice, pool});
}

void add_b(Chain& chain, const std::string& block) {
    const TensorId from = chain.last();
    const TensorId once = add_square(chain, block + "branch3x3", {384, 3, 2}).last();
    begin_branch(chain, from, block + "branch3x3dbl_1", 64);
    add_square(chain, block + "branch3x3dbl_2", {96, 3, 1, 1});
    const TensorId twice = add_square(chain, block + "branch3x3dbl_3", {96, 3, 2}).last();
    chain.resume(from).add(block + "pool", unpadded_halving());
    chain.join(block + "concat", Concat{}, {once, twice, chain.last()});
}

// Figure 6: 7x7 as 1x7 and 7x1.
void add_c(Chain& chain, const std::string& block, std::int64_t inner) {
    const TensorId from = chain.last();
    const TensorId direct = begin_branch(chain, from, block + "branch1x1", 192).last();
    begin_branch(chain, from, block + "branch7x7_1", inner);
    add_oblong(chain, block + "branch7x7_2", inner, 1, 7);
    const TensorId once = add_oblong(chain, block + "branch7x7_3", 192, 7, 1).last();
    begin_branch(chain, from, block + "branch7x7dbl_1", inner);
    add_oblong(chain, block + "branch7x7dbl_2", inner, 7, 1);
    add_oblong(chain, block + "branch7x7dbl_3", inner, 1, 7);
    add_oblong(chain, block + "branch7x7dbl_4", inner, 7, 1);
    const TensorId twice = add_oblong(chain, block + "branch7x7dbl_5", 192, 1, 7).last();
    const TensorId pool = add_pooled(chain.resume(from), block, 192);
    chain.join(block + "concat", Concat{}, {direct, once, twice, pool});
}

void add_d(Chain& chain, const std::string& block) {
    const TensorId from = chain.last();
    begin_branch(chain, from, block + "branch3x3_1", 192);
    const TensorId square = add_square(chain, block + "branch3x3_2", {320, 3, 2}).last();
    begin_branch(chain, from, block + "branch7x7x3_1", 192);
    add_oblong(chain, block + "branch7x7x3_2", 192, 1, 7);
    add_oblong(chain, block + "branch7x7x3_3", 192, 7, 1);
    const TensorId wide = add_square(chain, block + "branch7x7x3_4", {192, 3, 2}).last();
    chain.resume(from).add(block + "pool", unpadded_halving());
    chain.join(block + "concat", Concat{}, {square, wide, chain.last()});
}

// 1x3 and 3x1 side by side (Figure 7).
TensorId add_split(Chain& chain, const std::string& name) {
    const TensorId from = chain.last();
    const TensorId left = add_oblong(chain, name + "a", 384, 1, 3).last();
    const TensorId right = add_oblong(chain.resume(from), name + "b", 384, 3, 1).last();
    return chain.join(name + ".concat", Concat{}, {left, right}).last();
}

void add_e(Chain& chain, const std::string& block) {
    const TensorId from = chain.last();
    const TensorId direct = begin_branch(chain, from, block + "branch1x1", 320).last();
    begin_branch(chain, from, block + "branch3x3_1", 384);
    const TensorId once = add_split(chain, block + "branch3x3_2");
    begin_branch(chain, from, block + "branch3x3dbl_1", 448);
    add_square(chain, block + "branch3x3dbl_2", {384, 3, 1, 1});
    const TensorId twice = add_split(chain, block + "branch3x3dbl_3");
    const TensorId pool = add_pooled(chain.resume(from), block, 192);
    chain.join(block + "concat", Concat{}, {direct, once, twice, pool});
}

void add_stem(Chain& chain) {
    add_square(chain, "Conv2d_1a_3x3", {32, 3, 2});
    add_square(chain, "Conv2d_2a_3x3", {32, 3});
    add_square(chain, "Conv2d_2b_3x3", {64, 3, 1, 1}).add("maxpool1", unpadded_halving());
    add_square(chain, "Conv2d_3b_1x1", {80});
    add_square(chain, "Conv2d_4a_3x3", {192, 3}).add("maxpool2", unpadded_halving());
}

}  // namespace

Graph inception_v3(std::int64_t batch) {
    Chain chain("inception-v3", batch, 299);
    add_stem(chain);
    add_a(chain, "Mixed_5b.", 32);
    add_a(chain, "Mixed_5c.", 64);
    add_a(chain, "Mixed_5d.", 64);
    add_b(chain, "Mixed_6a.");
    add_c(chain, "Mixed_6b.", 128);
    add_c(chain, "Mixed_6c.", 160);
    add_c(chain, "Mixed_6d.", 160);
    add_c(chain, "Mixed_6e.", 192);
    add_d(chain, "Mixed_7a.");
    add_e(chain, "Mixed_7b.");
    add_e(chain, "Mixed_7c.");
    chain.add("avgpool", global_average_pooling()).dropout("dropout");
    return chain.add("fc", FullyConnected{1000}).with_loss();
}

}  // namespace strata
