// SPDX-License-Identifier: MIT
#include "networks/onnx/file/wire.h"

#include "tests/support/error_message.h"
#include "tests/support/onnx_writer.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

WireFile file_of(const std::string& bytes) {
    return {"m.onnx", std::as_bytes(std::span(bytes))};
}

std::string error_while_reading(const std::string& bytes) {
    const WireFile file = file_of(bytes);
    return error_of([&] {
        WireReader reader(file, file.bytes);
        while (reader.next()) {
        }
    });
}

TEST(Wire, FieldsComeInOrderWithTheirTypes) {
    const auto message = WireWriter().integer(1, -5).text(2, "name").number(3, 0.5f).bytes;
    const WireFile file = file_of(message);
    WireReader reader(file, file.bytes);
    EXPECT_EQ(as_integer(*reader.next()), -5);
    EXPECT_EQ(as_text(*reader.next()), "name");
    EXPECT_EQ(as_float(*reader.next()), 0.5f);
    EXPECT_FALSE(reader.next());
}

TEST(Wire, PackedAndUnpackedNumbersReadAlike) {
    WireWriter packed;
    packed.varint(1).varint(300).varint(static_cast<std::uint64_t>(-1));
    const auto message =
        WireWriter().text(8, packed.bytes).integer(8, 1).integer(8, 300).integer(8, -1).bytes;
    const WireFile file = file_of(message);
    WireReader reader(file, file.bytes);
    std::vector<std::int64_t> numbers;
    while (const auto field = reader.next()) {
        append_integers(*field, numbers);
    }
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 300, -1, 1, 300, -1}));
}

TEST(Wire, OnePackedRunIsAViewAndSeveralAreJoined) {
    const auto message = WireWriter().text(4, "abcdefgh").text(4, "ijkl").number(4, 1.0f).bytes;
    const WireFile file = file_of(message);
    WireReader reader(file, file.bytes);
    WireElements elements;
    elements.append(*reader.next(), 4);
    EXPECT_FALSE(elements.is_joined());
    EXPECT_EQ(elements.bytes().data(), file.bytes.data() + 2);
    elements.append(*reader.next(), 4);
    elements.append(*reader.next(), 4);
    EXPECT_TRUE(elements.is_joined());
    EXPECT_EQ(elements.bytes().size(), 16u);
    EXPECT_EQ(elements.bytes()[11], std::byte{'l'});
}

TEST(Wire, ALengthBeyondTheMessageNamesFileAndByte) {
    EXPECT_EQ(
        error_while_reading(WireWriter().text(1, "abc").key(2, 2).varint(100).bytes + "xy"),
        "'m.onnx' is not a complete ONNX file: at byte 7 a field of 100 bytes begins, but 2 are "
        "left; export or copy it again");
}

TEST(Wire, BrokenEncodingsAreErrors) {
    EXPECT_NE(error_while_reading("\x08\x80"), "no error");  // truncated varint
    EXPECT_NE(error_while_reading("\x08" + std::string(11, '\xFF')), "no error");  // 77 bits
    EXPECT_NE(error_while_reading("\x09"
                                  "1234567"),
              "no error");  // truncated fixed64
    EXPECT_NE(error_while_reading("\x0D"
                                  "123"),
              "no error");                               // truncated fixed32
    EXPECT_NE(error_while_reading("\x0B"), "no error");  // a group
    EXPECT_NE(error_while_reading(WireWriter().key(1, 2).varint(~0ull).bytes), "no error");
}

TEST(Wire, AFieldOfAnotherTypeIsAnError) {
    const auto message = WireWriter().text(1, "abc").bytes;
    const WireFile file = file_of(message);
    const auto field = *WireReader(file, file.bytes).next();
    EXPECT_EQ(error_of([&] { as_integer(field); }),
              "'m.onnx' is not an ONNX file: its field 1 has wire type 2 where ONNX has 0; export "
              "it again");
}

}  // namespace
}  // namespace strata
