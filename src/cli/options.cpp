// SPDX-License-Identifier: MIT
#include "cli/options.h"

#include "analyze/rollup.h"
#include "base/new_file.h"
#include "base/output.h"
#include "base/range.h"
#include "base/text.h"
#include "base/unit_text.h"
#include "cli/backends.h"
#include "record/identity.h"
#include "report/data.h"
#include "report/json.h"
#include "report/render.h"
#include "report/terminal.h"
#include "store/lock_wait.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace strata {

namespace {

bool environment_has(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

// Follows the NO_COLOR and CLICOLOR_FORCE conventions; the flag overrides both.
bool wants_color(const OutputOptions& options) {
    if (options.color != "auto") {
        return options.color == "always";
    }
    if (environment_has("NO_COLOR") || !options.file.empty()) {
        return false;
    }
    if (environment_has("CLICOLOR_FORCE") || environment_has("FORCE_COLOR")) {
        return true;
    }
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 &&
           (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

// Decides as the C library does: by the first of these that is set.
bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        if (environment_has(name)) {
            const std::string_view value = std::getenv(name);
            return value.find("UTF-8") != std::string_view::npos ||
                   value.find("utf8") != std::string_view::npos;
        }
    }
    return false;
}

std::string render(const Document& document, const OutputOptions& options) {
    if (options.is_data()) {
        const Document data = select(data_of(document), options.selection());
        return options.json
                   ? render_json(data, strata_version())
                   : render_csv(data, options.raw ? FormulaText::as_it_is : FormulaText::marked);
    }
    if (!options.selection().is_everything()) {
        OutputOptions selected = options;
        selected.columns.clear();
        selected.sort.clear();
        selected.top = 0;
        return render(select(document, options.selection()), selected);
    }
    if (options.markdown) {
        return render_markdown(document);
    }
    if (options.html) {
        return render_html(document);
    }
    if (options.gnuplot) {
        return render_gnuplot(document);
    }
    return render_terminal(
        document,
        {.width = terminal_width(), .colour = wants_color(options), .unicode = locale_is_utf8()});
}

// Several documents as one: each under its title.
Document joined(std::span<const Document> documents) {
    Document whole{.title = fmt::format("{} results", documents.size()),
                   .kind = documents.front().kind};
    for (const Document& document : documents) {
        whole.blocks.emplace_back(Heading{document.title});
        whole.blocks.insert(whole.blocks.end(), document.blocks.begin(), document.blocks.end());
    }
    return whole;
}

bool is_range(const std::string& text) {
    return text.find("..") != std::string::npos;
}

// The option's help, with the values limited to some backends: "element type (f16: cuda only)". For
// options that only a GPU has, the heading says so.
std::string help_of(const Option& option, const std::string& help) {
    std::string text = help.empty() ? std::string(option.help) : help;
    if (!option.requirement || option.group == OptionGroup::gpu) {
        return text;
    }
    const Requirement& required = *option.requirement;
    std::vector<std::string> able;
    for (const BackendEntry& backend : backends()) {
        if (backend.capabilities().has(required.capability)) {
            able.emplace_back(backend.name);
        }
    }
    return fmt::format("{} ({}{}{} only)", text, required.value, required.value.empty() ? "" : ": ",
                       join(able, " and "));
}

using Texts = std::vector<std::string>;

bool lacks_unit(std::string_view text) {
    return parse_number(text).has_value();
}

// Stored options may lack a unit; a user's value without one is ambiguous.
void require_meant(const Option& option, const std::string& text) {
    const auto number = parse_number(text);
    if (option.name == "precision" && number == 1.0) {
        throw Error("--precision 1 may be 1% or 100%: write one of them", ExitCode::usage);
    }
    if (option.name == "workspace_limit" && number) {
        throw Error(fmt::format("--workspace-limit {} lacks its unit: write {}MiB, or {}B",
                                printable(text), printable(text), printable(text)),
                    ExitCode::usage);
    }
}

// The help of an option.
struct HelpText {
    std::string help;
    std::string standard;  // the default value
};

// Whether a switch with the option's own name may take values, "=omitted,computed", besides those
// that switches take from variables.
bool takes_values(const Option& option) {
    std::string name(option.flag.substr(option.flag.rfind("--") + 2));
    std::ranges::replace(name, '-', '_');
    return name == option.name;
}

CLI::Option* add_switch_with_values(CLI::App& verb, const Option& option, const std::string& help,
                                    const std::function<void(const Texts&)>& take) {
    const auto given = std::make_shared<std::string>();  // CLI11 writes to it while parsing
    const auto take_given = [&option, take, given](const std::string& text) {
        constexpr std::array<std::string_view, 4> on = {"true", "1", "on", "yes"};
        constexpr std::array<std::string_view, 4> off = {"false", "0", "off", "no"};
        if (std::ranges::find(on, text) != on.end()) {
            take({std::string(switched_value(option))});
        } else if (std::ranges::find(off, text) == off.end()) {
            const auto parts = split(text, ',');
            take(Texts(parts.begin(), parts.end()));
        }
    };
    return verb.add_flag(std::string(option.flag), *given, help)->each(take_given);
}

// `take` gets the values that the user gave, or the switch's.
CLI::Option* add_listed(CLI::App& verb, const Option& option, OptionValue value,
                        const HelpText& text, const std::function<void(const Texts&)>& take) {
    const std::string flag(option.flag);
    const auto variable = environment_name(flag);
    if (value == OptionValue::none && takes_values(option)) {
        return add_switch_with_values(verb, option, text.help, take)->envname(variable);
    }
    if (value == OptionValue::none) {
        const auto take_switch = [&option, take] { take({std::string(switched_value(option))}); };
        return verb.add_flag_callback(flag, take_switch, text.help)->envname(variable);
    }
    const auto take_meant = [&option, take](const Texts& values) {
        std::ranges::for_each(values, [&](const auto& one) { require_meant(option, one); });
        take(values);
    };
    const auto take_one = [take_meant](const std::string& one) { take_meant({one}); };
    CLI::Option* added =
        value == OptionValue::one
            ? verb.add_option_function<std::string>(flag, take_one, text.help)
            : verb.add_option_function<Texts>(flag, take_meant, text.help)->delimiter(',');
    return added->envname(variable)->type_name(values_of(option))->default_str(text.standard);
}

}  // namespace

std::size_t terminal_width() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return 0;
}

