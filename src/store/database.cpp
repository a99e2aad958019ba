// SPDX-License-Identifier: MIT
#include "store/database.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "store/statement.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace strata {

namespace {

// SQLite's report on a failed call.
struct SqliteFailure {
    int code = 0;          // extended result code
    std::string message;   // sqlite3_errmsg
    int system_error = 0;  // errno of the underlying operation, 0 if there is none
};

// The meaning of a result code for the user, as the end of a sentence that begins with the file.
struct Meaning {
    int code;
    const char* sentence;
};

constexpr std::array meanings = {
    Meaning{SQLITE_NOTADB,
            "is not a strata database (not an SQLite file); choose another with --database"},
    Meaning{SQLITE_CORRUPT, "is damaged; copy it and recover the rest with sqlite3's .recover"},
    Meaning{SQLITE_INTERRUPT,
            "takes more time or memory to answer than an intact one; check it with sqlite3's "
            "PRAGMA quick_check"},
    Meaning{SQLITE_TOOBIG, "holds a value of more than 64 MB, which strata did not store"},
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

// The same for another program's file that is only read.
constexpr std::array foreign_meanings = {
    Meaning{SQLITE_NOTADB, "is not an SQLite file; give one that strata can import"},
    Meaning{SQLITE_CORRUPT, "is damaged; copy it again, or recover it with .recover"},
    Meaning{SQLITE_TOOBIG,
            "holds a value of more than a megabyte, too long for a kernel name; give one that "
            "strata can import"},
    Meaning{SQLITE_CANTOPEN, "cannot be opened; change its permissions or copy it"},
    Meaning{SQLITE_IOERR, "is truncated; copy it again"},
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
    if (primary == SQLITE_CONSTRAINT) {
        return fmt::format(
            "is unharmed, but refuses the new data ({}), which is a bug of strata: report it with "
            "the command",
            failure.message);
    }
    return fmt::format("cannot be used: {}", failure.message);
}

// The failure as one sentence that names the database, what is wrong with it, and the fix.
Error database_error(const std::filesystem::path& file, const SqliteFailure& failure,
                     DatabaseOwner owner) {
    return Error(fmt::format(
        "database {} {}", printable(file.string(), 1000),
        owner == DatabaseOwner::strata ? sentence_of(failure) : foreign_sentence_of(failure)));
}

}  // namespace

std::filesystem::path database_path(const std::string& asked) {
    if (!asked.empty()) {
        return asked;
    }
    if (const auto named = path_in_environment("STRATA_DATABASE")) {
        return *named;
    }
    if (const auto home = data_home()) {
        return *home / "strata" / "strata.sqlite";
    }
    throw Error(
        "neither HOME nor STRATA_DATABASE is set, so there is nowhere to put the database; choose "
        "a file with --database");
}

namespace {

// Limits for readers. No query of an intact file has needed as much, whatever its size.
constexpr StatementLimits limits_of_reading{.time = Seconds{30}, .memory = Bytes{4e9}};

// A path as an SQLite URI for reading; `how` may promise that the file never changes.
std::string uri_of(const std::filesystem::path& file, const char* how) {
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(file).string()) {
        if (c == '?' || c == '#' || c == '%') {
            uri += fmt::format("%{:02x}", static_cast<int>(c));
        } else {
            uri += c;
        }
    }
    return uri + how;
}

// A write-ahead log lets readers read while a run is stored. It needs shared memory, which network
// file systems lack; there, and if others use the file, its current journal mode is kept.
void prefer_write_ahead_log(const Database& database) {
    sqlite3_exec(database.handle(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
}

void tune(const Database& database) {
    database.execute(
        "PRAGMA synchronous = NORMAL;"
        "PRAGMA foreign_keys = ON;"
        "PRAGMA temp_store = MEMORY;");
}

// Storing a long sweep rereads few pages, so its memory can stay small.
void tune_for_writing(const Database& database) {
    tune(database);
    database.execute("PRAGMA cache_size = -16384;");
}

void tune_for_reading(const Database& database) {
    tune(database);
    database.execute("PRAGMA mmap_size = 268435456; PRAGMA cache_size = -65536;");
}

// (SQLite itself treats a truncated last page as one filled with zeros.)
void require_whole(const Database& database) {
    Statement size(database,
                   "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
    size.start().next();
    if (static_cast<std::int64_t>(std::filesystem::file_size(database.file())) < size.integer(0)) {
        throw Error(fmt::format("database {} is truncated: it should have {} bytes; copy it again",
                                printable(database.file().string(), 1000), size.integer(0)));
    }
}

// Opening a FIFO would wait for a writer, and a device is never a database.
void require_regular(const std::filesystem::path& database) {
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
        auto file = database;
        file += ending;
        std::error_code problem;
        const auto type = std::filesystem::status(file, problem).type();
        if (type != std::filesystem::file_type::regular &&
            type != std::filesystem::file_type::not_found && !problem) {
            throw Error(fmt::format(
                "database {} cannot be opened: {} is {}; choose another with "
                "--database",
                printable(database.string(), 1000),
                *ending == '\0' ? "it" : printable(file.string(), 1000),
                type == std::filesystem::file_type::directory ? "a folder" : "not a regular file"));
        }
    }
}

void create_folder_of(const std::filesystem::path& file) {
    const auto folder = file.parent_path();
    std::error_code problem;
    if (!folder.empty()) {
        std::filesystem::create_directories(folder, problem);
    }
    if (problem) {
        throw Error(
            fmt::format("cannot create the folder {} for the database ({}); choose another file "
                        "with --database",
                        printable(folder.string(), 1000), problem.message()));
    }
    // (SQLite would only report that there is no such file.)
    const bool is_there = std::filesystem::exists(file, problem);
    const auto* place = folder.empty() ? "." : folder.c_str();
    if (!is_there && ::access(place, W_OK | X_OK) != 0) {
        throw Error(
            fmt::format("cannot create the database {} ({}); choose another file with --database",
                        printable(file.string(), 1000), std::strerror(errno)));
    }
}

void require_file(const std::filesystem::path& file) {
    std::error_code problem;
    const bool is_there = std::filesystem::exists(file, problem);
    if (problem) {
        throw Error(
            fmt::format("database {} cannot be reached ({}); choose another with --database",
                        printable(file.string(), 1000), problem.message()));
    }
    if (!is_there) {
        throw Error(
            fmt::format("there is no database {} yet; store a run with strata run, or choose "
                        "another with --database",
                        printable(file.string(), 1000)));
    }
}

// Whether a write-ahead log next to the file still holds committed changes.
bool has_log(std::filesystem::path file) {
    file += "-wal";
    std::error_code problem;
    const auto size = std::filesystem::file_size(file, problem);
    return !problem && size > 0;
}

bool readable(const Database& database) {
    return sqlite3_exec(database.handle(), "SELECT 1 FROM sqlite_master", nullptr, nullptr,
                        nullptr) == SQLITE_OK;
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const {
    sqlite3_close_v2(handle);
}

Database::Database(std::filesystem::path file, int flags, bool immutable, DatabaseOwner owner)
    : file_(std::move(file)),
      uri_(uri_of(file_, immutable ? "?immutable=1" : "?mode=ro")),
      owner_(owner) {
    require_regular(file_);
    // (An absolute path is never mistaken for a URI.)
    const std::string name = immutable ? uri_ : std::filesystem::absolute(file_).string();
    // SQLite counts every allocation under a lock, for statistics that nobody uses: a twentieth of
    // the time of storing thousands of runs. (Has no effect, harmlessly, once a database was
    // opened.)
    [[maybe_unused]] static const int unlocked = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3* handle = nullptr;
    const int result = sqlite3_open_v2(name.c_str(), &handle,
                                       flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
    handle_.reset(handle);
    watch_ = std::make_unique<StatementWatch>(handle);
    if (result != SQLITE_OK) {
        fail();
    }
    sqlite3_extended_result_codes(handle, 1);
    lock_wait_ = std::make_unique<LockWait>(handle, file_);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, static_cast<int>(longest_value.value));
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

Database Database::open(const std::filesystem::path& file, const Schema& schema) {
    create_folder_of(file);
    Database database(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    require_schema(database, schema);  // before anything is changed
    prefer_write_ahead_log(database);
    tune_for_writing(database);
    complete_schema(database, schema);
    return database;
}

// Even reading a log needs a writable folder. Without one, the file alone is the whole database if
// its log is empty.
Database Database::open_for_reading(const std::filesystem::path& file) {
    Database database(file, SQLITE_OPEN_READONLY);
    if (readable(database) || has_log(file)) {
        return database;
    }
    Database alone(file, SQLITE_OPEN_READONLY, true);
    return readable(alone) ? std::move(alone) : std::move(database);
}

Database Database::open_existing(const std::filesystem::path& file, const Schema& schema) {
    require_file(file);
    Database database = open_for_reading(file);
    database.watch().set(limits_of_reading);
    require_schema(database, schema);
    if (schema_version(database) == 0) {
        throw Error(fmt::format("database {} holds no runs yet; store one with strata run",
                                printable(file.string(), 1000)));
    }
    tune_for_reading(database);
    use_own_views(database, schema);
    return database;
}

// Declared immutable, the file is read without a lock or log, so nothing is written to a foreign
// folder.
Database Database::open_foreign(const std::filesystem::path& file) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(file, problem)) {
        throw Error(fmt::format("cannot read {}: {}; give a file that strata can import",
                                printable(file.string(), 1000),
                                problem ? problem.message() : "it is not a file"));
    }
    if (has_log(file)) {
        throw Error(
            fmt::format("database {} is still being written (changes lie in its -wal file);"
                        " close the program that writes it first",
                        printable(file.string(), 1000)));
    }
    Database database(file, SQLITE_OPEN_READONLY, true, DatabaseOwner::another);
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, 1 << 20);
    database.execute(
        "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; SELECT 1 FROM sqlite_master");
    require_whole(database);
    return database;
}

void Database::execute(const std::string& sql) const {
    watch().enter({});
    if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail();
    }
}

Attachment::Attachment(const Database& into, const Database& other) : into_(into) {
    Statement(into, "ATTACH ? AS other").run(other.uri_);
}

Attachment::~Attachment() {
    sqlite3_exec(into_.handle(), "DETACH other", nullptr, nullptr, nullptr);
}

std::int64_t Database::last_inserted_id() const {
    return sqlite3_last_insert_rowid(handle());
}

std::int64_t Database::changed_rows() const {
    return sqlite3_changes64(handle());
}

// A write that fails while a transaction ends leaves its cause only in errno (SQLite 3.40).
void Database::fail() const {
    const int last = errno;
    const int code = sqlite3_extended_errcode(handle());
    const int known = sqlite3_system_errno(handle());
    const bool only_last = known == 0 && (code & 0xff) == SQLITE_IOERR;
    const Error error = database_error(file_,
                                       {.code = code,
                                        .message = sqlite3_errmsg(handle()),
                                        .system_error = only_last ? last : known},
                                       owner_);
    if ((code & 0xff) == SQLITE_CONSTRAINT) {
        throw BrokenConstraint(error);
    }
    if ((code & 0xff) == SQLITE_BUSY) {
        throw DatabaseLocked(error);
    }
    throw error;
}

}  // namespace strata
