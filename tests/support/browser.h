// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace strata::testing {

// Whether there is a Chromium to open pages with.
inline bool has_browser() {
    return std::system("command -v chromium >/dev/null 2>&1") == 0;
}

// Opens a page without network access in a fresh profile and returns the document after its scripts
// have run.
inline std::string dom_of(const std::string& html) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("strata-browser-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "page.html") << html;
    const std::string command =
        "timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--user-data-dir='" +
        (folder / "profile").string() + "' --dump-dom 'file://" + (folder / "page.html").string() +
        "' 2>/dev/null";
    std::string dom;
    if (FILE* pipe = ::popen(command.c_str(), "r")) {
        char buffer[65536];
        for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
            dom.append(buffer, got);
        }
        ::pclose(pipe);
    }
    std::filesystem::remove_all(folder);
    return dom;
}

// The result of the page's self-test: "ok", a complaint, or nothing if its script did not finish.
inline std::string selftest_of(const std::string& dom) {
    const std::string_view mark = "data-selftest=\"";
    const auto begin = dom.find(mark);
    if (begin == std::string::npos) {
        return "";
    }
    const auto from = begin + mark.size();
    return dom.substr(from, dom.find('"', from) - from);
}

}  // namespace strata::testing
