// SPDX-License-Identifier: MIT
#include "view/doctor.h"

#include "report/terminal.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Doctor, SaysWhatWorksWhatDoesNotAndHowToFixIt) {
    const std::vector<DoctorCheck> findings = {
        {"processor", Condition::ok, "an Intel Xeon with AVX-512 and bf16", ""},
        {"hardware counters", Condition::absent, "no cache misses by layer",
         "sysctl kernel.perf_event_paranoid=1"},
        {"frequency", Condition::limited, "the governor is powersave: times drift",
         "cpupower frequency-set -g performance"}};
    testing::expect_golden("view/doctor.txt", render_terminal(doctor_document(findings),
                                                              {.width = 120, .unicode = true}));
}

TEST(Doctor, GivesScriptsEveryFindingAsARow) {
    const std::vector<DoctorCheck> findings = {
        {"processor", Condition::ok, "fine", ""},
        {"ceilings", Condition::absent, "none", "calibrate"}};
    const Document document = doctor_records(findings);
    const auto& rows = std::get<Table>(document.blocks.front()).rows;
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(std::get<std::string>(rows[1][1]), "absent");
    EXPECT_EQ(std::get<std::string>(rows[1][3]), "calibrate");
}

TEST(Doctor, SaysSoIfAllIsWell) {
    const std::vector<DoctorCheck> findings = {{"processor", Condition::ok, "fine", ""}};
    EXPECT_NE(render_terminal(doctor_document(findings), {}).find("Everything works here."),
              std::string::npos);
}

}  // namespace
}  // namespace strata
