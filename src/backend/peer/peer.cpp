// SPDX-License-Identifier: MIT
#include "backend/peer/peer.h"

#include "backend/inputs.h"
#include "backend/module.h"
#include "backend/peer/executable.h"
#include "backend/peer/network.h"
#include "backend/peer/process.h"
#include "base/enumeration.h"
#include "base/file.h"
#include "base/processors.h"
#include "base/program.h"
#include "base/text.h"
#include "device/host.h"
#include "networks/onnx/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

using Json = nlohmann::json;

constexpr int protocol = 1;

constexpr std::array all_peers = {
    Peer{.name = "pytorch", .framework = "PyTorch", .package = "torch"},
    Peer{"tensorflow", "TensorFlow"},
    Peer{"jax", "JAX"},
    Peer{"libtorch", "libtorch", PeerInput::graph, PeerAdapter::program},
    Peer{"onnxruntime", "ONNX Runtime", PeerInput::onnx},
    Peer{"openvino", "OpenVINO", PeerInput::onnx},
};

// Prints which of the named packages there are, one a line; imports none.
constexpr const char* python_finds =
    "import importlib.util as found, sys\n"
    "for name in sys.argv[1:]:\n"
    "    if found.find_spec(name): print(name, file=sys.stderr)";

// The settings with which a process is started, because frameworks read them when they are loaded.
struct PeerSettings {
    int threads = 0;
    bool pinned = true;
    PeerOptions options = {};
    bool operator==(const PeerSettings&) const = default;
};

PeerSettings settings_of(const Execution& execution) {
    const Scheduling& scheduling = execution.scheduling;
    const int all = static_cast<int>(allowed_processors().size());
    // A GPU's work is launched and compiled for by threads that compute nothing themselves.
    const bool pinned = scheduling.pinned && !ask_for_gpu(execution.engine.peer_options);
    return {scheduling.threads > 0 ? scheduling.threads : all, pinned,
            execution.engine.peer_options};
}

// "{0},{1}": one place for each thread, like the binding of strata's own engine.
std::string places_of(int threads) {
    const auto& processors = allowed_processors();
    std::vector<std::string> places;
    for (int i = 0; i < threads; ++i) {
        places.push_back(
            fmt::format("{{{}}}", processors[static_cast<std::size_t>(i) % processors.size()]));
    }
    return join(places, ",");
}

std::vector<std::pair<std::string, std::string>> environment_of(const PeerSettings& settings) {
    const std::string count = std::to_string(settings.threads);
    std::vector<std::pair<std::string, std::string>> all = {
        {"OMP_NUM_THREADS", count},
        {"MKL_NUM_THREADS", count},
        {"OPENBLAS_NUM_THREADS", count},
        {"OMP_DYNAMIC", "false"},
        {"PYTHONDONTWRITEBYTECODE", "1"},
        {"TF_CPP_MIN_LOG_LEVEL", "2"},
        {"STRATA_PEER_THREADS", count},
        {"STRATA_PEER_PINNED", settings.pinned ? "1" : "0"},
        {"STRATA_PEER_OPTIONS", Json(settings.options).dump()},
    };
    if (settings.pinned) {
        all.emplace_back("OMP_PROC_BIND", "true");
        all.emplace_back("OMP_PLACES", places_of(settings.threads));
    }
    return all;
}

bool lists(const Json& json, const char* name, std::string_view word) {
    const auto found = json.find(name);
    return found != json.end() && found->is_array() &&
           std::ranges::find(*found, Json(word)) != found->end();
}

// Whether a peer lists the word, or lists nothing and it is the usual one.
bool accepts(const Json& words, const char* name, std::string_view word, std::string_view usual) {
    return words.contains(name) ? lists(words, name, word) : word == usual;
}

// The element types that a peer lists, as words.
std::string types_of(const Json& words) {
    std::vector<std::string> types;
    for (const Json& type : words.value("dtypes", Json::array({"f32"}))) {
        types.push_back(printable(type.is_string() ? type.get<std::string>() : type.dump(), 20));
    }
    return join(types, ", ");
}

// How to compute where more is possible; empty if the peer computes there or cannot.
std::string way_to_gpu(const Json& words) {
    const Json options = words.value("options", Json::object());
    return !words.contains("device") && lists(options, "device", "cuda")
               ? ", or compute on a GPU with --peer-option device=cuda"
               : "";
}

