// SPDX-License-Identifier: MIT
#include "view/doctor.h"

#include "base/enumeration.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

constexpr std::string_view title = "What this machine can measure";

std::string_view heading_of(Condition condition) {
    switch (condition) {
        case Condition::absent:
            return "Not available";
        case Condition::limited:
            return "Limited";
        case Condition::ok:
            break;
    }
    return "Available";
}

std::string sentence_on(const DoctorCheck& finding) {
    const std::string fix = finding.fix.empty() ? "" : fmt::format(" → {}", finding.fix);
    return fmt::format("{}: {}{}", finding.subject, finding.meaning, fix);
}

}  // namespace

Document doctor_document(std::span<const DoctorCheck> findings) {
    Document document{.title = std::string(title), .blocks = {}, .kind = "doctor"};
    for (const Condition condition : {Condition::absent, Condition::limited, Condition::ok}) {
        const auto is_so = [&](const DoctorCheck& one) { return one.condition == condition; };
        if (std::ranges::any_of(findings, is_so)) {
            document.blocks.emplace_back(Heading{std::string(heading_of(condition))});
        }
        for (const DoctorCheck& finding : findings) {
            if (is_so(finding)) {
                document.blocks.emplace_back(Paragraph{sentence_on(finding)});
            }
        }
    }
    const auto lacking = std::ranges::count_if(
        findings, [](const DoctorCheck& one) { return one.condition != Condition::ok; });
    document.blocks.emplace_back(Paragraph{
        lacking == 0 ? "Everything works here."
                     : fmt::format("{} of {} could be improved.", lacking, findings.size())});
    return document;
}

Document doctor_records(std::span<const DoctorCheck> findings) {
    Table table{.records = "findings"};
    table.columns = {{"subject", "subject"},
                     {"condition", "condition"},
                     {"meaning", "what it means"},
                     {"fix", "how to fix it"}};
    for (const auto& finding : findings) {
        table.rows.push_back({finding.subject, std::string(name_of(finding.condition)),
                              finding.meaning, finding.fix});
    }
    return {.title = std::string(title), .blocks = {std::move(table)}, .kind = "doctor"};
}

}  // namespace strata
