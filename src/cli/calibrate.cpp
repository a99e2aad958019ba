// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "base/file.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/collectives.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/sides.h"
#include "cli/verbs.h"
#include "device/device.h"
#include "device/host.h"
#include "measure/ceilings.h"
#include "run/job.h"
#include "run/operator_times.h"
#include "view/comparison_rates.h"
#include "view/device.h"
#include "view/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>

namespace strata {

namespace {

struct CalibrateOptions {
    std::string backend;
    Settings settings;
    bool if_missing = false;
    bool replace = false;
    bool no_wait = false;
    bool comparison = false;
    bool operators = false;
    bool collectives = false;
    std::string library;
    int comparisons = 20;
    int rounds = 0;  // 0: as many as `strata compare` uses
    std::string network = "fc:layers=3,nodes=512";
    std::vector<std::string> batches = {"64"};
    std::string device;
    std::vector<std::string> from;
    OutputOptions output;
};

int threads_of(const CalibrateOptions& options) {
    return thread_count(options.settings.execution);
}

void require_processors(int threads) {
    const int processors = thread_count({});
    if (threads > processors) {
        throw Error(fmt::format("ceilings cannot be measured with {} threads on {} processor{}: "
                                "use --threads {} or fewer",
                                threads, processors, processors == 1 ? "" : "s", processors),
                    ExitCode::usage);
    }
}

// Whether a device's ceilings were measured, and repeated.
bool is_settled(const std::optional<Device>& device) {
    return device && doubtful_ceilings(*device).empty();
}

bool has_ceilings(const BackendInfo& backend, int threads) {
    return is_settled(backend.device_memory ? device_of(backend.device_model)
                                            : own_device(threads));
}

// What was measured, and the file that stores it.
struct Calibrated {
    Device device;
    std::filesystem::path file;
};

Calibrated calibrate_processors(const CalibrateOptions& options, ProgressLine& line) {
    const int threads = threads_of(options);
    require_processors(threads);
    const auto file = own_device_file(threads);  // fails early if there is nowhere to write
    const Host host = detect_host();
    SteadyClock clock;
    int pass = 0;
    const auto measure = [&] {
        ++pass;
        return measure_ceilings(host, threads, {}, [&](const std::string& what) {
            line.show(fmt::format("measuring, pass {}: {}", pass, what), 0);
        });
    };
    return {repeat_until_agreed(measure, {}, clock), file};
}

// Calibrates the backend's own device, or this machine's processors if it has none.
Calibrated calibrate_backend(const CalibrateOptions& options, ProgressLine& line) {
    const int threads = threads_of(options);  // read before the backend pins the threads
    const auto backend = find_backend(options.backend).make();
    if (options.if_missing && has_ceilings(backend->info(), threads)) {
        return {};
    }
    auto device = backend->measure_device(
        [&](const std::string& what) { line.show("measuring " + what, 0); });
    if (!device) {
        return calibrate_processors(options, line);
    }
    const auto file = device_file_of(device->model);
    return {*std::move(device), file};
}

// The same device as the file has it; a file that cannot be read is replaced.
std::optional<Device> known_before(const Calibrated& done) {
    std::error_code none;
    if (!std::filesystem::exists(done.file, none)) {
        return std::nullopt;
    }
    try {
        auto before = read_device(done.file);
        return before.model == done.device.model ? std::optional(std::move(before)) : std::nullopt;
    } catch (const Error& error) {
        say("{}; it is replaced", error.what());
        return std::nullopt;
    }
}

// Fits the rates of a described device to published times.
void calibrate_rates(const CalibrateOptions& options) {
    if (options.device.empty() || options.from.empty()) {
        throw Error("--device names the device that --from CSV calibrates: give both",
                    ExitCode::usage);
    }
    const DeviceDescription device = find_description(options.device);
    const auto file = own_rates_file(device.name);  // before time is spent
    std::vector<ProblemTable> tables;
    std::vector<const ProblemRow*> rows;
    for (const std::string& name : options.from) {
        tables.push_back(read_problem_file(name));
    }
    for (ProblemTable& table : tables) {
        for (ProblemRow& row : table.rows) {
            if (row.device.empty()) {
                row.device = device.name;
            }
            const bool is_of_device =
                row.device == device.name ||
                std::ranges::find(device.also, row.device) != device.also.end();
            if (is_of_device && row.measured) {
                rows.push_back(&row);
            }
        }
    }
    if (rows.empty()) {
        throw Error(fmt::format("no row has a time on {}", device.name));
    }
    replace_file(file, to_toml(fit_rates(rows, device),
                               fmt::format("fitted by strata calibrate to {} rows of {}",
                                           rows.size(), join(options.from, ", "))));
    say("rates of {} fitted to {} rows, in {}", device.name, rows.size(), file.string());
    emit(accuracy_document(accuracy_of(rows)), options.output);
}

void calibrate(const CalibrateOptions& options) {
    if (options.backend.empty() && options.if_missing &&
        is_settled(own_device(threads_of(options)))) {
        return;
    }
    require_columns(device_columns(), options.output);
    if (options.backend.empty()) {
        require_processors(threads_of(options));  // before waiting for another strata
    }
    Calibrated done;
    {
        const MeasuringLock lock =
            acquire_measuring_lock(options.no_wait ? WhenLocked::measure_anyway : WhenLocked::wait);
        ProgressLine line;
        done = options.backend.empty() ? calibrate_processors(options, line)
                                       : calibrate_backend(options, line);
    }
    if (done.file.empty()) {
        return;
    }
    const auto before = options.replace ? std::nullopt : known_before(done);
    const BestOfBoth best =
        before ? best_of_both(*before, done.device) : BestOfBoth{done.device, {}};
    write_device(done.file, best.device);
    emit(device_document(best), options.output);
    write_remark(fmt::format("wrote {}\n", done.file.string()));
}

// ---- operators

// The machine as the backend uses it: limited to AVX2 if its library is.
HostName host_for(const Backend& backend, int threads) {
    const bool is_narrow =
        backend.info().vector_bits == 256 && has_instructions(detect_host(), "avx512f");
    return {.threads = threads, .is_narrow = is_narrow};
}

// The mean of |predicted / measured - 1| over the passes that the model has a family for.
double mean_error(std::span<const OperatorTime> times, const DeviceDescription& device,
                  const CpuRates& rates) {
    const CpuCeilings ceilings = ceilings_for_rates(device);
    double sum = 0;
    double count = 0;
    for (const OperatorTime& one : times) {
        if (const auto predicted = predict_alone(one, ceilings, rates)) {
            sum += std::abs(*predicted / one.time - 1);
            ++count;
        }
    }
    return count > 0 ? sum / count : 0;
}

// The file with the times that own_cpu_rates_file was fitted to.
std::filesystem::path times_file_of(const std::filesystem::path& rates) {
    return std::filesystem::path(rates).replace_extension(".csv");
}

std::vector<OperatorTime> measured_operators(Backend& backend, Execution execution) {
    execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
    ProgressLine line;
    std::vector<OperatorTime> times;
    for (const Mode mode : {Mode::training, Mode::inference}) {
        execution.numerics.mode = mode;
        const auto measured = measure_operators(
            operators_to_measure(), backend, execution, {},
            [&](const std::string& what, double done) {
                line.show(fmt::format("measuring operators, {}", name_of(mode)), done, what);
            });
        times.insert(times.end(), measured.begin(), measured.end());
    }
    return times;
}

std::vector<OperatorTime> operators_from(std::span<const std::string> files) {
    std::vector<OperatorTime> times;
    for (const std::string& name : files) {
        const auto file = MappedFile::open(name);
        const std::span<const std::byte> bytes = file->bytes();
        const auto read =
            parse_operator_times({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
        times.insert(times.end(), read.begin(), read.end());
    }
    return times;
}

// Measures single operators, unless their times are given, and fits the rates for predicting
// networks on this machine.
void calibrate_operators(const CalibrateOptions& options) {
    const int threads = threads_of(options);
    require_processors(threads);
    if (!options.device.empty()) {
        throw Error(fmt::format("--operators calibrates this machine, not {}: leave out --device, "
                                "or give --device and --from CSV without --operators",
                                options.device),
                    ExitCode::usage);
    }
    std::vector<OperatorTime> times = operators_from(options.from);  // before time is spent
    CalibrateOptions ceilings = options;
    ceilings.if_missing = true;
    ceilings.backend.clear();
    calibrate(ceilings);
    const MeasuringLock lock =
        acquire_measuring_lock(options.no_wait ? WhenLocked::measure_anyway : WhenLocked::wait);
    const auto backend = find_backend("onednn").make();
    const DeviceDescription device = describe_host(host_for(*backend, threads));
    const auto file = own_cpu_rates_file(device.name);  // likewise
    Execution execution = options.settings.execution;
    execution.scheduling.threads = threads;
    if (options.from.empty()) {
        times = measured_operators(*backend, execution);
        replace_file(times_file_of(file), operator_times_csv(times));
    }
    const CpuRates rates = fit_cpu_rates(times, device);
    replace_file(file, to_toml(rates, fmt::format("fitted by strata calibrate --operators to {} "
                                                  "passes of operators on {}",
                                                  times.size(), device.model)));
    say("rates of {} fitted to {} passes of operators, {:.1f} % off on average, "
        "in {}",
        device.name, times.size(), 100 * mean_error(times, device, rates), file.string());
}

// ---- verdicts

SidesOptions equal_sides(const CalibrateOptions& options) {
    SidesOptions sides;
    sides.network.networks = {options.network};
    sides.network.batches = options.batches;
    const std::string backend =
        options.backend.empty() ? std::string(backends().front().name) : options.backend;
    sides.backends = {backend, backend};
    sides.asked = {options.settings};
    Policy& policy = sides.asked.front().policy;
    policy.min_time = Seconds{0.2};
    policy.precision = 1;  // many short processes rather than few long ones
    sides.no_wait = options.no_wait;
    return sides;
}

// Divides the processes into consecutive comparisons while they are measured.
class Division {
public:
    explicit Division(const CalibrateOptions& options)
        : comparisons_(static_cast<std::size_t>(options.comparisons)) {
        if (options.rounds > 0) {
            limits_ = {options.rounds, options.rounds};
        }
    }

    int max_rounds() const { return limits_.most * static_cast<int>(comparisons_); }
    const std::vector<std::size_t>& rounds() const { return rounds_; }

    // Records one more round; returns whether all comparisons are complete. Requires: equal sides.
    bool is_complete_with(const std::vector<Side>& sides) {
        const std::span before = std::span(sides[0].runs).subspan(ended_);
        const std::span after = std::span(sides[1].runs).subspan(ended_);
        if (before.size() == after.size() && ends_comparison(before, after, limits_)) {
            rounds_.push_back(before.size());
            ended_ += before.size();
        }
        return rounds_.size() == comparisons_;
    }

private:
    std::size_t comparisons_;
    RoundLimits limits_;
    std::vector<std::size_t> rounds_;  // of each comparison that has ended
    std::size_t ended_ = 0;            // rounds of all of them
};

// The runs are kept until all are complete, so that the same command continues after an interrupt.
void calibrate_verdicts(const CalibrateOptions& options, ExitCode& exit) {
    constexpr std::array planted = {0.0, 0.02, 0.05, 0.1};
    const auto file = comparison_rates_file();  // before time is spent
    std::filesystem::create_directories(file.parent_path());
    auto database = file;
    database.replace_extension(".sqlite");
    SidesOptions asked = equal_sides(options);
    Division division(options);
    asked.rounds = division.max_rounds();
    asked.are_enough = [&](const std::vector<Side>& sides) {
        return division.is_complete_with(sides);
    };
    const auto sides = measured(sides_of(asked), asked, database);
    if (!sides) {
        exit = ExitCode::interrupted;
        return;
    }
    for (const std::string& refusal : sides->refusals) {
        if (!refusal.empty()) {
            throw Error(refusal, ExitCode::machine_cannot);
        }
    }
    const ComparisonRates rates =
        comparison_rates(sides->runs[0], sides->runs[1], division.rounds(), planted);
    replace_file(file, to_toml(rates));
    std::filesystem::remove(database);
    emit(comparison_rates_document(rates), options.output);
    write_remark(fmt::format("wrote {}\n", file.string()));
}

}  // namespace

void add_calibrate(CLI::App& app, ExitCode& exit) {
    auto options = std::make_shared<CalibrateOptions>();
    CLI::App* verb = app.add_subcommand("calibrate",
                                        "Measure this machine's ceilings (arithmetic by type, "
                                        "caches, memory), or how reliable its comparisons are.");
    verb->footer(
        "strata calibrate                  # the ceilings of runs with the same number of threads\n"
        "strata calibrate --threads 1\n"
        "strata calibrate --backend cuda\n"
        "strata calibrate --comparison     # how often equal sides are called different here");
    add_option(*verb, "--backend", options->backend, "measure the device of this backend instead")
        ->type_name(join(backend_names(), "|"));
    add_listed(*verb, option_named("threads"), options->settings,
               "number of threads; 0 uses every processor available to this process");
    add_switch(*verb, "--if-missing", options->if_missing,
               "do nothing if it was done before and the ceilings were repeatable");
    add_switch(*verb, "--no-wait", options->no_wait,
               "measure even while another strata is measuring on this machine");
    add_switch(*verb, "--replace", options->replace,
               "discard earlier ceilings; by default the higher value of each is kept");
    add_switch(*verb, "--operators", options->operators,
               "also measure single operators, for `strata predict NETWORK --device host` on this "
               "machine");
    begin_group(*verb, "Verdicts");
    add_switch(*verb, "--comparison", options->comparison,
               "compare a network with itself, and with artificial slow-downs");
    add_option(*verb, "--comparisons", options->comparisons, "number of comparisons")
        ->check(whole_number(1))
        ->type_name("N");
    verb->add_option(
            "--rounds", options->rounds,
            "processes for each side of a comparison, until the whole is known within the margin")
        ->default_str(rounds_text(RoundLimits()))
        ->check(whole_number(1))
        ->type_name("N");
    add_option(*verb, "--network", options->network, "the network")->type_name("NETWORK");
    add_option(*verb, "-b,--batch", options->batches, "examples per step")->type_name("N");
    begin_group(*verb, "Predictions");
    add_option(*verb, "--device", options->device, "a device from `strata list devices`, or a file")
        ->type_name("NAME");
    add_option(*verb, "--from", options->from,
               "fit its rates to the measured times of these tables (see strata predict --help); "
               "with --operators, to the times that an earlier --operators stored beside its rates")
        ->delimiter(',')
        ->type_name("CSV");
    add_switch(*verb, "--collectives", options->collectives,
               "measure the collectives of the ranks that mpirun started, or take those of --from "
               "(columns collective, gpus, bytes, ms), and fit links for `strata predict --links`");
    add_option(*verb, "--library", options->library, "of the collectives in the tables")
        ->type_name("NAME");
    add_output_options(*verb, options->output);
    verb->callback([options, &exit] {
        if (options->collectives) {
            calibrate_collectives({.device = options->device,
                                   .library = options->library,
                                   .from = options->from,
                                   .no_wait = options->no_wait,
                                   .output = options->output});
        } else if (options->operators) {
            calibrate_operators(*options);
        } else if (!options->device.empty() || !options->from.empty()) {
            calibrate_rates(*options);
        } else if (options->comparison) {
            calibrate_verdicts(*options, exit);
        } else {
            calibrate(*options);
        }
    });
}

}  // namespace strata
