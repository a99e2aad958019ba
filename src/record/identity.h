// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace strata {

// 16 hexadecimal digits that are equal for equal settings and, but for one chance in 2^64, for no
// others. They stay the same from version to version, so they may be stored.
std::string key_of(const Settings& settings);

// What key_of(settings) is the key of: this, with an empty network where its content is known, and
// the text of everything else. A writer of thousands of runs makes that text once.
std::string key_text(std::string_view backend, std::string_view network, std::int64_t batch);
std::string key_text_after_batch(const Settings& settings);

// The same of any text.
std::string key_of(std::string_view text);

// The release, "0.1.0", and the commit it was built from: "3f2a91c0d4e1", with "-dirty" where the
// tree had further changes, "unknown" where it was built outside a repository.
std::string_view strata_version();
std::string_view strata_commit();

// How this program was made, for Run::provenance: strata.version, strata.commit, build.type,
// build.compiler, build.flags, and <library>.version of the libraries that it was compiled against.
std::map<std::string, std::string> build_provenance();

}  // namespace strata
