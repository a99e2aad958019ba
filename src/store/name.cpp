// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/text.h"
#include "store/annotations.h"
#include "store/load.h"
#include "store/statement.h"

#include <fmt/format.h>

namespace strata {

namespace {

// "last" and "last~N" as the number of runs before the last.
std::optional<std::int64_t> steps_back(std::string_view name) {
    constexpr std::string_view last = "last";
    if (name == last) {
        return 0;
    }
    if (!name.starts_with("last~")) {
        return {};
    }
    const auto back = parse_integer(name.substr(last.size() + 1));
    return back && *back >= 0 ? back : std::nullopt;
}

std::int64_t nth_latest_run(const Database& database, std::int64_t back) {
    Statement find(database, "SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET ?");
    if (!find.start(back).next()) {
        throw Error(fmt::format(
            "database {} does not hold that many runs; strata list runs shows the stored runs",
            printable(database.file().string(), 1000)));
    }
    return find.integer(0);
}

// "FILE:NAME" in its two halves; no file for a plain name.
std::pair<std::string, std::string> file_and_name(const std::string& text) {
    const auto colon = text.rfind(':');
    if (colon == std::string::npos) {
        return {"", text};
    }
    return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

std::int64_t resolve_run(const Database& database, const std::string& name) {
    if (const auto back = steps_back(name)) {
        return nth_latest_run(database, *back);
    }
    if (const auto tagged = run_tagged(database, name)) {
        return *tagged;
    }
    const auto id = parse_integer(name);
    if (!id || *id < 1) {
        throw Error(fmt::format("'{}' names no run: give an id, a tag, last, last~1 or FILE:ID",
                                printable(name)),
                    ExitCode::usage);
    }
    return *id;
}

Run load_named_run(const std::filesystem::path& path, const std::string& name) {
    const auto [file, run] = file_and_name(name);
    const Database database =
        Database::open_existing(file.empty() ? path : std::filesystem::path(file));
    return load_run(database, resolve_run(database, run));
}

}  // namespace strata