// A number of bytes that a device can have.
std::optional<Bytes> bytes_in(const Json& json, const char* name) {
    const Json number = json.is_object() ? json.value(name, Json()) : Json();
    const double value = number.is_number() ? number.get<double>() : -1;
    return std::isfinite(value) && value >= 0 ? std::optional(Bytes{value}) : std::nullopt;
}

// Empty if it accepts them all. An option without a list of values takes whole numbers.
std::string refusal_of_options(const Json& words, const PeerOptions& asked) {
    const Json known = words.value("options", Json::object());
    std::vector<std::string> names;
    for (const auto& [name, values] : known.items()) {
        names.push_back(printable(name, 40));
    }
    for (const auto& [name, value] : asked) {
        const auto found = known.find(name);
        if (found == known.end()) {
            return fmt::format("it has no option {}: --peer-option takes {}", name,
                               names.empty() ? "none" : join(names, ", "));
        }
        if (!found->empty() ? !lists(known, name.c_str(), value)
                            : parse_integer(value).value_or(0) < 1) {
            return fmt::format(
                "its option {} cannot be {}: choose {}", name, value,
                found->empty() ? "a whole number of at least 1" : printable(found->dump(), 100));
        }
    }
    return {};
}

// Makes a model return what is read: if it is verified, every tensor that a layer computes is an
// output.
Graph as_told(Graph graph, const Execution& execution) {
    if (execution.scheduling.memory == MemoryReuse::kept) {
        graph.outputs.clear();
        for (const Layer& layer : graph.layers) {
            graph.outputs.insert(graph.outputs.end(), layer.outputs.begin(), layer.outputs.end());
        }
    }
    return graph;
}

// A peer's process that has introduced itself.
struct Greeted {
    std::unique_ptr<PeerProcess> process;
    PeerSettings settings;
    Json words;  // name, version, details; its modes, layouts, optimizers, options
};

class PeerBackend final : public Backend {
public:
    PeerBackend(const Peer& peer, const std::filesystem::path& interpreter,
                const std::filesystem::path& adapter, const PeerLimits& limits,
                const PeerOptions& options)
        : peer_(peer), interpreter_(interpreter), adapter_(adapter), limits_(limits) {
        // (Drivers of GPUs reserve more addresses than there is memory.)
        if (!limits_.memory && !ask_for_gpu(options)) {
            limits_.memory = detect_host().memory;
        }
        write_adapters();
        greeted_ = greet(settings_of({.engine = {.peer_options = options}}));
        words_ = greeted_->words;
        if (ask_for_gpu(options)) {
            require_device();
        }
    }

    BackendInfo info() const override {
        const Json device = words_.value("device", Json::object());
        return {.name = std::string(peer_.name),
                .version = text_in(words_, "version"),
                .details = text_in(words_, "details"),
                .device_memory = bytes_in(device, "memory"),
                .device_model = text_in(device, "model"),
                .free_device_memory = bytes_in(device, "free_memory"),
                .apart = text_in(words_, "apart")};
    }

    LossScope loss_scope() const override { return LossScope::executable; }

    std::string refusal_of(const Execution& execution) const override {
        const Numerics& numerics = execution.numerics;
        const EngineOptions& engine = execution.engine;
        if (!lists(words_, "modes", name_of(numerics.mode))) {
            return numerics.mode == Mode::training ? "it does not train: add --inference"
                                                   : "it only trains: omit --inference";
        }
        if (!accepts(words_, "dtypes", name_of(numerics.dtype), "f32")) {
            return fmt::format("its adapter computes in {} here: choose another --dtype{}",
                               types_of(words_), way_to_gpu(words_));
        }
        if (!accepts(words_, "single_precisions", name_of(numerics.single_precision), "full")) {
            return fmt::format("it has no TF32: omit --tf32{}", way_to_gpu(words_));
        }
        if (!accepts(words_, "algorithms", name_of(engine.algorithm), "auto")) {
            return fmt::format(
                "it chooses its algorithms itself: omit --algorithm{}",
                engine.algorithm == ConvolutionAlgorithm::fastest ? way_to_gpu(words_) : "");
        }
        if (engine.image_layout != ImageLayout::automatic &&
            !lists(words_, "layouts", name_of(engine.image_layout))) {
            return fmt::format("it does not compute images as {}: choose another --layout",
                               name_of(engine.image_layout));
        }
        if (numerics.mode == Mode::training &&
            !lists(words_, "optimizers", name_of(numerics.optimizer))) {
            return fmt::format("its adapter has no optimizer {}: choose another --optimizer",
                               name_of(numerics.optimizer));
        }
        return refusal_of_options(words_, engine.peer_options);
    }

