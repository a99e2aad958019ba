// SPDX-License-Identifier: MIT
#pragma once

#include "record/kernels.h"
#include "report/document.h"

namespace strata {

// The contents of an imported set of kernels:
//
//   294 kernels of alexnet, imported from alexnet_kernel.db: kernel set 1.
//   Device, batch, full name and invocation identify all of them; bare names would only 268.
//
//   kernels by device and batch
//   device  batch  kernels  forward  backward_data  backward_weights  names  full_names
//   kepler     16       49       21             20                 8     14          16
//   ...
//   kernels that serve several layers
//   device  batch  pass     name                     variants  layers  kernels
//   kepler     16  forward  activation_fw_4d_kernel         1       7        7
Document kernels_document(const KernelSet& set, const KeyCount& count, Table census, Table shared);

}  // namespace strata
