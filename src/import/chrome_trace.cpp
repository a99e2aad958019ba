// SPDX-License-Identifier: MIT
#include "import/chrome_trace.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "import/recording.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace strata {

namespace {

using TraceJson = nlohmann::json;

constexpr int deepest = 256;
constexpr std::uint64_t longest_value = 64 << 20;
constexpr std::size_t longest_shape = 1000;

// What the value that follows a key is for.
enum class ChromeField {
    other,
    phase,
    category,
    name,
    process,
    thread,
    start,
    duration,
    external_id,
    correlation,
    sequence,
    device,
    stream,
    bytes,
    registers,
    shared_memory,
    group,
    grid,
    block,
    inputs,
    operation,
    provider,
    module,
    meta_name,
};

struct ChromeKey {
    std::string_view key;
    ChromeField field;
};

constexpr std::array event_keys = {
    ChromeKey{"ph", ChromeField::phase},    ChromeKey{"cat", ChromeField::category},
    ChromeKey{"name", ChromeField::name},   ChromeKey{"pid", ChromeField::process},
    ChromeKey{"tid", ChromeField::thread},  ChromeKey{"ts", ChromeField::start},
    ChromeKey{"dur", ChromeField::duration}};

constexpr std::array argument_keys = {ChromeKey{"External id", ChromeField::external_id},
                                      ChromeKey{"external id", ChromeField::external_id},
                                      ChromeKey{"correlation", ChromeField::correlation},
                                      ChromeKey{"Sequence number", ChromeField::sequence},
                                      ChromeKey{"device", ChromeField::device},
                                      ChromeKey{"stream", ChromeField::stream},
                                      ChromeKey{"bytes", ChromeField::bytes},
                                      ChromeKey{"registers per thread", ChromeField::registers},
                                      ChromeKey{"shared memory", ChromeField::shared_memory},
                                      ChromeKey{"group_id", ChromeField::group},
                                      ChromeKey{"grid", ChromeField::grid},
                                      ChromeKey{"block", ChromeField::block},
                                      ChromeKey{"Input Dims", ChromeField::inputs},
                                      ChromeKey{"Input dims", ChromeField::inputs},
                                      ChromeKey{"input_type_shape", ChromeField::inputs},
                                      ChromeKey{"op_name", ChromeField::operation},
                                      ChromeKey{"tf_op", ChromeField::operation},
                                      ChromeKey{"long_name", ChromeField::operation},
                                      ChromeKey{"provider", ChromeField::provider},
                                      ChromeKey{"Module Hierarchy", ChromeField::module},
                                      ChromeKey{"name", ChromeField::meta_name}};

template <std::size_t Count>
ChromeField field_named(const std::array<ChromeKey, Count>& keys, std::string_view key) {
    for (const ChromeKey& one : keys) {
        if (one.key == key) {
            return one.field;
        }
    }
    return ChromeField::other;
}

// What a trace tells, token by token, for nlohmann's parser, which keeps one bit for each level and
// one token.
class ChromeReader final : public nlohmann::json_sax<TraceJson> {
public:
    ChromeReader(ByteSource& source, const std::function<void(const ChromeEvent&)>& tell)
        : source_(source), tell_(tell) {}

    bool null() override { return took_value(); }
    bool boolean(bool) override { return took_value(); }
    bool number_integer(std::int64_t value) override { return took_integer(value); }
    bool number_unsigned(std::uint64_t value) override {
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return took_integer(static_cast<std::int64_t>(std::min(value, most)));
    }
    bool number_float(double value, const std::string& text) override {
        if (field_ == ChromeField::start) {
            event_.start = parse_nanoseconds(text, 1000);
        } else if (field_ == ChromeField::duration) {
            event_.duration = parse_nanoseconds(text, 1000);
        } else if (std::abs(value) < 1e15) {
            return took_integer(static_cast<std::int64_t>(value));
        }
        return took_value();
    }
    bool string(std::string& text) override;
    bool binary(TraceJson::binary_t&) override { return took_value(); }

    bool start_object(std::size_t) override { return enter(false); }
    bool end_object() override;
    bool start_array(std::size_t) override { return enter(true); }
    bool end_array() override;
    bool key(std::string& key) override;
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