    std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) override {
        const bool is_verified = execution.scheduling.memory == MemoryReuse::kept;
        if (is_verified && execution.engine.fusion != Fusion::none) {
            throw Error(fmt::format("{} computes a fused network as a whole, so its inner values "
                                    "cannot be compared: omit --verify and --dump, or --fuse",
                                    peer_.name),
                        ExitCode::usage);
        }
        Greeted greeted = process_for(settings_of(execution));
        Json request = {{"request", "prepare"}, {"network", network_json(graph, execution)}};
        add_values(graph, execution, greeted.process->folder(), request);
        const Json answer = greeted.process->exchange(request, limits_.prepare);
        if (answer.contains("error")) {
            throw Error(fmt::format("{} cannot take {}: {}", peer_.name, printable(graph.name),
                                    text_in(answer, "error")),
                        ExitCode::machine_cannot);
        }
        return std::make_unique<PeerExecutable>(
            graph, execution, PeerOf{std::move(greeted.process), info().device_memory.has_value()},
            answer);
    }

private:
    void write_adapters() const {
        for (const EmbeddedFile& file : adapter_files()) {
            write_in_place(folder_.path() / (std::string(file.name) + ".py"), file.text);
        }
    }

    std::vector<std::string> command() const {
        if (peer_.adapter == PeerAdapter::program) {
            return {interpreter_.string()};
        }
        const auto own = folder_.path() / (std::string(peer_.name) + "_adapter.py");
        return {interpreter_.string(), (adapter_.empty() ? own : adapter_).string()};
    }

    Greeted greet(const PeerSettings& settings) const {
        PeerStart start = {.name = std::string(peer_.name),
                           .command = command(),
                           .environment = environment_of(settings),
                           .memory = limits_.memory};
        start.environment.emplace_back("PYTHONPATH", folder_.path().string());
        auto process = std::make_unique<PeerProcess>(start);
        Json words = greeting_of(*process);
        if (words.contains("absent")) {
            throw Error(fmt::format("{} is not there ({}): run scripts/peers {}, or set "
                                    "STRATA_PEERS_PYTHON to an interpreter that has it",
                                    peer_.framework, text_in(words, "absent"), peer_.name),
                        ExitCode::machine_cannot);
        }
        if (words.contains("error")) {
            throw Error(fmt::format("{} cannot compute{} here: {}", peer_.framework,
                                    ask_for_gpu(settings.options) ? " on a GPU" : "",
                                    text_in(words, "error")),
                        ExitCode::machine_cannot);
        }
        if (words.value("protocol", Json()) != protocol) {
            throw Error(fmt::format("the adapter of {} speaks version {} of the protocol, this "
                                    "program version {}: use the adapter of this program",
                                    peer_.framework,
                                    printable(words.value("protocol", Json()).dump()), protocol),
                        ExitCode::machine_cannot);
        }
        return {std::move(process), settings, std::move(words)};
    }

    // Otherwise its runs would be stored as those of processors.
    void require_device() const {
        const BackendInfo told = info();
        if (!told.device_memory || told.device_model.empty()) {
            throw Error(fmt::format("the adapter of {} does not say which GPU it computes on: omit "
                                    "--peer-option device=cuda",
                                    peer_.framework),
                        ExitCode::machine_cannot);
        }
    }

    // Before anything is measured, no run can be stored as failed, so the backend counts as
    // missing.
    Json greeting_of(PeerProcess& process) const {
        try {
            return process.exchange({{"request", "hello"}, {"protocol", protocol}}, limits_.start);
        } catch (const DeviceFailure& failure) {
            throw Error(failure.what(), ExitCode::machine_cannot);
        }
    }

    // Each network gets its own process; the first gets the one that was started to learn the
    // peer's abilities.
    Greeted process_for(const PeerSettings& settings) {
        if (greeted_ && greeted_->settings == settings) {
            Greeted greeted = std::move(*greeted_);
            greeted_.reset();
            return greeted;
        }
        return greet(settings);
    }

    void add_values(const Graph& graph, const Execution& execution,
                    const std::filesystem::path& folder, Json& request) const {
        request["file"] = (folder / "values.f32").string();
        request["values"] = write_values(graph, execution, folder / "values.f32");
        if (peer_.input == PeerInput::onnx) {
            const std::uint64_t seed = execution.numerics.seed;
            export_onnx(
                as_told(graph, execution), folder / "network.onnx",
                [&](TensorId id, std::span<float> values) {
                    fill_initial_values(graph, id, seed, values);
                },
                OnnxBodies::nodes);
            request["model"] = (folder / "network.onnx").string();
        }
    }

    Peer peer_;
    std::filesystem::path interpreter_;
    std::filesystem::path adapter_;
    PeerLimits limits_;
    PrivateFolder folder_;
    std::optional<Greeted> greeted_;
    Json words_;
};

