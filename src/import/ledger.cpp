// SPDX-License-Identifier: MIT
#include "import/ledger.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr std::size_t max_kept = 100;  // names of one reason, and messages; the rest are "others"
constexpr std::size_t max_named = 5;   // in a sentence
constexpr std::size_t longest_name = 60;

std::string_view phrase_of(LeftOutReason reason) {
    switch (reason) {
        case LeftOutReason::nameless:
            return "they have no name";
        case LeftOutReason::implausible_time:
            return "the time is negative, not a number or longer than an hour, as if a clock had "
                   "wrapped";
        case LeftOutReason::no_time:
            return "the file states no time for them";
        case LeftOutReason::no_value:
            return "they are counters without a value";
        case LeftOutReason::unclear_number:
            return "their numbers are invalid or ambiguous, like 1,234 if nothing shows the "
                   "decimal mark";
        case LeftOutReason::unknown_unit:
            return "their unit is unknown";
        case LeftOutReason::unknown_kind:
            return "they are of a kind that does not count as work";
        case LeftOutReason::unpaired:
            return "they begin without an end, or end without a beginning";
        case LeftOutReason::broken_row:
            return "the line has the wrong number of fields";
        case LeftOutReason::other_table:
            return "they are rows of another table in the same file";
        case LeftOutReason::host_alone:
            return "they ran on the host and launched nothing, but the times are a device's";
        case LeftOutReason::empty_range:
            return "they are ranges in which nothing else was recorded";
        case LeftOutReason::other_process:
            return "they belong to other processes";
        case LeftOutReason::own_lines:
            return "their parts have separate records";
    }
    return "";
}

std::string time_text(double nanoseconds) {
    return nanoseconds < 1e3 ? fmt::format("{:.0f} ns", nanoseconds)
                             : fmt::format("{:.3f} ms", nanoseconds * 1e-6);
}

LedgerAccount sum_of(const std::map<std::string, LedgerAccount, std::less<>>& accounts) {
    LedgerAccount sum;
    for (const auto& [name, account] : accounts) {
        sum.records += account.records;
        sum.nanoseconds += account.nanoseconds;
    }
    return sum;
}

// " (overhead, Trace and 2 more)", the most frequent first.
std::string names_in(const std::map<std::string, LedgerAccount, std::less<>>& accounts) {
    std::vector<std::pair<std::uint64_t, std::string>> names;
    for (const auto& [name, account] : accounts) {
        if (!name.empty()) {
            names.emplace_back(account.records, printable(name, longest_name));
        }
    }
    std::ranges::stable_sort(names, std::greater(), &std::pair<std::uint64_t, std::string>::first);
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(names.size(), max_named); ++i) {
        shown.push_back(names[i].second);
    }
    const std::string more =
        names.size() > max_named ? fmt::format(" and {} more", names.size() - max_named) : "";
    return shown.empty() ? "" : fmt::format(" ({}{})", join(shown, ", "), more);
}

}  // namespace

void LedgerAccount::add(std::optional<Nanoseconds> time, std::uint64_t more) {
    records += more;
    nanoseconds += time ? static_cast<double>(time->count()) : 0;
}

void Ledger::leave_out(LeftOutReason reason, std::string_view what, std::optional<Nanoseconds> time,
                       std::uint64_t records) {
    LedgerAccount account;
    account.add(time, records);
    leave_out(reason, what, account);
}

void Ledger::leave_out(LeftOutReason reason, std::string_view what, const LedgerAccount& account) {
    if (account.records == 0) {
        return;
    }
    ByName& names = left_out_[reason];
    auto found = names.find(what);
    if (found == names.end()) {
        found = names.emplace(names.size() < max_kept ? what : "others", LedgerAccount{}).first;
    }
    found->second.records += account.records;
    found->second.nanoseconds += account.nanoseconds;
}

void Ledger::quote(std::string_view message) {
    std::string text = printable(trim(message), 300);
    if (messages_.size() < max_kept || messages_.contains(text)) {
        ++messages_[std::move(text)];
    }
}

LedgerAccount Ledger::left_out() const {
    LedgerAccount all;
    for (const auto& [reason, names] : left_out_) {
        const LedgerAccount sum = sum_of(names);
        all.records += sum.records;
        all.nanoseconds += sum.nanoseconds;
    }
    return all;
}

std::uint64_t Ledger::left_out(LeftOutReason reason) const {
    const auto found = left_out_.find(reason);
    return found == left_out_.end() ? 0 : sum_of(found->second).records;
}

std::vector<LeftOutAccount> Ledger::accounts() const {
    std::vector<LeftOutAccount> all;
    for (const auto& [reason, names] : left_out_) {
        for (const auto& [what, account] : names) {
            all.push_back({reason, what, account});
        }
    }
    return all;
}

std::vector<std::string> Ledger::sentences() const {
    std::vector<std::string> all;
    for (const auto& [reason, names] : left_out_) {
        const LedgerAccount sum = sum_of(names);
        const std::string time =
            sum.nanoseconds > 0 ? fmt::format(" of {} in all", time_text(sum.nanoseconds)) : "";
        all.push_back(
            fmt::format("{} record{}{} {} left out: {}{}", sum.records, sum.records == 1 ? "" : "s",
                        time, sum.records == 1 ? "is" : "are", phrase_of(reason), names_in(names)));
    }
    for (const auto& [message, count] : messages_) {
        all.push_back(fmt::format("the tool wrote into the file: {}{}", message,
                                  count > 1 ? fmt::format(" ({} times)", count) : ""));
    }
    return all;
}

}  // namespace strata
