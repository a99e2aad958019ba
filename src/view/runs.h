// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"

#include <span>

namespace strata {

// Several runs, one row each:
//
// clang-format off
//   run  created               origin    network  batch  ...  backend  end to end [ms]  doubts
//   12   2026-11-21T13:15:00Z  measured  alexnet     32  ...  onednn       200.0 ± 0.5  drift
// clang-format on
Table runs_table(std::span<const Run> runs);

// A database's own list of its runs; if it is empty, how to store one.
Document runs_document(Table stored);

}  // namespace strata