std::filesystem::path program_of(const Peer& peer) {
    if (auto found = find_beside_modules(fmt::format("strata_{}", peer.name))) {
        return std::move(*found);
    }
    throw Error(fmt::format("{0} is not there: this strata was built without it; run scripts/peers "
                            "pytorch, which has it, and build again",
                            peer.framework),
                ExitCode::machine_cannot);
}

}  // namespace

std::span<const Peer> peers() {
    return all_peers;
}

PeerOptions options_for_gpu() {
    return {{"device", "cuda"}};
}

bool ask_for_gpu(const PeerOptions& options) {
    const auto device = options.find("device");
    return device != options.end() && device->second == "cuda";
}

std::optional<std::filesystem::path> peers_python() {
    if (const auto named = path_in_environment("STRATA_PEERS_PYTHON")) {
        return named;
    }
    const auto home = data_home();
    const auto made = home ? *home / "strata" / "peers" / "bin" / "python" : "";
    std::error_code ignored;
    return std::filesystem::exists(made, ignored) ? std::optional(made) : std::nullopt;
}

std::optional<PythonInPath> peers_python_in_path() {
    const auto program = find_in_path("python3");
    if (!program || peers_python()) {
        return std::nullopt;
    }
    PythonInPath python{*program, {}};
    // With -E, as adapters have a PYTHONPATH of their own.
    ProgramCall call{.file = program->string(), .arguments = {"-E", "-c", python_finds}};
    for (const Peer& peer : all_peers) {
        call.arguments.emplace_back(peer.package);
    }
    call.hear = [&](const std::string& line) {
        const auto peer = std::ranges::find(all_peers, line, &Peer::package);
        if (peer != all_peers.end() && peer->adapter == PeerAdapter::python) {
            python.peers.emplace_back(peer->name);
        }
    };
    try {
        run_program(call);
    } catch (const Error&) {  // python3 is no program
        return std::nullopt;
    }
    return python;
}

namespace {

// Throws Error if there is none that has it.
std::filesystem::path interpreter_of(const Peer& peer) {
    if (auto named = peers_python()) {
        return *std::move(named);
    }
    static const auto in_path = peers_python_in_path();
    if (in_path && std::ranges::find(in_path->peers, peer.name) != in_path->peers.end()) {
        return in_path->program;
    }
    throw Error(fmt::format("{} is not there: run scripts/peers {}, or set STRATA_PEERS_PYTHON "
                            "to an interpreter that has it",
                            peer.framework, peer.name),
                ExitCode::machine_cannot);
}

}  // namespace

std::unique_ptr<Backend> make_peer_backend(std::string_view name, const PeerOptions& options) {
    const auto peer = std::ranges::find(all_peers, name, &Peer::name);
    check(peer != all_peers.end(), "a peer is in the list");
    const bool is_program = peer->adapter == PeerAdapter::program;
    return make_peer_backend(*peer, is_program ? program_of(*peer) : interpreter_of(*peer), {}, {},
                             options);
}

std::unique_ptr<Backend> make_peer_backend(const Peer& peer,
                                           const std::filesystem::path& interpreter,
                                           const std::filesystem::path& adapter,
                                           const PeerLimits& limits, const PeerOptions& options) {
    return std::make_unique<PeerBackend>(peer, interpreter, adapter, limits, options);
}

}  // namespace strata
