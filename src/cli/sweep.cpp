// SPDX-License-Identifier: MIT
#include "base/output.h"
#include "base/processors.h"
#include "base/shell.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/sweep_ranks.h"
#include "cli/sweep_worker.h"
#include "cli/verbs.h"
#include "record/arguments.h"
#include "scale/communicator.h"
#include "store/sweeps.h"
#include "sweep/ledger.h"
#include "sweep/measured.h"
#include "sweep/plan.h"
#include "sweep/predicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace strata {

namespace {

struct SweepOptions {
    std::string spec;
    std::vector<std::string> devices;
    std::vector<std::string> backends;
    std::string memory;
    std::optional<double> max_time;
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> anchor_every;
    std::string shard;
    std::string places;  // for a worker, from its rank: "BEFORE:PLACES"
    std::string folder;
    std::optional<std::int64_t> sbatch;
    std::optional<std::int64_t> cores;
    std::string database;
    bool only_plan = false;
    bool without_steps = false;
    bool no_wait = false;
    bool is_worker = false;
};

// The specification with the command line's changes.
SweepSpec spec_for(const SweepOptions& options) {
    SweepSpec spec = find_sweep(options.spec);
    if (!options.devices.empty() && !options.backends.empty()) {
        throw Error("points are measured on a --backend or predicted for a --device; give one",
                    ExitCode::usage);
    }
    if (!options.devices.empty() || !options.backends.empty()) {
        spec.devices = options.devices;
        spec.backends = options.backends;
    }
    if (!spec.is_predicted() && spec.backends.empty()) {
        spec.backends = {std::string(backends().front().name)};
    }
    if (!options.memory.empty()) {
        spec.limits.memory = memory_named(options.memory, "--max-memory");
    }
    if (options.max_time) {
        spec.limits.time = Seconds{*options.max_time};
    }
    spec.seed = options.seed ? static_cast<std::uint64_t>(*options.seed) : spec.seed;
    spec.anchor_every = options.anchor_every.value_or(spec.anchor_every);
    for (const std::string& name : spec.backends) {
        for (const Settings& settings : spec.settings) {
            require_ability(find_backend(name), settings);
        }
    }
    count_points(spec);
    return spec;
}

Shard shard_for(const SweepOptions& options) {
    return options.shard.empty() ? Shard{} : parse_shard(options.shard);
}

int cores_for(const SweepOptions& options) {
    return static_cast<int>(
        options.cores.value_or(static_cast<std::int64_t>(allowed_processors().size())));
}

// The arguments that every process of this sweep shares, on whatever host.
std::vector<std::string> shared_arguments(const SweepOptions& options) {
    std::vector<std::string> words;
    const auto add = [&](const char* flag, const std::string& value) {
        if (!value.empty()) {
            append(words, {flag, value});
        }
    };
    for (const std::string& name : options.devices) {
        add("--device", name);
    }
    for (const std::string& name : options.backends) {
        add("--backend", name);
    }
    add("--max-memory", options.memory);
    add("--max-time", options.max_time ? fmt::format("{}", *options.max_time) : "");
    add("--seed", options.seed ? std::to_string(*options.seed) : "");
    add("--anchor-every", options.anchor_every ? std::to_string(*options.anchor_every) : "");
    add("--cores", options.cores ? std::to_string(*options.cores) : "");
    if (options.without_steps) {
        words.emplace_back("--whole");
    }
    if (options.no_wait) {
        words.emplace_back("--no-wait");
    }
    return words;
}

// A job array. Each task measures or predicts its shard into a database on its node's disk, which
// it copies from and back to the job's folder, so that resubmitting continues.
std::string sbatch_script(const SweepOptions& options, const SweepSpec& spec) {
    std::string more;
    for (const std::string& word : shared_arguments(options)) {
        more += " " + shell_word(word);
    }
    return fmt::format(
        "#!/bin/bash\n"
        "#SBATCH --job-name={0}\n"
        "#SBATCH --array=1-{1}\n"
        "#SBATCH --nodes=1\n"
        "#SBATCH --exclusive\n"
        "kept=\"$SLURM_SUBMIT_DIR\"/{0}-\"$SLURM_ARRAY_TASK_ID\".sqlite\n"
        "database=\"${{SLURM_TMPDIR:-${{TMPDIR:-/tmp}}}}\"/{0}-\"$SLURM_ARRAY_TASK_ID\".sqlite\n"
        "[ ! -e \"$kept\" ] || cp \"$kept\" \"$database\"\n"
        "strata sweep {2}{3} --shard slurm --database \"$database\"\n"
        "code=$?\n"
        "cp \"$database\" \"$kept.new\" && mv \"$kept.new\" \"$kept\"\n"
        "exit $code\n"
        "# When all have ended: strata merge {0}-*.sqlite --database {0}.sqlite\n",
        file_name_of(spec), *options.sbatch, shell_word(options.spec), more);
}

std::vector<std::string> worker_arguments(const SweepOptions& options,
                                          const std::filesystem::path& database) {
    std::vector<std::string> words = {"sweep", "--worker", "--database", database.string()};
    append(words, shared_arguments(options));
    if (!options.shard.empty()) {
        append(words, {"--shard", options.shard});
    }
    append(words, {"--", options.spec});
    return words;
}

ExitCode predict(const SweepSpec& spec, const SweepOptions& options, const SweepPlan& plan,
                 const Database& database) {
    const InterruptGuard guard(InterruptGuard::patience_with_others);
    ProgressLine line;
    const PointRate rate;
    const auto show = [&](std::int64_t done) {
        line.show(
            "sweep " + spec.name,
            static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(plan.open, 1)),
            rate.text(done, std::max<std::int64_t>(plan.open - done, 0)));
    };
    return predict_sweep(spec, shard_for(options), database,
                         {.threads = cores_for(options),
                          .steps = options.without_steps ? KeptSteps::none : KeptSteps::all,
                          .stop = &InterruptGuard::requested(),
                          .progress = show});
}

