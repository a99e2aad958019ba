// SPDX-License-Identifier: MIT
#pragma once

#include "base/enumeration.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"
#include "networks/network.h"
#include "record/options.h"
#include "report/document.h"
#include "report/select.h"
#include "run/experiment.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Adds an option whose environment variable mirrors its flag: --max-time is STRATA_MAX_TIME.
template <class T>
CLI::Option* add_option(CLI::App& verb, const std::string& flag, T& value, const std::string& help);
CLI::Option* add_switch(CLI::App& verb, const std::string& flag, bool& value,
                        const std::string& help);

// Accepts a whole number of at least `minimum`; the message says so.
CLI::Validator whole_number(std::int64_t minimum);

// Accepts a number of seconds, 0 or more.
CLI::Validator some_seconds();

// Refuses an empty value, as from a script with an empty variable: the option would have no effect.
CLI::Validator not_empty();

// Adds an option of the list (record/options.h) that sets `settings`, which must outlive the verb;
// with the verb's own help text, if given. The help names limits of backends.
CLI::Option* add_listed(CLI::App& verb, const Option& option, Settings& settings,
                        const std::string& help = {});

// The same with several values, which multiply the settings: each one so far with each value.
CLI::Option* add_listed(CLI::App& verb, const Option& option, std::vector<Settings>& asked);

// All options of the group.
void add_listed(CLI::App& verb, OptionGroup group, std::vector<Settings>& asked);

// How to print a verb's result: as a table unless another form is requested.
struct OutputOptions {
    bool json = false;
    bool csv = false;
    bool raw = false;  // unchanged text in CSV
    bool markdown = false;
    bool html = false;
    bool gnuplot = false;
    std::string file;            // instead of standard output
    std::string color = "auto";  // auto, always, never
    std::vector<std::string> columns;
    std::string sort;
    std::size_t top = 0;

    Selection selection() const { return {columns, sort, top}; }
    bool is_data() const { return json || csv; }
    // How many rows are needed of a list with the newest first.
    std::size_t needed_rows() const;
};

void add_output_options(CLI::App& verb, OutputOptions& options);

// The width of the terminal, in columns; 0 if standard output is not a terminal.
std::size_t terminal_width();

// Sets the heading in --help for the options added from now on.
void begin_group(CLI::App& verb, const std::string& title);
// Rejects display flags that name a column the result will not have, before it is computed.
void require_columns(std::span<const Column> columns, const OutputOptions& options);

// Prints the document in the requested form, to the file or to standard output.
void emit(const Document& document, const OutputOptions& options);

// Prints several documents; in any form but text they are joined into one.
void emit(std::span<const Document> documents, const OutputOptions& options);

// Prints JSON: {"schema": "strata/<kind>/1", "strata": version, ...members}.
void emit_json(std::string_view kind, nlohmann::ordered_json members, const OutputOptions& options);

// Prints text, adding a missing newline at its end. Throws Error if it cannot be written.
void emit(const std::string& text, const OutputOptions& options);

// The same for binary data, unchanged.
void emit_bytes(const std::string& bytes, const OutputOptions& options);

// A network, and the values of its symbols.
struct NetworkOptions {
    std::vector<std::string> networks;
    std::vector<std::string> batches;    // 16, 1..64, 1..9+2
    std::vector<std::string> vary;       // NAME=RANGE; several give all combinations
    std::vector<std::string> dims;       // NAME=VALUE
    std::vector<std::string> variables;  // NAME=VALUE
};

void add_network_options(CLI::App& verb, NetworkOptions& options);

// The options of a network besides its name: batch, symbolic dimensions, variables of a template.
void add_network_values(CLI::App& verb, NetworkOptions& options);

// --database: the file in which runs are stored.
void add_database_option(CLI::App& verb, std::string& path);

// --by: how the steps are grouped (view/rollup.h).
void add_by_option(CLI::App& verb, std::vector<std::string>& by);

// --all: whether a terminal gets every step of a run, too.
void add_all_option(CLI::App& verb, bool& all);

// For verbs that can show one thing at several sizes.
void add_vary_option(CLI::App& verb, NetworkOptions& options);

// The requested batches, in ascending order; empty if each network keeps its own. Throws Error with
// exit code usage.
std::vector<std::int64_t> batches_of(const NetworkOptions& options);

// One for each --vary NAME=RANGE; without any, one for a --batch that is a range. Throws Error with
// exit code usage if a number is given twice.
std::vector<Variation> variations_of(const NetworkOptions& options);

// The request for one of the networks. Throws Error with exit code usage for a broken NAME=VALUE.
NetworkRequest request_for(const NetworkOptions& options, const std::string& network,
                           std::optional<std::int64_t> batch);

// Halves of NAME=VALUE. Throws Error with exit code usage, naming the flag.
std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag);

// A size of memory such as 16GB. Throws Error with exit code usage, naming the flag.
Bytes memory_named(const std::string& text, std::string_view flag);

// "off|on": the choices, as help shows them and completion offers them.
template <class E>
std::string choices_of();

// The choice of that name. Throws Error, naming the flag and the choices, for other text.
template <class E>
E choice_named(const std::string& text, std::string_view flag);

// The share of a percentage "2%", "2 %", "0.5%". Throws Error, naming the flag, for other text.
double share_named(const std::string& text, std::string_view flag);

// ---- templates

std::string environment_name(const std::string& flag);

template <class T>
CLI::Option* add_option(CLI::App& verb, const std::string& flag, T& value,
                        const std::string& help) {
    return verb.add_option(flag, value, help)->envname(environment_name(flag));
}

template <class E>
std::string choices_of() {
    constexpr auto names = names_of(E{});
    const std::vector<std::string> texts(names.begin(), names.end());
    return join(texts, "|");
}

template <class E>
E choice_named(const std::string& text, std::string_view flag) {
    if (const auto value = value_named<E>(text)) {
        return *value;
    }
    throw Error(
        fmt::format("{} takes {}, not '{}'", flag, fmt::join(names_of(E{}), ", "), printable(text)),
        ExitCode::usage);
}

}  // namespace strata
