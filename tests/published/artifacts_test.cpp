// SPDX-License-Identifier: MIT Numbers called artifact or digitised are in the authors' files
// or were read off a figure, as stated in data/published. Skipped if ../shared/data is
// absent.
#include "published/figure.h"
#include "published/files.h"
#include "tests/support/shared_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

namespace strata {
namespace {

double query_number(const std::filesystem::path& database, const std::string& query) {
    sqlite3* connection = nullptr;
    sqlite3_stmt* statement = nullptr;
    double value = -1;
    if (sqlite3_open_v2(database.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr) ==
            SQLITE_OK &&
        sqlite3_prepare_v2(connection, query.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        value = sqlite3_column_double(statement, 0);
    }
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return value;
}

TEST(Artifacts, TheKernelDatabaseOfDongHasThePublishedRows) {
    const auto database = shared_directory() / "data/dnnmark/alexnet_kernel.db";
    if (!std::filesystem::exists(database)) {
        GTEST_SKIP() << database << " is not here";
    }
    const std::map<std::string, std::string> conditions = {
        {"forward kernels", "propagation = 'Forward'"},
        {"backward kernels", "propagation = 'Backward'"},
        {"of these, of weights", "layername like '%\\_w' escape '\\'"},
        {"rows of one GPU and batch", "1"},
        {"layers that activation_fw_4d_kernel serves", "kernelname like 'activation_fw_4d%'"},
        {"layers that implicit_convolve_sgemm serves",
         "propagation = 'Forward' and kernelname like '%implicit_convolve_sgemm%'"},
        {"layers with a gradient of weights and none of data",
         "layername like '%\\_w' escape '\\' and replace(layername, '_w', '_d') not in "
         "(select layername from alexnet_kernel_dict)"}};
    for (const PublishedNumber& number : find_reproduction("dong2018-kernel-database").numbers) {
        EXPECT_EQ(query_number(database,
                               "select count(*) from alexnet_kernel_dict where arch = "
                               "'pascal' and batchsize = 128 and " +
                                   conditions.at(number.name)),
                  number.published)
            << number.name;
    }
}

TEST(Artifacts, TheRecordsOfParaDnnHaveThePublishedNumbers) {
    std::ifstream file(shared_directory() / "data/paradnn/gpu_fc.json");
    if (!file) {
        GTEST_SKIP() << "../shared/data/paradnn is not here";
    }
    const auto data = nlohmann::json::parse(file);
    std::map<std::string, double> records;
    for (std::size_t i = 0; i < data.at("labels").size(); ++i) {
        std::string label = data["labels"][i];
        label.replace(label.find("-input_2000-output_1000"), 23, "");
        records[label + ": parameters"] = data["params"][i];
        records[label + ": operations of a step"] = 1e9 * data["fl"][i].get<double>();
    }
    for (const PublishedNumber& number : find_reproduction("paradnn-fc-records").numbers) {
        EXPECT_DOUBLE_EQ(records.at(number.name), number.published) << number.name;
    }
}

// Rows are "9c,Direct,conv1,55,fwd Gop b256,2.5".
TEST(Artifacts, TheBarsOfKimMatchTheDigitisedFigure) {
    std::ifstream file(shared_directory() / "data/published/kim2017_figures.csv");
    if (!file) {
        GTEST_SKIP() << "../shared/data/published is not here";
    }
    std::map<std::string, double> bars;
    for (std::string line; std::getline(file, line);) {
        std::istringstream row(line);
        std::string figure, algorithm, layer, value;
        std::getline(std::getline(row, figure, ','), algorithm, ',');
        std::getline(std::getline(row, layer, ','), value, ',');
        if (figure == "9c") {
            const bool is_name = algorithm == "Direct" || algorithm == "Theoretical";
            algorithm[0] = is_name ? static_cast<char>(std::tolower(algorithm[0])) : algorithm[0];
            bars[fmt::format("{}: {}", algorithm, layer)] = 1e9 * std::stod(value);
        }
    }
    const auto numbers = find_reproduction("kim2017-fig9c").numbers;
    EXPECT_EQ(numbers.size(), bars.size());
    for (const PublishedNumber& number : numbers) {
        EXPECT_EQ(bars.at(number.name), number.published) << number.name;
    }
}

// The published values of a figure's panels, sorted. Rows are "8a,GEMM,fwd batch 32,21,ms,2".
std::vector<double> digitised_values(std::istream& file, std::string_view panels, double unit) {
    std::vector<double> values;
    for (std::string line; std::getline(file, line);) {
        std::istringstream row(line);
        std::string panel, series, x, value;
        std::getline(std::getline(row, panel, ','), series, ',');
        std::getline(std::getline(row, x, ','), value, ',');
        if (panel.size() == 2 && panels.find(panel) != std::string_view::npos) {
            values.push_back(std::stod(value) * (panel == "8d" ? 1e6 : unit));
        }
    }
    std::ranges::sort(values);
    return values;
}

TEST(Artifacts, TheTimesOfKimMatchTheDigitisedFigures) {
    const auto path = shared_directory() / "data/published/kim2017_figures.csv";
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << path << " is not here";
    }
    const std::map<std::string, std::string_view> figures = {{"kim2017-fig8", "8a 8b 8c 8d"},
                                                             {"kim2017-fig9ab", "9a 9b"}};
    for (const auto& [name, panels] : figures) {
        std::ifstream file(path);
        const auto digitised = digitised_values(file, panels, 1e-3);
        std::vector<double> ours;
        const auto figure = find_figure(name);
        ASSERT_TRUE(figure) << name;
        for (const FigurePanel& panel : figure->panels) {
            for (const FigureBar& bar : panel.bars) {
                ours.push_back(bar.published);
            }
        }
        std::ranges::sort(ours);
        ASSERT_EQ(ours.size(), digitised.size()) << name;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            EXPECT_DOUBLE_EQ(ours[i], digitised[i]) << name;
        }
    }
}

}  // namespace
}  // namespace strata