    const ChromeTraceEnd& end() const { return end_; }
    void mark() { begun_ = source_.position(); }

    // Called for every byte: a token without an end would fill the memory.
    void require_short_value() const {
        if (source_.position() - begun_ > longest_value) {
            throw Error(
                fmt::format("'{}' has a text or number of more than 64 MB at byte {}: it "
                            "is no trace",
                            source_.name(), begun_));
        }
    }

private:
    bool is_in_event() const { return event_depth_ > 0 && depth_ >= event_depth_; }

    bool took_value() {
        mark();
        if (depth_ <= argument_depth()) {
            field_ = ChromeField::other;
        }
        return true;
    }
    int argument_depth() const { return event_depth_ + 1; }

    bool took_integer(std::int64_t value);
    void take_extent(std::int64_t value);
    void end_extents();
    bool enter(bool is_array);
    void leave();
    std::int64_t* number_for(ChromeField field);
    std::string* text_for(ChromeField field);

    ByteSource& source_;
    const std::function<void(const ChromeEvent&)>& tell_;
    ChromeTraceEnd end_ = {};
    ChromeEvent event_ = {};
    ChromeField field_ = ChromeField::other;
    std::uint64_t begun_ = 0;  // where the present token may have begun
    int depth_ = 0;
    int events_depth_ = 0;  // of the array of events; 0: not in it
    int event_depth_ = 0;   // of the present event; 0: in none
    bool is_events_key_ = false;
    bool is_arguments_ = false;  // within the event's `args`
    bool is_arguments_key_ = false;
    std::size_t extents_ = 0;  // of the operand, or axes of the launch, so far
};

std::int64_t* ChromeReader::number_for(ChromeField field) {
    switch (field) {
        case ChromeField::process:
            return &event_.process;
        case ChromeField::thread:
            return &event_.thread;
        case ChromeField::external_id:
            return &event_.external_id;
        case ChromeField::correlation:
            return &event_.correlation;
        case ChromeField::sequence:
            return &event_.sequence;
        case ChromeField::device:
            return &event_.device;
        case ChromeField::stream:
            return &event_.stream;
        case ChromeField::bytes:
            return &event_.bytes;
        case ChromeField::registers:
            return &event_.registers;
        case ChromeField::shared_memory:
            return &event_.shared_memory;
        case ChromeField::group:
            return &event_.group;
        default:
            return nullptr;
    }
}

std::string* ChromeReader::text_for(ChromeField field) {
    switch (field) {
        case ChromeField::phase:
            return &event_.phase;
        case ChromeField::category:
            return &event_.category;
        case ChromeField::name:
            return &event_.name;
        case ChromeField::operation:
            return &event_.operation;
        case ChromeField::provider:
            return &event_.provider;
        case ChromeField::module:
            return &event_.module;
        case ChromeField::meta_name:
            return &event_.meta_name;
        default:
            return nullptr;
    }
}

bool ChromeReader::took_integer(std::int64_t value) {
    constexpr std::int64_t most = 4'000'000'000'000'000;  // microseconds, 126 years
    if (field_ == ChromeField::start && value > -most && value < most) {
        event_.start = Nanoseconds(value * 1000);
    } else if (field_ == ChromeField::duration && value > -most && value < most) {
        event_.duration = Nanoseconds(value * 1000);
    } else if (std::int64_t* const number = number_for(field_)) {
        *number = value;
    } else {
        take_extent(value);
    }
    return took_value();
}

void ChromeReader::take_extent(std::int64_t value) {
    if (field_ == ChromeField::inputs && event_.inputs.size() < longest_shape) {
        event_.inputs += (extents_++ > 0 ? "x" : "") + std::to_string(value);
    } else if (field_ == ChromeField::grid || field_ == ChromeField::block) {
        auto& extent = field_ == ChromeField::grid ? event_.grid : event_.block;
        if (extents_ < extent.size()) {
            extent[extents_++] = value;
        }
    }
}

void ChromeReader::end_extents() {
    if (field_ == ChromeField::inputs && extents_ > 0) {
        event_.inputs += ' ';
    }
    extents_ = 0;
}

bool ChromeReader::string(std::string& text) {
    if (std::string* const place = text_for(field_)) {
        place->swap(text);
    } else if (std::int64_t* const number = number_for(field_)) {
        *number = parse_integer(text).value_or(static_cast<std::int64_t>(hash_of(text) >> 1));
    } else if (field_ == ChromeField::start || field_ == ChromeField::duration) {
        auto& time = field_ == ChromeField::start ? event_.start : event_.duration;
        time = parse_nanoseconds(text, 1000);
    }
    return took_value();
}

bool ChromeReader::enter(bool is_array) {
    mark();
    if (++depth_ > deepest) {
        throw Error(fmt::format("'{}' is nested deeper than {} at byte {}: it is no trace",
                                source_.name(), deepest, source_.position()));
    }
    if (events_depth_ == 0 && is_array && (depth_ == 1 || (depth_ == 2 && is_events_key_))) {
        events_depth_ = depth_;
    } else if (events_depth_ > 0 && !is_array && depth_ == events_depth_ + 1) {
        event_ = {};
        event_depth_ = depth_;
        field_ = ChromeField::other;
    } else if (is_in_event() && depth_ == argument_depth()) {
        is_arguments_ = !is_array && is_arguments_key_;
    }
    extents_ = 0;
    return true;
}

void ChromeReader::leave() {
    mark();
    if (depth_ == events_depth_) {
        events_depth_ = 0;
        is_events_key_ = false;
    }
    --depth_;
}

bool ChromeReader::end_object() {
    if (event_depth_ > 0 && depth_ == event_depth_) {
        ++end_.events;
        tell_(event_);
        event_depth_ = 0;
    } else if (event_depth_ > 0 && depth_ == argument_depth()) {
        is_arguments_ = false;
        field_ = ChromeField::other;
    }
    leave();
    return true;
}

bool ChromeReader::end_array() {
    end_extents();
    leave();
    if (event_depth_ > 0 && depth_ <= argument_depth()) {
        field_ = ChromeField::other;
    }
    return true;
}

bool ChromeReader::key(std::string& key) {
    mark();
    if (event_depth_ == 0) {
        is_events_key_ = depth_ == 1 && key == "traceEvents";
        if (depth_ == 1 && key == "schemaVersion") {
            end_.program = "PyTorch";
        }
    } else if (depth_ == event_depth_) {
        field_ = field_named(event_keys, key);
        is_arguments_key_ = key == "args";
    } else if (is_arguments_ && depth_ == argument_depth()) {
        field_ = field_named(argument_keys, key);
    }
    return true;
}

// The bytes as the parser sees them.
class JsonBytes {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    JsonBytes() = default;
    JsonBytes(ByteSource& source, const ChromeReader& reader)
        : source_(&source), reader_(&reader) {}

