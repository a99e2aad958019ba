// SPDX-License-Identifier: MIT
#pragma once

#include "store/statement.h"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace strata {

// The table of texts that many rows repeat. Use one per transaction: ids of a transaction that was
// rolled back are void.
class TextTable {
public:
    explicit TextTable(const Database& database);

    // The id of a text, which is added where it is new.
    std::int64_t id_of(const std::string& text);

private:
    Statement find_;
    Statement insert_;
    std::unordered_map<std::string, std::int64_t> known_;
};

}  // namespace strata
