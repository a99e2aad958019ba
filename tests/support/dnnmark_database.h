// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

namespace strata {

// Runs SQL on a file without strata, as another program would.
inline std::filesystem::path raw_database(const std::filesystem::path& file,
                                          const std::string& sql) {
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
    return file;
}

// The table that DNNMark's trace system writes.
inline std::string dictionary_table(const std::string& network = "alexnet") {
    return "CREATE TABLE " + network +
           "_kernel_dict (arch, batchsize, layername, propagation, kernelname, fullname, "
           "invocationorder);";
}

// Two layers whose kernels share a bare name, and the three ways to name backward passes.
inline std::string small_dictionary() {
    return dictionary_table() +
           "INSERT INTO alexnet_kernel_dict VALUES "
           "('pascal', 16, 'conv1', 'Forward', 'sgemm', 'sgemm<float, int=6>', 1),"
           "('pascal', 16, 'conv2', 'Forward', 'sgemm', 'sgemm<float, int=8>', 1),"
           "('pascal', 16, 'relu1', 'Backward', 'relu_bw', 'relu_bw<float>', 1),"
           "('pascal', 16, 'conv2_d', 'Backward', 'dgrad', 'dgrad<float>', 1),"
           "('pascal', 16, 'conv2_w', 'Backward', 'wgrad', 'wgrad<float>', 1),"
           "('kepler', 64, 'conv1', 'Forward', 'sgemm', 'sgemm<float, int=6>', 1);";
}

}  // namespace strata
