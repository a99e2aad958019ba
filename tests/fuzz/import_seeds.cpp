// SPDX-License-Identifier: MIT
// Writes the beginnings of the recordings that the tests have (what a fuzzer is given is short),
// and small databases, into FOLDER/NAME for each fuzzer of importers.
#include <sqlite3.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

constexpr std::size_t most_bytes = 6000;  // below the fuzzers' -max_len

void write_beginning(const std::filesystem::path& from, const std::filesystem::path& folder) {
    std::ifstream stream(from, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    bytes.resize(std::min(bytes.size(), most_bytes));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / from.filename(), std::ios::binary) << bytes;
}

// Of small pages, so that several tables fit.
void write_database(const std::filesystem::path& file, const std::string& sql) {
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::remove(file);
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    sqlite3_exec(handle, ("PRAGMA page_size = 512;" + sql).c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(handle);
}

constexpr const char* nsight_systems =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'conv1');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, streamId, correlationId, globalPid, "
    "demangledName, blockX, blockY, blockZ);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (500, 900, 7, 1, 16777216, 1, 32, 1, 1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (110, 120, 16777217, 1);"
    "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid);"
    "INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, NULL, 2, 16777217), "
    "(50, 300, 59, 'aten::conv2d, seq = 1', NULL, 16777217);";

constexpr const char* dnnmark_kernels =
    "CREATE TABLE net_kernel_dict (arch, batchsize, layername, propagation, kernelname, fullname, "
    "invocationorder);"
    "INSERT INTO net_kernel_dict VALUES ('pascal', 16, 'conv1', 'Forward', 'sgemm', 'sgemm', 1), "
    "('pascal', 16, 'conv1_w', 'Backward', 'wgrad', 'wgrad', 1);";

constexpr const char* paradnn_results =
    R"({"states": ["OOM"], "err_jobs": ["layer_32-node_8192-input_8000-output_1000-bs_16384"],
"intensity": [385.33], "params": [12340000.0], "step_per_sec": [108.198], "fl": [9.51],
"labels": ["layer_32-node_512-input_8000-output_200-bs_1024"]})";

void write_import_seeds(const std::filesystem::path& folder) {
    const std::filesystem::path data = STRATA_IMPORT_DATA;
    for (const auto& from : {data, data / "documented"}) {
        for (const auto& entry : std::filesystem::directory_iterator(from)) {
            const std::string kind = entry.path().extension().string();
            if (kind == ".json" || kind == ".gz") {
                write_beginning(entry.path(), folder / "import_trace");
            } else if (kind == ".csv") {
                write_beginning(entry.path(), folder / "import_table");
            } else if (kind == ".log") {
                write_beginning(entry.path(), folder / "import_log");
            }
        }
    }
    std::filesystem::create_directories(folder / "import_results");
    std::ofstream(folder / "import_results/paradnn.json") << paradnn_results;
    write_database(folder / "import_database/nsight_systems", nsight_systems);
    write_database(folder / "import_database/dnnmark_kernels", dnnmark_kernels);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: import_seeds FOLDER\n", stderr);
        return 2;
    }
    write_import_seeds(arguments[1]);
}