std::size_t OutputOptions::needed_rows() const {
    constexpr std::size_t readable = 1000;
    return is_data() || !sort.empty() ? std::numeric_limits<std::size_t>::max()
                                      : std::max(top, readable);
}

void begin_group(CLI::App& verb, const std::string& title) {
    verb.option_defaults()->group(title);
}

std::string environment_name(const std::string& flag) {
    const std::string last = flag.substr(flag.rfind("--") + 2);
    std::string name = "STRATA_" + last;
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
        return c == '-' ? '_' : static_cast<char>(std::toupper(c));
    });
    return name;
}

CLI::Option* add_switch(CLI::App& verb, const std::string& flag, bool& value,
                        const std::string& help) {
    return verb.add_flag(flag, value, help)->envname(environment_name(flag));
}

CLI::Validator whole_number(std::int64_t minimum) {
    return {[minimum](const std::string& text) {
                const auto number = parse_integer(text);
                return number && *number >= minimum
                           ? std::string()
                           : fmt::format("needs a whole number of at least {}, not '{}'", minimum,
                                         printable(text));
            },
            "NUMBER"};
}

CLI::Validator some_seconds() {
    return {[](const std::string& text) {
                const auto number = parse_number(text);
                return number && *number >= 0 && std::isfinite(*number)
                           ? std::string()
                           : fmt::format("needs seconds, 0 or more, not '{}'", printable(text));
            },
            "SECONDS"};
}

CLI::Validator not_empty() {
    return {[](const std::string& text) {
                return text.empty()
                           ? std::string("was given an empty value; leave it out, or give a value")
                           : std::string();
            },
            ""};
}

CLI::Option* add_listed(CLI::App& verb, const Option& option, Settings& settings,
                        const std::string& help) {
    const bool is_switch = option.value == OptionValue::none;
    return add_listed(verb, option, is_switch ? OptionValue::none : OptionValue::one,
                      {help_of(option, help), option.text(settings)},
                      [&](const auto& texts) { set_option(settings, option, texts.front()); });
}

CLI::Option* add_listed(CLI::App& verb, const Option& option, std::vector<Settings>& asked) {
    return add_listed(verb, option, option.value, {help_of(option, ""), option.text(asked.front())},
                      [&](const auto& texts) { asked = with_values(asked, option, texts); });
}

