// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"
#include "report/document.h"

#include <span>

namespace strata {

// Runs beside each other, a row each:
//
//   run  created               origin    network  batch  mode  dtype  backend  end to end [ms]
//   doubts 12   2026-11-21T13:15:00Z  measured  alexnet     32  ...          onednn     200.0 ± 0.5
//   drift
Table runs_table(std::span<const Run> runs);

// A database's own list of its runs; where it is empty, how to make one.
Document runs_document(Table stored);

}  // namespace strata
