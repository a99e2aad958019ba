// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "cli/backends.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "device/description.h"
#include "networks/generate/generator.h"
#include "networks/network.h"
#include "op/convention.h"
#include "parallel/cluster.h"
#include "published/figure.h"
#include "published/files.h"
#include "published/modelled_figure.h"
#include "store/database.h"
#include "store/kernels.h"
#include "store/query.h"
#include "view/description.h"
#include "view/metrics.h"
#include "view/reproduction.h"
#include "view/runs.h"

#include <fmt/format.h>

#include <array>
#include <memory>

namespace strata {

namespace {

struct ListOptions {
    std::string what = "networks";
    std::string database;
    OutputOptions output;
};

// A table of names and meanings; most lists are just that.
Document names_and_meanings(std::string title, std::vector<std::vector<Cell>> rows) {
    return {.title = title,
            .blocks = {Table{.title = {},
                             .columns = {{"name", "name"}, {"meaning", "meaning"}},
                             .rows = std::move(rows),
                             .totals = {},
                             .notes = {},
                             .records = title}},
            .kind = "list"};
}

template <class Entries, class Text>
std::vector<std::vector<Cell>> rows_of(const Entries& entries, Text meaning) {
    std::vector<std::vector<Cell>> rows;
    for (const auto& entry : entries) {
        rows.push_back({std::string(entry.name), std::string(meaning(entry))});
    }
    return rows;
}

// "layers=4, nodes=1024": a family's keys with their defaults.
std::string keys_of(const GeneratorFamily& family) {
    std::vector<std::string> keys;
    for (const GeneratorKey& key : family.keys) {
        keys.push_back(fmt::format("{}={}", key.name, key.standard));
    }
    return join(keys, ",");
}

Document networks(const ListOptions&) {
    auto rows = rows_of(zoo(), [](const ZooNetwork& n) { return n.origin; });
    for (const GeneratorFamily& family : generator_families()) {
        rows.push_back({fmt::format("{}:", family.name),
                        fmt::format("{}; keys: {}", family.origin, keys_of(family))});
    }
    return names_and_meanings("networks", std::move(rows));
}

Document list_backends(const ListOptions&) {
    return names_and_meanings("backends",
                              rows_of(backends(), [](const BackendEntry& b) { return b.meaning; }));
}

Document list_conventions(const ListOptions&) {
    return names_and_meanings(
        "conventions", rows_of(conventions(), [](const Convention& c) { return c.meaning; }));
}

template <std::size_t... Index>
std::vector<std::vector<Cell>> operator_rows(std::index_sequence<Index...>) {
    return {{std::string(std::variant_alternative_t<Index, OneOperator>::type)}...};
}

Document operators(const ListOptions&) {
    return {.title = "operators",
            .blocks = {Table{
                .title = {},
                .columns = {{"name", "name"}},
                .rows = operator_rows(std::make_index_sequence<std::variant_size_v<OneOperator>>()),
                .totals = {},
                .notes = {},
                .records = "operators"}},
            .kind = "list"};
}

Document runs(const ListOptions& options) {
    const Database database = Database::open_existing(database_path(options.database));
    return runs_document(list_runs(database, options.output.needed_rows()));
}

Document kernels(const ListOptions& options) {
    const Database database = Database::open_existing(database_path(options.database));
    Table census = kernel_census(database);
    if (census.rows.empty()) {
        census.notes.emplace_back("No kernels are stored yet; strata import adds some.");
    }
    return {.title = "kernels", .blocks = {std::move(census)}, .kind = "list"};
}

Document metrics(const ListOptions&) {
    return metrics_document(metric_catalogue());
}

Document devices(const ListOptions&) {
    std::vector<DeviceDescription> all;
    for (const EmbeddedFile& file : device_files()) {
        all.push_back(find_description(file.name));
    }
    return descriptions_document(all);
}

Document list_links(const ListOptions&) {
    return names_and_meanings("links",
                              rows_of(clusters(), [](const Cluster& one) { return one.model; }));
}

// The figures that strata reproduce knows.
Document figures(const ListOptions&) {
    return reproductions_document(reproductions(), measured_figures(), modelled_figures());
}

struct Listing {
    const char* name;
    Document (*make)(const ListOptions&);
};

constexpr std::array listings = {
    Listing{"networks", networks},
    Listing{"operators", operators},
    Listing{"backends", list_backends},
    Listing{"devices", devices},
    Listing{"links", list_links},
    Listing{"conventions", list_conventions},
    Listing{"runs", runs},
    Listing{"kernels", kernels},
    Listing{"metrics", metrics},
    Listing{"figures", figures},
};

void list(const ListOptions& options) {
    std::vector<std::string> names;
    for (const Listing& listing : listings) {
        if (options.what == listing.name) {
            emit(listing.make(options), options.output);
            return;
        }
        names.emplace_back(listing.name);
    }
    throw Error(fmt::format("cannot list '{}': choose one of {}", printable(options.what),
                            join(names, ", ")),
                ExitCode::usage);
}

}  // namespace

void add_list(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ListOptions>();
    CLI::App* verb = app.add_subcommand("list",
                                        "List networks, operators, backends, devices, links, "
                                        "conventions, runs, kernels, metrics or "
                                        "published figures.");
    verb->footer("strata list runs --top 10");
    verb->add_option("what", options->what, "what to list")
        ->type_name(
            "networks|operators|backends|devices|links|conventions|runs|kernels|metrics|figures");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options] { list(*options); });
}

}  // namespace strata
