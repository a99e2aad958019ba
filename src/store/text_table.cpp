// SPDX-License-Identifier: MIT
#include "store/text_table.h"

namespace strata {

TextTable::TextTable(const Database& database)
    : find_(database, "SELECT id FROM text WHERE value = ?"),
      insert_(database, "INSERT INTO text (value) VALUES (?) RETURNING id") {}

std::int64_t TextTable::id_of(const std::string& text) {
    const auto [entry, is_new] = known_.try_emplace(text);
    if (is_new) {
        Statement& source = find_.start(text).next() ? find_ : insert_;
        if (&source == &insert_) {
            insert_.start(text).next();
        }
        entry->second = source.integer(0);
        while (source.next()) {
            // A statement in progress would keep a transaction from ending.
        }
    }
    return entry->second;
}

}  // namespace strata
