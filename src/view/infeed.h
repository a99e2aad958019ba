// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"
#include "view/analysis.h"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <vector>

namespace strata {

// The cost of feeding a run with images; empty if it was not fed:
//
//   Input
//   Infeed-bound: 1 thread makes 512 images/s and the network takes 1930. 71 % of an overlapped
//   step goes into waiting for input and copying it; 4 threads, each with its own processor,
//   would keep up.
//
//   part                                      time [ms]  images/s  of the overlapped step [%]
//   step, with its input ready                   8.29 ± 0.1      1930                          –
//   decode a batch, processor time            24.1 ± 0.2       664                          –
//   augment it, likewise                       7.1 ± 0.1      2254                          –
//   copy it                                  0.40 ± 0.01         –                          –
//   serial: make it, copy it, step            39.9 ± 0.3       401                          –
//   overlapped: step while the next is made   32.0 ± 0.3       500                        100
//     waiting for the batch                   22.3 ± 0.3         –                       69.7
//     copying it                             0.41 ± 0.01         –                        1.3
//     the step itself                          9.3 ± 0.1         –                       29.1
//   Images: 64 synthetic JPEGs, 65,536 pixels and 25 kB on average, ...
std::vector<Block> infeed_blocks(const Run& run);

// A stored run and the cost of feeding it.
struct FedRun {
    const Observation* run = nullptr;
    InfeedResult infeed;
};

// The infeed share and both rates of many runs, one row each:
//
//   run  network  batch  mode      threads  infeed threads  step [ms]  overlapped [ms]  infeed
//   share [%] ...
Document infeeds_document(std::span<const FedRun> runs, const AnalysedRuns& of);

// The same for one run as data; null if the run was not fed.
nlohmann::ordered_json infeed_json(const Run& run);

}  // namespace strata
