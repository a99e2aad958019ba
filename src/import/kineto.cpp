// SPDX-License-Identifier: MIT
#include "import/chrome_trace.h"
#include "import/devices.h"
#include "import/formats.h"
#include "import/nesting.h"

#include "base/hash.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr std::string_view module_prefix = "nn.Module: ";

enum class KinetoKind {
    operation,
    range,
    module,
    call,
    kernel,
    copy,
    fill,
    context,   // it describes others, and the time is theirs
    no_work,   // the profiler's, or a waiting device
    unlisted,  // decided by its appearance
};

struct KinetoCategory {
    std::string_view name;
    KinetoKind kind;
};

// Capitalised names are from PyTorch before 1.12 (2022).
constexpr std::array kineto_categories = {
    KinetoCategory{"cpu_op", KinetoKind::operation},
    KinetoCategory{"Operator", KinetoKind::operation},
    KinetoCategory{"user_annotation", KinetoKind::range},
    KinetoCategory{"python_function", KinetoKind::module},
    KinetoCategory{"Runtime", KinetoKind::call},
    KinetoCategory{"kernel", KinetoKind::kernel},
    KinetoCategory{"Kernel", KinetoKind::kernel},
    KinetoCategory{"gpu_memcpy", KinetoKind::copy},
    KinetoCategory{"Memcpy", KinetoKind::copy},
    KinetoCategory{"gpu_memset", KinetoKind::fill},
    KinetoCategory{"Memset", KinetoKind::fill},
    KinetoCategory{"gpu_user_annotation", KinetoKind::context},  // a copy of the host's ranges
    KinetoCategory{"Trace", KinetoKind::context},                // the whole recording
    KinetoCategory{"cuda_sync", KinetoKind::no_work},
    KinetoCategory{"cuda_event", KinetoKind::no_work},
    KinetoCategory{"overhead", KinetoKind::no_work},
};

// Each kind of device has its own calls: "cuda_runtime", "xpu_driver", "privateuse1_runtime".
KinetoKind kind_of_category(std::string_view category) {
    const auto found = std::ranges::find(kineto_categories, category, &KinetoCategory::name);
    if (found != kineto_categories.end()) {
        return found->kind;
    }
    return category.ends_with("_runtime") || category.ends_with("_driver") ? KinetoKind::call
                                                                           : KinetoKind::unlisted;
}

// The number of a call or operator, 32 bits in Kineto; 0 for any other.
std::uint32_t call_number(std::int64_t number) {
    return number > 0 && number <= 0xffffffff ? static_cast<std::uint32_t>(number) : 0;
}

std::uint32_t extent_of(std::int64_t value) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, 0x7fffffff));
}

// "blocks.0.conv" for TorchScript's
// "TOP(Net)::forward.blocks(Sequential)::forward.0(Block)::forward.conv(Conv2d)::forward.
// SELF(Conv2d)::_conv_forward.", which names each module with its class and method; an entry
// without a class is a function.
std::string module_path(std::string_view hierarchy) {
    std::vector<std::string> path;
    while (!hierarchy.empty()) {
        const auto end = std::min(hierarchy.find("::"), hierarchy.size());
        const std::string_view module = hierarchy.substr(0, end);
        const auto bracket = module.find('(');
        const std::string_view name = module.substr(0, bracket);
        if (bracket != module.npos && name != "TOP" && name != "SELF") {
            path.emplace_back(name);
        }
        hierarchy.remove_prefix(std::min(end + 2, hierarchy.size()));
        const auto method = std::min(hierarchy.find('.'), hierarchy.size());
        hierarchy.remove_prefix(std::min(method + 1, hierarchy.size()));
    }
    return join(path, ".");
}

// TorchScript's "forward" around all operators of a module: unlike "aten::relu", it names no
// operator.
bool is_method(const ChromeEvent& event) {
    return !event.module.empty() && !event.name.empty() &&
           event.name.find("::") == std::string::npos;
}

class KinetoReader {
public:
    explicit KinetoReader(ByteSource& source) : source_(source) {}

    RecordedProfile read() {
        recording_.tool = "pytorch";
        read_chrome_trace(source_, recording_, [this](const ChromeEvent& event) {
            if (event.phase == "X") {
                take(event);
            }
        });
        take_unlisted();
        nesting_.finish();
        return std::move(recording_);
    }

private:
    void take(const ChromeEvent& event) {
        const KinetoKind kind = kind_of(event);
        const bool is_function =
            kind == KinetoKind::module && !event.name.starts_with(module_prefix);
        if (kind == KinetoKind::context || is_function || is_method(event)) {
            recording_.ledger.use_as_context(event.duration);
            return;
        }
        switch (kind) {
            case KinetoKind::kernel:
                return take_span(event, SpanKind::kernel);
            case KinetoKind::copy:
                return take_span(event, SpanKind::copy);
            case KinetoKind::fill:
                return take_span(event, SpanKind::fill);
            case KinetoKind::call:
                return take_host(event, HostEventKind::call);
            case KinetoKind::operation:
                return take_operation(event);
            case KinetoKind::range:
                return take_host(event, HostEventKind::range);
            case KinetoKind::module:
                return take_host(event, HostEventKind::module);
            default:
                return take_other(event, kind);
        }
    }

