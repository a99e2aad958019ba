// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/settings.h"
#include "cli/verbs.h"
#include "record/identity.h"
#include "report/unicode.h"
#include "store/lock_wait.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <new>

namespace strata {
namespace {

struct VerbEntry {
    void (*add)(CLI::App& app, ExitCode& exit);
    const char* group;  // heading in the help text
};

// THE list of verbs, in the order of the help text.
constexpr std::array verbs = {
    VerbEntry{add_run, "Measure"},         VerbEntry{add_algorithms, "Measure"},
    VerbEntry{add_sweep, "Measure"},       VerbEntry{add_scale, "Measure"},
    VerbEntry{add_tune, "Measure"},        VerbEntry{add_study, "Measure"},
    VerbEntry{add_calibrate, "Measure"},   VerbEntry{add_overhead, "Measure"},
    VerbEntry{add_predict, "Predict"},     VerbEntry{add_accuracy, "Predict"},
    VerbEntry{add_simulate, "Predict"},    VerbEntry{add_show, "Look"},
    VerbEntry{add_list, "Look"},           VerbEntry{add_runs, "Look"},
    VerbEntry{add_explain, "Look"},        VerbEntry{add_compare, "Look"},
    VerbEntry{add_what_if, "Look"},        VerbEntry{add_analyze, "Look"},
    VerbEntry{add_report, "Look"},         VerbEntry{add_reproduce, "Look"},
    VerbEntry{add_query, "Look"},          VerbEntry{add_import, "Exchange"},
    VerbEntry{add_export, "Exchange"},     VerbEntry{add_merge, "Exchange"},
    VerbEntry{add_doctor, "This program"}, VerbEntry{add_completion, "This program"},
    VerbEntry{add_help, "This program"}};

std::string misspelt(const CLI::App& app, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(verb->get_name());
    }
    const auto near = nearest(word, names);
    return near ? fmt::format("did you mean 'strata {}'?", *near) : "see strata --help";
}

// Cleans the sentence, so that a name in it cannot control the terminal.
int complain(const std::string& sentence, ExitCode code) {
    say("{}", clean_text(sentence));
    return static_cast<int>(code);
}

// The verb that was called, as far as it could be parsed.
const CLI::App& verb_of(const CLI::App& app) {
    const auto below = app.get_subcommands();
    return below.empty() ? app : verb_of(*below.front());
}

std::string called(const CLI::App& verb) {
    return verb.get_parent() == nullptr ? verb.get_name()
                                        : called(*verb.get_parent()) + " " + verb.get_name();
}

// CLI11's own printing would ignore write errors.
int print_answer(const CLI::App& app, const CLI::ParseError& end) {
    const bool is_version = dynamic_cast<const CLI::CallForVersion*>(&end) != nullptr;
    emit(is_version ? end.what() : app.help(), {});
    return static_cast<int>(ExitCode::done);
}

// CLI11 reports help, version and mistakes by an exception.
int end_of_parsing(const CLI::App& app, const CLI::ParseError& end, int argc, char** argv) {
    if (end.get_exit_code() == 0) {
        return print_answer(app, end);
    }
    const bool unknown_verb = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    if (unknown_verb) {
        return complain(
            fmt::format("there is no verb '{}': {}", printable(argv[1]), misspelt(app, argv[1])),
            ExitCode::usage);
    }
    const CLI::App& verb = verb_of(app);
    const std::string name = called(verb);
    const auto extras = verb.remaining();
    if (!extras.empty()) {
        const std::string& word = extras.front();
        const std::string near = suggestion_for(verb, word);
        return complain(fmt::format("{} does not take '{}'; {}", name, printable(word),
                                    near.empty() ? fmt::format("see {} --help", name) : near),
                        ExitCode::usage);
    }
    const std::string needed = needed_by(verb);
    return complain(needed.empty() ? fmt::format("{} (see {} --help)", end.what(), name)
                                   : fmt::format("{} needs {}; see {} --help", name, needed, name),
                    ExitCode::usage);
}

// The program, or a copy that only parses the words and does nothing.
class Program : public CLI::App {
public:
    struct WordsAreRead {};  // thrown instead of calling a verb

    explicit Program(bool only_reads)
        : App("Shows where the time of a deep neural network goes, layer by layer, and why.",
              "strata"),
          only_reads_(only_reads) {}

private:
    void pre_callback() override {
        if (only_reads_) {
            throw WordsAreRead{};
        }
    }

    bool only_reads_;
};

// All verbs with their options.
void define(CLI::App& app, ExitCode& exit) {
    app.set_help_flag("-h,--help", "this explanation");
    app.set_version_flag("--version",
                         fmt::format("strata {} ({})", strata_version(), strata_commit()));
    app.add_option("--config", "settings from a TOML file")
        ->envname("STRATA_CONFIG")
        ->type_name("FILE");
    app.add_flag("--settings")
        ->description("only print the values of the options and where they were set");
    app.footer(
        "strata run alexnet --batch 32\n"
        "strata help run");
    app.option_defaults()->always_capture_default();
    use_help_text(app);
    app.require_subcommand(1);
    for (const VerbEntry& verb : verbs) {
        verb.add(app, exit);
        app.get_subcommands({}).back()->group(verb.group);
    }
    take_one_word_each(app);
}

// Whether the words ask for more than help or the version. Other mistakes are found when they are
// parsed again.
bool read_words(CLI::App& given, int argc, char** argv) {
    take_variables(given);
    try {
        given.parse(argc, argv);
    } catch (const CLI::ParseError& end) {
        return end.get_exit_code() != 0;
    } catch (const Program::WordsAreRead&) {
    } catch (const Error&) {
    }
    return true;
}

// The words are parsed twice: first to find the verb, and which of its options are left to
// variables and settings.
int run_command(int argc, char** argv) {
    ExitCode exit = ExitCode::done;
    Program given(true);
    define(given, exit);
    const bool asks_for_more = read_words(given, argc, argv);
    Program app(given.count("--settings") > 0);
    define(app, exit);
    const auto sources = asks_for_more ? apply_settings(app, given) : Sources{};
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& end) {
        return end_of_parsing(app, end, argc, argv);
    } catch (const Program::WordsAreRead&) {
        emit(settings_text(app, sources), {});
    }
    return static_cast<int>(exit);
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
    using namespace strata;
    occupy_closed_streams();
    lock_patience() = {.tell = [](const std::string& sentence) { say("{}", sentence); },
                       .stop = &InterruptGuard::requested()};
    try {
        return run_command(argc, argv);
    } catch (const Error& error) {
        return complain(error.what(), error.code());
    } catch (const std::filesystem::filesystem_error& error) {
        return complain(fmt::format("'{}' cannot be reached: {}; check it and its folder",
                                    printable(error.path1().string(), 400), error.code().message()),
                        ExitCode::failed);
    } catch (const std::bad_alloc&) {
        return complain("memory is exhausted: try a smaller --batch", ExitCode::machine_cannot);
    } catch (const std::exception& error) {
        return complain(fmt::format("bug: unexpected {}", error.what()), ExitCode::failed);
    }
}