// The places that a rank was given, else the shard's.
MeasuredPart part_for(const SweepOptions& options, const SweepSpec& spec) {
    const std::int64_t count = count_points(spec);
    if (options.places.empty()) {
        return part_of(shard_for(options), count);
    }
    const auto parts = split(options.places, ':');
    const auto before = parse_integer(parts.front());
    const auto places = parse_places(parts.back(), count);
    if (parts.size() != 2 || !before || !places) {
        throw Error("--places is internal; give --shard", ExitCode::usage);
    }
    return {.places = *places, .before = *before};
}

ExitCode measure_as_worker(const SweepOptions& options) {
    const SweepSpec spec = spec_for(options);
    Session session(when_locked(options.no_wait), options.database);
    return work_on_sweep(spec, part_for(options, spec), session);
}

void print_outcomes(const SweepSpec& spec, const StoredSweep& sweep) {
    std::string text;
    for (const auto& [outcome, count] : sweep.outcomes()) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(outcome));
    }
    print_output("{}: {}\n", spec.name, text.empty() ? "nothing yet" : text);
    const auto times = sweep.anchor_times();
    if (times.size() > 1) {
        const auto [least, most] = std::ranges::minmax(times);
        print_output(
            "anchor: measured {} times, {:.4g} ms at first, then {:+.1f} % to {:+.1f} %{}\n",
            times.size(), 1e3 * times.front().value, 100 * (least / times.front() - 1),
            100 * (most / times.front() - 1),
            std::max(most / times.front() - 1, 1 - least / times.front()) > anchor_drift
                ? ": the machine changed; the anchor's runs are flagged"
                : "");
    }
    print_output("see: strata query \"select * from sweep_result where sweep = {}\"\n", sweep.id());
}

StoredSweep stored_in(const Database& database, const SweepSpec& spec) {
    return StoredSweep::open(database, spec.name, identity_of(spec), count_points(spec));
}

ExitCode ended_with(ExitCode code) {
    if (code == ExitCode::interrupted) {
        report_interrupt();
    }
    return code;
}

ExitCode sweep_as_rank(const SweepOptions& options) {
    const SweepSpec spec = spec_for(options);
    if (!options.shard.empty()) {
        throw Error("ranks already share the sweep; omit --shard", ExitCode::usage);
    }
    const auto file = database_path(options.database);
    const ExitCode code = sweep_by_ranks(
        {.spec = spec,
         .database = file,
         .folder = options.folder,
         .cores = options.cores ? std::optional(static_cast<int>(*options.cores)) : std::nullopt,
         .steps = options.without_steps ? KeptSteps::none : KeptSteps::all,
         .arguments = [&](const auto& database) { return worker_arguments(options, database); }});
    if (launch().rank > 0) {
        return code;
    }
    print_outcomes(spec, stored_in(Database::open(file), spec));
    return ended_with(code);
}

