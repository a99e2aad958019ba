// SPDX-License-Identifier: MIT
#include "view/doctor.h"

#include "base/enumeration.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

Document doctor_document(std::span<const Finding> findings) {
    Table table{.records = "findings"};
    table.columns = {{"subject", "subject", Importance::essential},
                     {"condition", "condition", Importance::essential},
                     {"meaning", "what it means", Importance::essential},
                     {"mend", "how to mend it", Importance::essential}};
    for (const auto& finding : findings) {
        const auto condition = name_of(finding.condition);
        table.rows.push_back(
            {finding.subject, std::string(condition), finding.meaning, finding.mend});
    }
    const auto wanting = std::ranges::count_if(
        findings, [](const Finding& one) { return one.condition != Condition::ok; });
    table.notes.push_back(wanting == 0
                              ? "Everything works here."
                              : fmt::format("{} of {} could be better.", wanting, findings.size()));
    return {
        .title = "What this machine can measure", .blocks = {std::move(table)}, .kind = "doctor"};
}

}  // namespace strata
