// SPDX-License-Identifier: MIT
#pragma once

#include "record/kernels.h"

#include <filesystem>
#include <vector>

namespace strata {

// Whether a file is an SQLite database by its first bytes.
bool is_sqlite_file(const std::filesystem::path& file);

// The kernel dictionaries of a database of DNNMark's trace system (Dong et al., ICPE 2018; branch
// experiments-nvidia-gpu), a set for each table NETWORK_kernel_dict with the columns arch,
// batchsize, layername, propagation (Forward, Backward), kernelname, fullname, invocationorder.
// A backward layer's name ends in _w for the weights' gradient, in _d or nothing for the
// data's.
//
// The file is foreign: it is only read, nothing in it is executed (no views, triggers or virtual
// tables), and values and row counts are limited. Throws Error, one sentence with file, row and
// fix, for anything that is not such a database.
std::vector<KernelSet> read_dnnmark_kernels(const std::filesystem::path& file);

}  // namespace strata