ExitCode sweep(const SweepOptions& options) {
    const SweepSpec spec = spec_for(options);
    const Shard shard = options.sbatch ? Shard{} : shard_for(options);
    if (options.sbatch) {
        write_output(sbatch_script(options, spec));
        return ExitCode::done;
    }
    const auto file = database_path(options.database);
    std::error_code ignored;
    std::vector<bool> finished;
    std::optional<Database> database;
    if (!options.only_plan || std::filesystem::exists(file, ignored)) {
        database = Database::open(file);
        finished = stored_in(*database, spec).finished();
    }
    const SweepPlan plan = plan_of(spec, shard, finished, cores_for(options),
                                   options.without_steps ? KeptSteps::none : KeptSteps::all);
    write_output(text_of(plan, spec, shard));
    if (options.only_plan) {
        return ExitCode::done;
    }
    if (!spec.is_predicted()) {
        database.reset();  // the measuring process opens it
    }
    const ExitCode code = spec.is_predicted()
                              ? predict(spec, options, plan, *database)
                              : measure_by_worker({.spec = spec,
                                                   .open = plan.open,
                                                   .database = file,
                                                   .arguments = worker_arguments(options, file)});
    if (!database) {
        database = Database::open(file);
    }
    print_outcomes(spec, stored_in(*database, spec));
    return ended_with(code);
}

// Only rank 0 prints messages common to all ranks.
ExitCode sweep_as_launched(const SweepOptions& options) {
    const bool is_shared = launch().size > 1 && !options.sbatch && !options.only_plan;
    if (launch().rank == 0) {
        return is_shared ? sweep_as_rank(options) : sweep(options);
    }
    try {
        return is_shared ? sweep_as_rank(options) : ExitCode::done;
    } catch (const Error&) {
        return ExitCode::done;
    }
}

void add_limit_options(CLI::App& verb, SweepOptions& options) {
    begin_group(verb, "Limits and order");
    verb.add_option("--max-memory", options.memory,
                    "skip points with a larger footprint, such as 8GB")
        ->type_name("SIZE");
    verb.add_option("--max-time", options.max_time, "end a point that takes longer in total")
        ->check(CLI::PositiveNumber)
        ->type_name("SECONDS");
    verb.add_option("--seed", options.seed, "seed of the order of the points")
        ->check(whole_number(1))
        ->type_name("N");
    verb.add_option("--anchor-every", options.anchor_every,
                    "points between two measurements of the anchor; 0: never")
        ->check(whole_number(0))
        ->type_name("N");
    add_switch(verb, "--no-wait", options.no_wait,
               "measure even while another strata is measuring on this machine");
}

void add_host_options(CLI::App& verb, SweepOptions& options) {
    begin_group(verb, "Many hosts");
    verb.add_option("--shard", options.shard,
                    "only this part, 1/8 to 8/8; slurm: the task's part of a job array")
        ->type_name("I/N|slurm");
    verb.add_option("--local", options.folder,
                    "folder for the databases of ranks that mpirun started; by default in $TMPDIR")
        ->type_name("FOLDER");
    verb.add_option("--sbatch", options.sbatch,
                    "print the script of a Slurm job array of this many tasks")
        ->check(whole_number(1))
        ->type_name("N");
}

}  // namespace

void add_sweep(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<SweepOptions>();
    CLI::App* verb = app.add_subcommand(
        "sweep", "Measure or predict thousands of generated networks; resumable at any point.");
    verb->footer(
        "strata sweep cpu-small --plan\n"
        "strata sweep paradnn-fc --device v100,p100\n"
        "strata sweep my-grid.toml --max-memory 8GB --max-time 60");
    verb->add_option("spec", options->spec,
                     "file of a grid, or the name of one that is part of strata (docs/sweep.md)")
        ->required()
        ->type_name("SPEC");
    verb->add_option("--backend", options->backends, "measure on these, overriding the file")
        ->delimiter(',')
        ->type_name(join(backend_names(), "|"));
    verb->add_option("--device", options->devices,
                     "predict for these described devices, overriding the file")
        ->delimiter(',')
        ->type_name("NAME");
    verb->add_flag("--plan", options->only_plan, "only print what would be done");
    verb->add_flag("--whole", options->without_steps,
                   "store the time and work of whole predictions, not their steps");
    verb->add_option("--cores", options->cores, "threads that predict; by default all processors")
        ->check(whole_number(1))
        ->type_name("N");
    add_limit_options(*verb, *options);
    add_host_options(*verb, *options);
    verb->add_flag("--worker", options->is_worker)->group("");  // internal
    verb->add_option("--places", options->places)->group("");   // likewise
    add_database_option(*verb, options->database);
    verb->callback([options, &exit, verb] {
        if (verb->get_option("--lock-timeout")->empty()) {
            lock_patience().limit = LockPatience::endless;  // a sweep takes hours anyway
        }
        exit = options->is_worker ? measure_as_worker(*options) : sweep_as_launched(*options);
    });
}

}  // namespace strata
