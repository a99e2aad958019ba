// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "op/convention.h"
#include "report/document.h"

#include <string>

namespace strata {

// A network and its work, without running it:
//
//   alexnet, batch 32: layers, work by the convention multiply-add-2
//   layer  operator     output         parameters  forward [GFLOP]  ...  traffic [MB]
//   conv1  convolution  32x96x55x55        34,944             6.75             65.0
//   total                              60,965,224             45.7
//
//   memory                 training [MB]  inference [MB]
//   parameters                       244             244
//   ...
//
// Shows the passes that the execution schedules: the first layer's backward_data only if asked for.
Document show_document(const Graph& graph, const Convention& convention,
                       const Execution& execution);

}  // namespace strata
