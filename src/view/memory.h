// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "report/document.h"

#include <span>
#include <string>

namespace strata {

// Says that a training step in 16 bits keeps its parameters in 32; empty for any other execution.
std::string masters_note(const Execution& execution);

// The memory a network needs, layer by layer, and where it peaks:
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
// The last column adds up to the peak. Activations and gradients do not all exist at once.
Document memory_document(const Graph& graph, const Execution& execution);

// The same network at several batches, one row each, with the parts of the peak as bars:
//
//   batch  parameters  optimizer  activations  gradients  masks  peak [MB]  at          inference
//       1         244        244         3.34        151  0.009        642  fc6 update        247
//
// Below it, the cost of an additional example.
Document memory_by_batch_document(std::span<const Graph> graphs, const Execution& execution);

}  // namespace strata
