// SPDX-License-Identifier: MIT
#include "record/identity.h"

#include "base/hash.h"
#include "record/build.h"
#include "record/commit.h"
#include "record/options.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <iterator>

namespace strata {

namespace {

// Prefixes each part with its length, so that no two lists of parts give the same text.
void append(std::string& text, std::string_view part) {
    fmt::format_to(std::back_inserter(text), "{}:{}", part.size(), part);
}

}  // namespace

std::string key_text(std::string_view backend, std::string_view network, std::int64_t batch) {
    std::string text;
    append(text, backend);
    append(text, network);
    append(text, std::to_string(batch));
    return text;
}

std::string key_of(const Settings& settings) {
    // A file is identified by its content, not by its name.
    const bool is_file = settings.content.contains("network");
    return key_of(key_text(settings.backend, is_file ? "" : settings.network, settings.batch) +
                  key_text_after_batch(settings));
}

std::string key_text_after_batch(const Settings& settings) {
    std::string text;
    for (const char* option : {"mode", "dtype", "threads", "algorithm"}) {
        append(text, text_of(settings, option));
    }
    append(text, policy_text(settings));
    for (const auto& [name, value] : identifying_settings(settings)) {
        append(text, name);
        append(text, value);
    }
    return text;
}

std::string key_of(std::string_view text) {
    return fmt::format("{:016x}", hash_of(text));
}

std::string_view strata_version() {
    return build::version;
}

std::string_view strata_commit() {
    return build::commit;
}

std::string now_utc() {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

std::map<std::string, std::string> build_provenance() {
    return {{"strata.version", build::version},
            {"strata.commit", build::commit},
            {"build.type", build::type},
            {"build.compiler", build::compiler},
            {"build.flags", build::flags},
            {"fmt.version", build::fmt},
            {"sqlite.version", build::sqlite},
            {"tomlplusplus.version", build::tomlplusplus},
            {"nlohmann_json.version", build::nlohmann_json}};
}

}  // namespace strata
