// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace strata {

// An available version of oneDNN, and its source.
struct LibraryOffer {
    std::string_view version;
    std::string_view from;
};

// Newest first, as of `offers_known_on`.
std::span<const LibraryOffer> onednn_offers();
inline constexpr std::string_view offers_known_on = "2026-11-22";

// The offers newer than this version: "3.13.1 (source), 3.7.2 (Debian 13)"; empty if there are
// none.
std::string newer_onednn(const std::string& version);

}  // namespace strata