void add_listed(CLI::App& verb, OptionGroup group, std::vector<Settings>& asked) {
    for (const Option& option : all_options()) {
        if (option.group == group) {
            add_listed(verb, option, asked);
        }
    }
}

void add_output_options(CLI::App& verb, OutputOptions& options) {
    begin_group(verb, "Output");
    auto* json = add_switch(verb, "--json", options.json, "print JSON");
    auto* csv = add_switch(verb, "--csv", options.csv, "print comma-separated values");
    auto* markdown = add_switch(verb, "--md", options.markdown, "print Markdown");
    auto* html = add_switch(verb, "--html", options.html, "print one self-contained page");
    auto* gnuplot =
        add_switch(verb, "--gnuplot", options.gnuplot, "print the charts as a gnuplot script");
    const std::vector<CLI::Option*> forms = {json, csv, markdown, html, gnuplot};
    for (std::size_t i = 0; i < forms.size(); ++i) {
        for (std::size_t j = i + 1; j < forms.size(); ++j) {
            forms[i]->excludes(forms[j]);
        }
    }
    verb.add_option("-o,--output", options.file, "write to this file instead of standard output")
        ->check(not_empty())
        ->type_name("FILE");
    add_switch(verb, "--raw", options.raw,
               "leave text in CSV unchanged, even if a spreadsheet would run it as a formula; "
               "otherwise such text begins with an apostrophe");
    add_option(verb, "--color", options.color, "colour: auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    add_option(verb, "--columns", options.columns,
               "show only these columns, named as in the heading or in CSV")
        ->delimiter(',')
        ->type_name("COLUMN");
    add_option(verb, "--sort", options.sort,
               "sort by this column: numbers largest first, names alphabetically, dates newest "
               "first; +COLUMN ascending, -COLUMN descending")
        ->type_name("COLUMN");
    add_option(verb, "--top", options.top, "show only the first N rows; 0 shows all")
        ->check(whole_number(0))
        ->type_name("N");
}

void require_columns(std::span<const Column> columns, const OutputOptions& options) {
    if (options.is_data()) {
        require_columns(data_columns(columns), options.selection());
    } else {
        require_columns(columns, options.selection());
    }
}

void emit(const Document& document, const OutputOptions& options) {
    emit(render(document, options), options);
}

void emit(std::span<const Document> documents, const OutputOptions& options) {
    if (documents.size() > 1 && (options.is_data() || options.html)) {
        emit(joined(documents), options);
        return;
    }
    std::string text;
    for (const Document& document : documents) {
        text += (text.empty() ? "" : "\n") + render(document, options);
    }
    emit(text, options);
}

void emit_json(std::string_view kind, nlohmann::ordered_json members,
               const OutputOptions& options) {
    emit(json_text(kind, strata_version(), std::move(members)), options);
}

void emit(const std::string& text, const OutputOptions& options) {
    emit_bytes(text.empty() || text.back() == '\n' ? text : text + '\n', options);
}

void emit_bytes(const std::string& bytes, const OutputOptions& options) {
    if (options.file.empty()) {
        write_output(bytes);
        return;
    }
    NewFile file(options.file);
    if (!file.write(bytes) || !file.keep()) {
        throw Error(fmt::format("cannot write {}: {}; choose another file with -o", options.file,
                                std::strerror(errno)));
    }
}

void add_network_options(CLI::App& verb, NetworkOptions& options) {
    begin_group(verb, "Network");
    verb.add_option("network", options.networks,
                    "a name from `strata list networks`, a generated network such as "
                    "fc:layers=8,nodes=1024, a file (.onnx, .graph, .dnnmark, "
                    ".dnntemplate), or one operator such as 'convolution(32x96x27x27) "
                    "out_channels=256 kernel=5x5'")
        ->required()
        ->type_name("NETWORK");
    add_network_values(verb, options);
}

void add_network_values(CLI::App& verb, NetworkOptions& options) {
    add_option(verb, "-b,--batch", options.batches,
               "examples (images, sentences) per step; several as a list 1,16,64, a doubling range "
               "1..64 or a stepped range 8..64+8")
        ->delimiter(',')
        ->type_name("N");
    verb.add_option("--dim", options.dims, "value of a symbolic dimension of the file")
        ->type_name("NAME=VALUE");
    verb.add_option("--set", options.variables, "value of a variable of the template")
        ->type_name("NAME=VALUE");
}

