// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/cost.h"
#include "analyze/distribution.h"
#include "analyze/network_size.h"
#include "analyze/observed.h"
#include "analyze/regression.h"
#include "analyze/scaling.h"
#include "analyze/speedup.h"
#include "report/document.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// The runs of a database that an analysis covers, as the user selected them.
struct AnalysedRuns {
    std::size_t stored = 0;  // in the database
    std::vector<std::string> conditions = {};
};
std::string runs_sentence(const AnalysedRuns& of);

// Weights of hyperparameters by backend, with their intervals:
//
//   backend            hyperparameter  weight                 runs   R²
//   paradnn:tpu-v2-8   batch           0.472 [0.437, 0.508]  1,724  0.429
Document regression_document(const std::string& target,
                             std::span<const std::pair<std::string, Regression>> found,
                             const RegressionOptions& options, const AnalysedRuns& of);

// How much faster one platform is than another, over the baseline's throughput and by a
// hyperparameter; which hyperparameter decides the winner; and the weights of a regression, if
// there is one.
struct SpeedupFindings {
    std::string backend;
    std::string baseline;
    std::vector<SpeedupPair> pairs = {};
    std::vector<std::string> parameters = {};  // those that vary among the pairs
    std::string colour = {};                   // one of them; empty: none
    std::optional<Regression> regression = {};
    RegressionOptions regression_options = {};
};
Document speedup_document(const SpeedupFindings& found, const AnalysedRuns& of);

// The serial share of runs over threads by Amdahl's law, with measured times beside the law's.
Document scaling_document(std::span<const ThreadSweep> sweeps, const AnalysedRuns& of);

// Throughput over batch: a chart for each network with a line for each platform, and the batch
// beyond which it gains little:
//
//   network    backend        mode       batches to  best throughput [1/s]  at batch  saturated
//   from resnet-50  modelled:v100  inference          64                 ≈1,200        64 32
Document batches_document(std::span<const BatchSweep> sweeps, const AnalysedRuns& of);

// The ranges of generated networks beside the real networks of the zoo, as a table and a chart:
//
//   networks    quantity    count  smallest  9 %  median  91 %  largest  zoo within
//   paradnn-fc  parameters  1,080    69,816  ...                         97 %
Document ranges_document(std::span<const SizedNetworks> grids, const SizedNetworks& zoo,
                         std::int64_t batch);

// How time correlates with operations, by backend.
Document correlation_document(std::span<const std::pair<std::string, WorkCorrelation>> correlations,
                              const AnalysedRuns& of);

// Money and energy for a million examples, and which runs are on the front of speed and price:
//
//   network  batch  backend            throughput [1/s]  USD/M  kJ/M  front
Document cost_document(std::span<const RunCost> costs, const AnalysedRuns& of);

}  // namespace strata
