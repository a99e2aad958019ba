// SPDX-License-Identifier: MIT
#pragma once

#include "graph/builder.h"

namespace strata {

// Building blocks of networks for words and other numbered items.

// Integers from outside, of type s64. Throws Error (usage) if the first extent, the batch, is not
// positive.
TensorId numbers(GraphBuilder& builder, const std::string& name, const Dims& dims);

// Ends with "loss" on scores [rows, classes] and the input "labels"; it is the only output.
Graph with_loss(GraphBuilder& builder, TensorId scores);

// Zaremba et al. 2014: words [batch, 32] of 10,000, two LSTM layers as wide as the embedding, with
// dropout before, between and after them, and a projection back to the words; Levinthal measured it
// with 1,024 units. Each position predicts the next word. 37,275,408 parameters.
Graph lstm_ptb(std::int64_t batch);

// Keras's imdb_lstm: 80 words of 20,000, embedding and LSTM of 128, classified from the last state.
// Two classes where Keras has one logistic unit: 2,691,842 parameters.
Graph lstm_sentiment(std::int64_t batch);

// Kim 2014 on movie reviews: 56 words of 18,765, embedding of 300, windows of three, four and five
// words with 100 filters each, their maxima over the sentence. 5,990,402 parameters.
Graph text_cnn(std::int64_t batch);

// Wu et al. 2016 as in MLPerf 0.5: an embedding of 32,320 words shared by both languages; four
// encoder layers of 1,024 units, the first bidirectional; four decoder layers, of which the first
// attends to the encoder (additive attention, Bahdanau et al. 2015) for all; residual from the
// third layer on. 50 words of each language. The attention's vector is not normalised and each gate
// has one bias: 160,634,432 parameters.
Graph gnmt(std::int64_t batch);

// Amodei et al. 2015 in the form of deepspeech.pytorch, which MLPerf 0.5 used: five seconds of 161
// frequencies, two convolutions, five layers of GRUs of 800 units with both directions added, batch
// normalisation between them, 29 letters. Each frame predicts its letter: there is no connectionist
// temporal classification here. 41,171,997 parameters.
Graph deep_speech_2(std::int64_t batch);

}  // namespace strata
