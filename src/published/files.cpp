// SPDX-License-Identifier: MIT
#include "published/files.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "published/figure.h"
#include "published/read.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

[[noreturn]] void refuse_unknown(std::string_view name) {
    std::vector<std::string> names;
    for (const auto& files : {published_files(), figure_files()}) {
        for (const EmbeddedFile& file : files) {
            names.emplace_back(file.name);
        }
    }
    const auto meant = nearest(name, names);
    throw Error(fmt::format("there is no publication named \"{}\"; {}", printable(name),
                            meant ? "did you mean \"" + *meant + "\"?"
                                  : "\"strata reproduce --list\" lists them"),
                ExitCode::usage);
}

Reproduction read_file(std::string_view path) {
    const auto text = read_small_file(path);
    if (!text) {
        throw Error(fmt::format("{}: cannot be read ({}); name a TOML file of at most 1 MiB",
                                printable(path, 400), why_not_read(path)));
    }
    return parse_reproduction(*text, path);
}

}  // namespace

std::vector<Reproduction> reproductions() {
    std::vector<Reproduction> all;
    for (const EmbeddedFile& file : published_files()) {
        all.push_back(parse_reproduction(file.text, fmt::format("{}.toml", file.name)));
    }
    return all;
}

Reproduction find_reproduction(std::string_view name) {
    const auto files = published_files();
    const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
    if (found != files.end()) {
        return parse_reproduction(found->text, fmt::format("{}.toml", name));
    }
    if (name.ends_with(".toml")) {
        return read_file(name);
    }
    refuse_unknown(name);
}

}  // namespace strata
