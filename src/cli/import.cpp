// SPDX-License-Identifier: MIT
#include "store/import/dnnmark_kernels.h"

#include "base/text.h"
#include "cli/options.h"
#include "cli/verbs.h"
#include "store/database.h"
#include "store/kernels.h"
#include "view/kernels.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace strata {

namespace {

struct ImportOptions {
    std::string file;
    std::string database;
    OutputOptions output;
};

void store(const Database& database, KernelSet& set) {
    if (store_kernels(database, set) == Stored::before) {
        fmt::print(stderr, "strata: the kernels of {} were imported before; nothing was added\n",
                   printable(set.network));
    }
}

void import_file(const ImportOptions& options) {
    if (std::filesystem::is_regular_file(options.file) && !is_sqlite_file(options.file)) {
        throw Error(fmt::format("'{}' cannot be imported: give a kernel database of "
                                "DNNMark's trace system (SQLite)",
                                printable(options.file, 1000)),
                    ExitCode::usage);
    }
    std::vector<KernelSet> sets = read_dnnmark_kernels(options.file);
    const Database database = Database::open(database_path(options.database));
    Document document{.title = "import"};
    for (KernelSet& set : sets) {
        store(database, set);
        auto blocks =
            kernels_document(set, count_keys(database, set.id), kernel_census(database, set.id),
                             shared_kernels(database, set.id))
                .blocks;
        document.blocks.insert(document.blocks.end(), blocks.begin(), blocks.end());
    }
    emit(document, options.output);
}

}  // namespace

void add_import(CLI::App& app, ExitCode&) {
    auto options = std::make_shared<ImportOptions>();
    CLI::App* verb = app.add_subcommand(
        "import", "Import what another tool recorded: kernel databases of DNNMark.");
    verb->footer("strata import alexnet_kernel.db");
    verb->add_option("file", options->file, "a kernel database of DNNMark's trace system")
        ->required()
        ->type_name("FILE");
    add_database_option(*verb, options->database);
    add_output_options(*verb, options->output);
    verb->callback([options] { import_file(*options); });
}

}  // namespace strata
