// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/emulator/device.h"
#include "tests/backend/cuda/emulator/emulator.h"
#include "tests/backend/cuda/emulator/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <utility>

// The program's constants are between the first two, its variables between the last two; kernels
// may only use shared memory of those.
extern "C" {
extern char __executable_start;
extern char __data_start;
extern char _end;
}

namespace strata::testing {

namespace {

enum class Access { read, write, atomic };

struct Stamp {
    std::uint32_t thread = 0;
    std::uint32_t time = 0;
};

// The last accesses to one granule of memory. Two different threads among its readers are known: a
// writer cannot be both of them.
struct Cell {
    Stamp written;
    std::array<Stamp, 2> read;
    bool is_atomic = false;  // the last write
};
constexpr std::uintptr_t granule = 2;  // bytes: the smallest element
constexpr std::uintptr_t page_bytes = 4096;
using Page = std::array<Cell, page_bytes / granule>;

std::vector<std::span<const std::byte>>& allowed_memory() {
    static std::vector<std::span<const std::byte>> memory;
    return memory;
}

Cell& cell_of(std::uintptr_t address) {
    static std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages;
    static std::array<std::pair<std::uintptr_t, Page*>, 256> recent;
    const std::uintptr_t number = address / page_bytes;
    auto& [known, page] = recent[number % recent.size()];
    if (page == nullptr || known != number) {
        auto& made = pages[number];
        if (!made) {
            made = std::make_unique<Page>();
        }
        known = number;
        page = made.get();
    }
    return (*page)[address % page_bytes / granule];
}

bool is_ordered_before_now(const Stamp& stamp, bool is_shared) {
    if (stamp.thread == order.thread || stamp.time < (is_shared ? order.block : order.launch)) {
        return true;
    }
    const std::uint32_t first = order.thread - order.in_block;
    const bool in_block = stamp.thread >= first && stamp.thread < first + order.block_size;
    const bool in_warp = in_block && (stamp.thread - first) / 32 == order.in_block / 32;
    return (in_block && stamp.time < order.barrier) || (in_warp && stamp.time < order.warp);
}

struct Place {
    std::uintptr_t address;
    std::size_t size;
    Access access;
    bool is_shared;
};

std::string text_of(const Place& place) {
    constexpr std::array verbs = {"reads", "writes", "adds to"};
    return fmt::format("{} {} bytes of {} memory", verbs[static_cast<std::size_t>(place.access)],
                       place.size, place.is_shared ? "shared" : "global");
}

[[noreturn]] void fail_race(const Place& place, const Stamp& other, const char* verb) {
    order.is_in_kernel = false;
    fail(fmt::format("{} that {} {}, and no barrier is between", text_of(place),
                     name_of_thread(other.thread), verb));
}

void note_read(Cell& cell, const Place& place) {
    const Stamp now = {order.thread, order.time};
    auto& [one, other] = cell.read;
    const bool is_first = one.thread == now.thread || is_ordered_before_now(one, place.is_shared);
    if (is_first && other.thread != now.thread) {
        one = now;
    } else {
        other = now;
    }
}

void check(Cell& cell, const Place& place) {
    const bool is_atomic = place.access == Access::atomic;
    if (!(is_atomic && cell.is_atomic) && !is_ordered_before_now(cell.written, place.is_shared)) {
        fail_race(place, cell.written, "writes");
    }
    if (place.access == Access::read) {
        if (place.is_shared && cell.written.time < order.block) {
            order.is_in_kernel = false;
            fail(text_of(place) + " that its block has not written");
        }
        note_read(cell, place);
        return;
    }
    for (const Stamp& reader : cell.read) {
        if (!is_ordered_before_now(reader, place.is_shared)) {
            fail_race(place, reader, "reads");
        }
    }
    cell.written = {order.thread, order.time};
    cell.is_atomic = is_atomic;
}

bool is_between(std::uintptr_t address, const char& begin, const char& end) {
    return address >= reinterpret_cast<std::uintptr_t>(&begin) &&
           address < reinterpret_cast<std::uintptr_t>(&end);
}

// The distance beyond the nearest of the launch's buffers.
std::string text_of_outside(std::uintptr_t address) {
    std::string nearest = "in no buffer of the launch";
    std::uintptr_t least = 1U << 20U;
    for (std::size_t i = 0; i < allowed_memory().size(); ++i) {
        const auto memory = allowed_memory()[i];
        const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
        const std::uintptr_t end = begin + memory.size();
        const std::uintptr_t distance = address >= end ? address - end : begin - address;
        if (distance < least) {
            least = distance;
            nearest = fmt::format("{} bytes {} of buffer {}, which has {} bytes", distance,
                                  address >= end ? "after the end" : "before the beginning", i,
                                  memory.size());
        }
    }
    return nearest;
}

bool is_in_memory(std::uintptr_t address, std::size_t size) {
    return std::ranges::any_of(allowed_memory(), [&](std::span<const std::byte> memory) {
        const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
        return address >= begin && address + size <= begin + memory.size();
    });
}

void access(const void* at, std::size_t size, Access access) {
    if (!order.is_in_kernel || (at >= order.stack_begin && at < order.stack_end)) {
        return;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    Place place = {address, size, access, false};
    if (!is_in_memory(address, size)) {
        if (access == Access::read && is_between(address, __executable_start, __data_start)) {
            return;
        }
        place.is_shared = is_between(address, __data_start, _end);
        if (!place.is_shared) {
            order.is_in_kernel = false;
            fail(fmt::format("{}, {}", text_of(place), text_of_outside(address)));
        }
    }
    for (std::uintptr_t i = address / granule; i <= (address + size - 1) / granule; ++i) {
        check(cell_of(i * granule), place);
    }
}

}  // namespace

LaunchScope::LaunchScope(std::string kernel, std::vector<std::span<const std::byte>> memory) {
    name_kernel(std::move(kernel));
    allowed_memory() = std::move(memory);
}
LaunchScope::~LaunchScope() {
    name_kernel("a kernel");
    allowed_memory().clear();
}

float add_atomically(float* sum, float value) {
    access(sum, sizeof(float), Access::atomic);
    const float before = *sum;
    *sum = before + value;
    return before;
}

}  // namespace strata::testing

// GCC calls these before an access in code that it compiles with -fsanitize=thread; the names and
// arguments are those of its tsan.def.
using strata::testing::Access;
using strata::testing::access;
#define STRATA_ACCESS(size)                       \
    void __tsan_read##size(void* at) {            \
        access(at, size, Access::read);           \
    }                                             \
    void __tsan_write##size(void* at) {           \
        access(at, size, Access::write);          \
    }                                             \
    void __tsan_unaligned_read##size(void* at) {  \
        access(at, size, Access::read);           \
    }                                             \
    void __tsan_unaligned_write##size(void* at) { \
        access(at, size, Access::write);          \
    }
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit(void*) {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}
STRATA_ACCESS(1)
STRATA_ACCESS(2)
STRATA_ACCESS(4)
STRATA_ACCESS(8)
STRATA_ACCESS(16)
void __tsan_read_range(void* at, long size) {
    access(at, static_cast<std::size_t>(size), Access::read);
}
void __tsan_write_range(void* at, long size) {
    access(at, static_cast<std::size_t>(size), Access::write);
}
// From the shared pointers of the code that launches kernels.
unsigned __tsan_atomic32_fetch_add(volatile void* at, unsigned value, int) {
    return __atomic_fetch_add(static_cast<volatile unsigned*>(at), value, __ATOMIC_ACQ_REL);
}
}

// GCC calls these if -fsanitize=bounds,alignment finds a wrong index or address. The data begin
// with the place in the source.
namespace strata::testing {

namespace {

struct SourcePlace {
    const char* file;
    std::uint32_t line;
    std::uint32_t column;
};

[[noreturn]] void fail_at(const void* data, const std::string& what) {
    const auto& place = *static_cast<const SourcePlace*>(data);
    const std::string sentence = fmt::format("{} at {}:{}", what, place.file, place.line);
    if (!order.is_in_kernel) {
        std::fprintf(stderr, "this program %s\n", sentence.c_str());
        std::abort();
    }
    order.is_in_kernel = false;
    fail(sentence);
}

}  // namespace

}  // namespace strata::testing

extern "C" {
void __ubsan_handle_out_of_bounds_abort(void* data, void* index) {
    const auto number = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(index));
    strata::testing::fail_at(data, fmt::format("uses the index {} beyond an array", number));
}
void __ubsan_handle_type_mismatch_v1_abort(void* data, void* address) {
    const auto low = reinterpret_cast<std::uintptr_t>(address) & 0xffU;
    strata::testing::fail_at(
        data, fmt::format("accesses an address ending in {:#04x} that is not aligned for it", low));
}
}
