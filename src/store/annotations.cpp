// SPDX-License-Identifier: MIT
#include "store/annotations.h"

#include "base/error.h"
#include "base/text.h"
#include "store/owner.h"
#include "store/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace strata {

namespace {

constexpr std::size_t longest_tag = 60;

void require_tag(const std::string& name) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    };
    const bool is_name = !name.empty() && name.size() <= longest_tag &&
                         std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
                         std::ranges::all_of(name, is_plain) && name != "last";
    if (!is_name) {
        throw Error(fmt::format("'{}' cannot be a tag: use a letter followed by letters, digits, "
                                "'-', '_' or '.', at most {} characters, and not 'last'",
                                printable(name), longest_tag),
                    ExitCode::usage);
    }
}

void require_run(const Database& database, std::int64_t run) {
    if (!Statement(database, "SELECT 1 FROM run WHERE id = ?").start(run).next()) {
        throw Error(
            fmt::format("there is no run {} in database {}; strata list runs shows the stored runs",
                        run, printable(database.file().string(), 1000)));
    }
}

// Whether a living process is adding to the run as part of its open plan.
void require_at_rest(const Database& database, std::int64_t run) {
    Statement find(database,
                   "SELECT plan.owner FROM run JOIN plan ON plan.id = run.plan "
                   "WHERE run.id = ? AND run.state = 'partial' AND plan.state = 'open'");
    if (find.start(run).next() && find.text(0) != this_process() && is_alive(find.text(0))) {
        throw Error(fmt::format(
            "run {} is being measured; interrupt that command first, or wait for it to finish",
            run));
    }
}

std::string line_of(const Database& database, std::int64_t run) {
    Statement find(database, "SELECT network, batch, mode, created FROM run WHERE id = ?");
    find.start(run).next();
    return fmt::format("run {}: {}, batch {}, {}, {}", run, printable(find.text(0)),
                       find.integer(1), find.text(2), find.text(3));
}

// Kernels that only the run's trace uses are removed with it; imported ones stay.
void delete_run(const Database& database, std::int64_t run) {
    std::optional<std::int64_t> kernels;
    Statement find(database, "SELECT kernel_set FROM trace WHERE run = ?");
    if (find.start(run).next()) {
        kernels = find.integer(0);
    }
    Statement(database, "DELETE FROM run WHERE id = ?").run(run);
    if (kernels) {
        Statement(database,
                  "DELETE FROM kernel_set WHERE id = ? AND source = '' AND "
                  "NOT EXISTS (SELECT 1 FROM trace WHERE kernel_set = kernel_set.id)")
            .run(*kernels);
    }
}

}  // namespace

Annotations annotations_of(const Database& database, std::int64_t run) {
    Annotations found;
    for (const auto& [tag, of] : rows_of<tag_table>(database, "WHERE run = ? ORDER BY name", run)) {
        found.tags.push_back(tag.name);
    }
    for (const auto& [of, note] : rows_of_run<note_table>(database, run)) {
        found.note = note.text;
    }
    return found;
}

void restore_annotations(const Database& database, std::int64_t run, const Annotations& had) {
    TableWriter writer(database);
    for (const std::string& name : had.tags) {
        writer.add<tag_table>(TagKey{name}, OfRun{run});
    }
    if (!had.note.empty()) {
        writer.add<note_table>(OfRun{run}, NoteText{had.note});
    }
}

void tag_run(const Database& database, std::int64_t run, const std::string& name) {
    require_tag(name);
    require_run(database, run);
    Transaction transaction(database);
    restore_annotations(database, run, {.tags = {name}, .note = {}});
    transaction.commit();
}

void remove_tag(const Database& database, const std::string& name) {
    if (!run_tagged(database, name)) {
        throw Error(
            fmt::format("no run is tagged '{}'; strata list runs shows the tags", printable(name)));
    }
    Statement(database, "DELETE FROM tag WHERE name = ?").run(name);
}

void note_run(const Database& database, std::int64_t run, const std::string& text) {
    require_run(database, run);
    Transaction transaction(database);
    Statement(database, "DELETE FROM note WHERE run = ?").run(run);
    restore_annotations(database, run, {.tags = {}, .note = text});
    transaction.commit();
}

std::optional<std::int64_t> run_tagged(const Database& database, const std::string& name) {
    Statement find(database, "SELECT run FROM tag WHERE name = ?");
    return find.start(name).next() ? std::optional(find.integer(0)) : std::nullopt;
}

std::vector<std::string> delete_runs(const Database& database, std::span<const std::int64_t> runs) {
    Transaction transaction(database);
    std::vector<std::string> lines;
    for (const std::int64_t run : runs) {
        require_run(database, run);
        require_at_rest(database, run);
        lines.push_back(line_of(database, run));
        delete_run(database, run);
    }
    transaction.commit();
    return lines;
}

}  // namespace strata
