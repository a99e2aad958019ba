// SPDX-License-Identifier: MIT
#include "networks/generate/families.h"
#include "networks/zoo/chain.h"

namespace strata {

namespace {

CellKind cell_of(std::string_view family) {
    return family == "lstm" ? CellKind::lstm : family == "gru" ? CellKind::gru : CellKind::rnn_tanh;
}

}  // namespace

void generate_recurrent(const Generator& generator, std::int64_t batch, LayerSink& sink) {
    const std::int64_t embed = value_of(generator, "embed");
    const std::int64_t vocabulary = value_of(generator, "vocabulary");
    Chain chain(sink, {{batch, value_of(generator, "length")}, DataType::s64});
    chain.add("embedding", Embedding{.rows = vocabulary, .width = embed});
    chain.add("time_major", Transpose{.permutation = {1, 0, 2}});
    chain.add("cells", Recurrent{.cell = cell_of(generator.family),
                                 .hidden = embed,
                                 .layers = value_of(generator, "layers")});
    chain.add("positions", Reshape{.dims = {-1, embed}});
    chain.add("projection", FullyConnected{vocabulary}).end_with_loss();
}

}  // namespace strata