    // The profiler of PyTorch before 1.8.1 has no categories, but these process names.
    static KinetoKind kind_of(const ChromeEvent& event) {
        const auto is_process = [&](std::string_view name) {
            return event.process == static_cast<std::int64_t>(hash_of(name) >> 1);
        };
        if (!event.category.empty()) {
            return kind_of_category(event.category);
        }
        return is_process("CPU functions")    ? KinetoKind::operation
               : is_process("CUDA functions") ? KinetoKind::kernel
                                              : KinetoKind::unlisted;
    }

    // Apparent device work is decided at the end of the file, when the host's processes are
    // known.
    void take_other(const ChromeEvent& event, KinetoKind kind) {
        const bool is_linked = call_number(event.correlation) != 0 ||
                               call_number(event.external_id) != 0 || event.stream >= 0;
        if (kind == KinetoKind::unlisted && is_linked && unlisted_.size() < max_unlisted) {
            unlisted_.push_back(event);
        } else {
            leave_out(event);
        }
    }

    void leave_out(const ChromeEvent& event) {
        recording_.ledger.leave_out(LeftOutReason::unknown_kind,
                                    event.category.empty() ? "no category" : event.category,
                                    event.duration);
    }

    // A device's work has a stream, or is linked to its launch from a separate process.
    void take_unlisted() {
        for (const ChromeEvent& event : unlisted_) {
            const bool is_on_host = nesting_.has_host(event.process);
            if (event.stream >= 0 || !is_on_host) {
                take_span(event, SpanKind::kernel);
            } else {
                leave_out(event);
            }
        }
    }

    HostEvent host_event(const ChromeEvent& event, HostEventKind kind) {
        std::string_view name = event.name;
        if (name.starts_with(module_prefix)) {
            name.remove_prefix(module_prefix.size());
        }
        return {.start = *event.start,
                .duration = *event.duration,
                .correlation = call_number(event.correlation),
                .name = kind == HostEventKind::call ? 0 : recording_.texts.id_of(name),
                .track = nesting_.track_of(event.process, event.thread),
                .external_id = call_number(event.external_id),
                .kind = kind};
    }

    void take_host(const ChromeEvent& event, HostEventKind kind) {
        nesting_.add(host_event(event, kind));
    }

    // An operator that names its modules is placed in a range with their names.
    void take_operation(const ChromeEvent& event) {
        HostEvent host = host_event(event, HostEventKind::operation);
        host.inputs = recording_.texts.id_of(trim(event.inputs));
        if (event.sequence >= 0 && event.sequence < 0x7fffffff) {
            host.sequence = static_cast<std::int32_t>(event.sequence);
        }
        if (const std::string path = module_path(event.module); !path.empty()) {
            HostEvent around = host;
            around.kind = HostEventKind::module;
            around.is_record = false;
            around.name = recording_.texts.id_of(path);
            nesting_.add(around);
        }
        nesting_.add(host);
    }

    void take_span(const ChromeEvent& event, SpanKind kind) {
        Span span = {.kind = kind,
                     .name = std::string(recording_.texts[recording_.texts.id_of(event.name)]),
                     .device = extent_of(event.device),
                     .stream = extent_of(event.stream),
                     .start = *event.start,
                     .end = *event.start + *event.duration};
        if (kind == SpanKind::kernel && event.block[0] > 0) {
            const auto extents = [](const std::array<std::int64_t, 3>& of) {
                return LaunchExtent{extent_of(of[0]), extent_of(of[1]), extent_of(of[2])};
            };
            span.launch = {.grid = extents(event.grid),
                           .block = extents(event.block),
                           .registers = extent_of(event.registers),
                           .static_shared = Bytes(extent_of(event.shared_memory))};
        }
        if (kind != SpanKind::kernel && event.bytes >= 0) {
            span.bytes = Bytes(static_cast<double>(event.bytes));
        }
        const auto device =
            device_place(recording_.devices, {.number = std::to_string(span.device)});
        nesting_.add(std::move(span), call_number(event.correlation),
                     call_number(event.external_id), device);
    }

    static constexpr std::size_t max_unlisted = 1'000'000;

    ByteSource& source_;
    RecordedProfile recording_ = {};
    CallNesting nesting_{recording_};
    std::vector<ChromeEvent> unlisted_ =
        {};  // events of other categories, linked to a call or stream
};

}  // namespace

RecordedProfile read_kineto(ByteSource& source) {
    return KinetoReader(source).read();
}

}  // namespace strata
