// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "report/document.h"

#include <span>
#include <string>

namespace strata {

// What a network needs of memory, layer by layer, and where it needs the most:
//
//   alexnet, batch 32, training: memory by layer
//   layer   parameters  optimizer  activations  kept  gradients  at the peak [MB]
//   conv1        0.140      0.140         37.2  37.2       37.3             37.4
//   total          244        244          121   119        309              762
//
//   at the peak, in fc6 update      [MB]
//   parameters                       244
//   ...
//   peak                             762
//
// The last column closes: its sum is the peak. Of activations and gradients not all are there at
// once.
Document memory_document(const Graph& graph, const Execution& execution);

// The same network at several batches, a row each, with what the parts hold at the peak as bars:
//
//   batch  parameters  optimizer  activations  gradients  masks  peak [MB]  at          inference
//       1         244        244         3.34        151  0.009        642  fc6 update        247
//
// Below it what a further example costs.
Document memory_by_batch_document(std::span<const Graph> graphs, const Execution& execution);

}  // namespace strata