void add_database_option(CLI::App& verb, std::string& path) {
    add_option(verb, "--database", path, "database that stores the runs")
        ->check(not_empty())
        ->type_name("FILE");
    verb.add_option_function<double>(
            "--lock-timeout",
            [](double seconds) {
                lock_patience().limit = Seconds{seconds};
                ::setenv("STRATA_LOCK_TIMEOUT", fmt::format("{}", seconds).c_str(), 1);
            },
            "how long to wait for a database that another process has locked; by default 60, and "
            "unlimited in a sweep")
        ->envname(environment_name("--lock-timeout"))
        ->check(some_seconds())
        ->type_name("SECONDS");
}

void add_all_option(CLI::App& verb, bool& all) {
    add_switch(verb, "--all", all,
               "show every step on a terminal, not only the heaviest; a pipe always gets them all");
}

void add_by_option(CLI::App& verb, std::vector<std::string>& by) {
    add_option(verb, "--by", by,
               "group the steps; several groupings make a tree: block,layer or pass,operator")
        ->delimiter(',')
        ->type_name(choices_of<Grouping>());
}

void add_vary_option(CLI::App& verb, NetworkOptions& options) {
    add_option(verb, "--vary", options.vary,
               "vary a number of a generator, an operator, an .onnx dimension or a template: "
               "batch=1..64 (doubling), hidden=64..256+64 (stepped), or a list")
        ->type_name("NAME=RANGE");
}

std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag) {
    const auto middle = text.find('=');
    if (middle == std::string::npos || middle == 0 || middle + 1 == text.size()) {
        throw Error(fmt::format("{} needs NAME=VALUE, not '{}'", flag, printable(text)),
                    ExitCode::usage);
    }
    return {text.substr(0, middle), text.substr(middle + 1)};
}

Bytes memory_named(const std::string& text, std::string_view flag) {
    const auto bytes = parse_byte_size(text);
    if (!bytes || lacks_unit(text)) {
        throw Error(fmt::format("{} needs a size with its unit, such as 8GB or 512MiB, not '{}'",
                                flag, printable(text)),
                    ExitCode::usage);
    }
    return *bytes;
}

std::vector<std::int64_t> batches_of(const NetworkOptions& options) {
    return parse_ranges(options.batches, "--batch");
}

std::vector<Variation> variations_of(const NetworkOptions& options) {
    std::vector<Variation> variations;
    if (options.vary.empty() && std::ranges::any_of(options.batches, is_range)) {
        variations.push_back({"batch", batches_of(options)});
    }
    for (const auto& text : options.vary) {
        const auto [name, range] = name_and_value(text, "--vary");
        if (name == "batch" && !options.batches.empty()) {
            throw Error("--vary batch and --batch both set the batch: use one of them",
                        ExitCode::usage);
        }
        if (std::ranges::find(variations, name, &Variation::name) != variations.end()) {
            throw Error(fmt::format("--vary gives {} twice: use one range, or a list such as "
                                    "{}=1,2,8..64",
                                    printable(name), printable(name)),
                        ExitCode::usage);
        }
        variations.push_back({name, parse_range(range, fmt::format("--vary {}", name))});
    }
    return variations;
}

NetworkRequest request_for(const NetworkOptions& options, const std::string& network,
                           std::optional<std::int64_t> batch) {
    NetworkRequest request{.network = network, .batch = batch, .dims = {}, .variables = {}};
    for (const auto& text : options.dims) {
        const auto [name, value] = name_and_value(text, "--dim");
        const auto extent = parse_integer(value);
        if (!extent || *extent < 1) {
            throw Error(fmt::format("--dim {} needs a positive number, not '{}'", printable(name),
                                    printable(value)),
                        ExitCode::usage);
        }
        request.dims[name] = *extent;
    }
    for (const auto& text : options.variables) {
        request.variables.insert(name_and_value(text, "--set"));
    }
    return request;
}

double share_named(const std::string& text, std::string_view flag) {
    const std::string_view trimmed = trim(text);
    const bool is_percentage = trimmed.ends_with('%');
    const auto value =
        is_percentage ? parse_number(trim(trimmed.substr(0, trimmed.size() - 1))) : std::nullopt;
    if (!value || !(*value >= 0 && *value <= 1000)) {  // (nan is neither)
        throw Error(fmt::format("{} takes a percentage such as 2%, not '{}'", flag, text),
                    ExitCode::usage);
    }
    return *value / 100;
}

}  // namespace strata