    // (Between tokens a blank is as good as any other control character that may stand there.)
    char operator*() const {
        const char byte = source_->byte();
        return static_cast<unsigned char>(byte) < ' ' ? ' ' : byte;
    }
    JsonBytes& operator++() {
        source_->advance();
        reader_->require_short_value();
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const JsonBytes& a, const JsonBytes& b) {
        return a.has_ended() == b.has_ended();
    }

private:
    bool has_ended() const { return source_ == nullptr || source_->is_at_end(); }

    ByteSource* source_ = nullptr;
    const ChromeReader* reader_ = nullptr;
};

}  // namespace

ChromeTraceEnd read_chrome_trace(ByteSource& source,
                                 const std::function<void(const ChromeEvent&)>& tell) {
    ChromeReader reader(source, tell);
    const bool is_whole = TraceJson::sax_parse(JsonBytes(source, reader), JsonBytes(), &reader,
                                               nlohmann::json::input_format_t::json, false);
    if (!is_whole && !source.is_at_end()) {
        throw Error(
            fmt::format("'{}' is no JSON at byte {}; record it again, or cut the file "
                        "before that place to import what comes before it",
                        source.name(), source.position()));
    }
    ChromeTraceEnd end = reader.end();
    end.is_cut = !is_whole || source.is_cut();
    return end;
}

}  // namespace strata
