// SPDX-License-Identifier: MIT
#pragma once

#include "record/run.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace strata {

// 16 hexadecimal digits: equal for equal settings and, except for one chance in 2^64, different for
// others. They are the same in all versions, so they may be stored.
std::string key_of(const Settings& settings);

// The input of key_of(settings): the network (empty if its content is known) and the text of
// everything else. A writer of thousands of runs builds that text once.
std::string key_text(std::string_view backend, std::string_view network, std::int64_t batch);
std::string key_text_after_batch(const Settings& settings);

// The same for any text.
std::string key_of(std::string_view text);

// The release, "0.1.0", and the commit it was built from: "3f2a91c0d4e1", with "-dirty" if the tree
// had uncommitted changes, "unknown" if it was built outside a repository.
std::string_view strata_version();
std::string_view strata_commit();

// The current time in the format of Run::created.
std::string now_utc();

// How this program was built, for Run::provenance: strata.version, strata.commit, build.type,
// build.compiler, build.flags, and <library>.version of the libraries that it was compiled against.
std::map<std::string, std::string> build_provenance();

}  // namespace strata
