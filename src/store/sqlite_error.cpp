// SPDX-License-Identifier: MIT
#include "store/sqlite_error.h"

#include "base/text.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace strata {

namespace {

// What a result code means to whoever asked, as the end of a sentence that begins with the file.
struct Meaning {
    int code;
    const char* sentence;
};

constexpr std::array meanings = {
    Meaning{SQLITE_NOTADB,
            "is not a strata database (not an SQLite file); choose another with --database"},
    Meaning{SQLITE_CORRUPT, "is damaged; copy it and recover what is left with sqlite3's .recover"},
    Meaning{SQLITE_FULL,
            "cannot grow because the disk is full; free space and repeat the command: committed "
            "data is kept"},
    Meaning{SQLITE_BUSY, "is locked by another process; try again when that process has ended"},
    Meaning{SQLITE_LOCKED, "is locked by another process; try again when that process has ended"},
    Meaning{SQLITE_PROTOCOL,
            "cannot be locked, as on some network file systems; choose a file on a local disk with "
            "--database"},
    Meaning{SQLITE_READONLY,
            "cannot be written; change its permissions or choose another with --database"},
    Meaning{SQLITE_PERM,
            "may not be opened; change its permissions or choose another with --database"},
};

bool no_space_left(int system_error) {
    return system_error == ENOSPC || system_error == EFBIG || system_error == EDQUOT;
}

std::string with_cause(const char* what, const SqliteFailure& failure) {
    const std::string cause = failure.system_error != 0
                                  ? std::generic_category().message(failure.system_error)
                                  : failure.message;
    return fmt::format("{} ({}); fix that or choose another with --database", what, cause);
}

// The same of a file that another program wrote and that is only read.
constexpr std::array foreign_meanings = {
    Meaning{SQLITE_NOTADB, "is not an SQLite file; give one that strata can import"},
    Meaning{SQLITE_CORRUPT, "is damaged; copy it again, or recover it with .recover"},
    Meaning{SQLITE_TOOBIG,
            "holds a value of more than a megabyte, too long for a kernel name; give one that "
            "strata can import"},
    Meaning{SQLITE_CANTOPEN, "cannot be opened; change its permissions or copy it"},
    Meaning{SQLITE_IOERR, "is cut off; copy it again"},
};

std::string foreign_sentence_of(const SqliteFailure& failure) {
    for (const Meaning& meaning : foreign_meanings) {
        if (meaning.code == (failure.code & 0xff)) {
            return meaning.sentence;
        }
    }
    return fmt::format("cannot be read ({}); copy it again", printable(failure.message));
}

std::string sentence_of(const SqliteFailure& failure) {
    const int primary = failure.code & 0xff;
    const bool full = primary == SQLITE_IOERR && no_space_left(failure.system_error);
    for (const Meaning& meaning : meanings) {
        if (meaning.code == (full ? SQLITE_FULL : primary)) {
            return meaning.sentence;
        }
    }
    if (primary == SQLITE_CANTOPEN) {
        return with_cause("cannot be opened", failure);
    }
    if (primary == SQLITE_IOERR) {
        return with_cause("cannot be read or written", failure);
    }
    return fmt::format("cannot be used: {}", failure.message);
}

}  // namespace

Error database_error(const std::filesystem::path& file, const SqliteFailure& failure,
                     DatabaseOwner owner) {
    return Error(fmt::format(
        "database {} {}", printable(file.string(), 1000),
        owner == DatabaseOwner::strata ? sentence_of(failure) : foreign_sentence_of(failure)));
}

}  // namespace strata
