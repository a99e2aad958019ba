// SPDX-License-Identifier: MIT
#include "backend/library_offers.h"

#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

namespace strata {

namespace {

// Sources: github.com/uxlfoundation/oneDNN/releases; anaconda.org/conda-forge/onednn;
// packages.debian.org/libdnnl-dev; pypi.org/project/onednn-devel-cpu-gomp. (PyPI's onednn-devel of
// 2026 is for SYCL only.)
constexpr std::array offers = {
    LibraryOffer{"3.13.1", "to be built"},
    LibraryOffer{"3.12", "conda-forge"},
    LibraryOffer{"3.7.2", "Debian 13"},
    LibraryOffer{"3.2.0", "pip install onednn-devel-cpu-gomp"},
    LibraryOffer{"2.6.3", "Debian 12"},
};

}  // namespace

std::span<const LibraryOffer> onednn_offers() {
    return offers;
}

std::string newer_onednn(const std::string& version) {
    std::vector<std::string> newer;
    for (const LibraryOffer& offer : offers) {
        if (strverscmp(std::string(offer.version).c_str(), version.c_str()) > 0) {
            newer.push_back(fmt::format("{} ({})", offer.version, offer.from));
        }
    }
    return join(newer, ", ");
}

}  // namespace strata
