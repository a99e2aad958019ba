// SPDX-License-Identifier: MIT
// Any bytes as a database of strata: listed, every run read, and merged into another.
#include "store/database.h"
#include "base/error.h"
#include "store/load.h"
#include "store/merge.h"
#include "store/query.h"
#include "tests/support/temporary_directory.h"

#include <filesystem>
#include <functional>

namespace strata {
namespace {

void unless_refused(const std::function<void()>& use) {
    try {
        use();
    } catch (const Error&) {
    }
}

void use(const std::filesystem::path& file) {
    const Database database = Database::open_existing(file);
    unless_refused([&] { list_runs(database); });
    for (std::int64_t run = 1; run <= 3; ++run) {
        unless_refused([&] { load_run(database, run); });
    }
}

}  // namespace
}  // namespace strata

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace strata;
    static const TemporaryDirectory directory;
    static const std::filesystem::path empty = directory.path() / "empty.sqlite";
    static const std::filesystem::path into = directory.path() / "into.sqlite";
    static const bool is_made = (Database::open(empty), true);
    (void)is_made;
    const auto file = directory.write("runs.sqlite", {reinterpret_cast<const char*>(data), size});
    std::filesystem::copy_file(empty, into, std::filesystem::copy_options::overwrite_existing);
    unless_refused([&] { use(file); });
    unless_refused([&] { merge_database(Database::open(into), file); });
    return 0;
}
