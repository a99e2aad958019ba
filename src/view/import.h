// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace strata {

// What an import found, and how each of its steps was attributed:
//
//   alexnet, batch 32, training, f32, pytorch: imported as run 12
//   3 iterations, found by the repetition of its operators; 96.2 % of the steps' time is attributed
//   to 21 of the network's layers.
//
//   layer                 operator     pass     time [ms]  share [%]  attributed by
//   conv1                 convolution  forward       3.63       31.0  operator and shape
//   unattributed: aten::  aten::copy_  forward       0.02        0.2  nothing
//   ...
//   Notes on this import
//   ...
//
// `by` has one entry for each of the run's steps.
Document import_document(const Run& run, std::span<const std::string> by);

// What happened to some of a file's records.
struct ImportBook {
    std::string use = {};     // "used", "context", "left out"
    std::string reason = {};  // why they were left out
    std::string what = {};    // likewise: a category, unit or process
    std::uint64_t records = 0;
    Seconds time = {};  // the sum of those that the file states
};

// All books, for data only: people read the same as doubts.
Table books_table(std::span<const ImportBook> books);

// The results of a sweep, imported as runs: their number, their source, and how many were new.
//
//   1944 networks on Google Cloud TPU v2-8, a board of four chips, imported
//   1724 ran, 220 did not. 1944 were new. ...
//
//   outcome      runs   first run
//   failed: OOM   220        1725
//   ran         1,724           1
Document import_sweep_document(std::span<const Run> runs, std::size_t anew,
                               std::string_view device);

}  // namespace strata
