// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

namespace strata {

// He et al. 2017, NeuMF, as MLPerf 0.5 had it for MovieLens-20M: 138,493 users and 26,744 films,
// factors of 64 multiplied, and of 128 through 256, 128 and 64 units. Two classes where MLPerf has
// one logistic unit: 31,832,706 parameters.
Graph ncf(std::int64_t batch);

// Naumov et al. 2019 in MLPerf's widths: 13 numbers through 512, 256 and 128 units, 26 categories
// embedded in 128, the products of every two of the 27 vectors, then 1,024, 1,024, 512 and 256
// units. Its tables are those of the Criteo Kaggle data, cut to 100,000 rows each so that the whole
// fits (MLPerf's reach 40 million). Two classes where MLPerf has one logistic unit: 109,958,658
// parameters.
Graph dlrm(std::int64_t batch);

}  // namespace strata
