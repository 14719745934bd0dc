// GGUF files: every type of fact, places of tensors, and headers that lie.
#include "nn/format/gguf.h"

#include <gtest/gtest.h>

#include "file_builders.h"
#include "nn_test_util.h"

namespace tg::nn {
namespace {

GgufFile parse(const std::string& bytes) { return parse_gguf(ByteSource::view(bytes, "x.gguf")); }
std::string gguf_error(const std::string& bytes) {
  return file_error_of([&] { parse(bytes); });
}
std::string fact(uint32_t type, const std::string& value) { return bytes_le(type, 4) + value; }
std::string list(uint32_t type, uint64_t count, const std::string& values) {
  return fact(9, bytes_le(type, 4) + bytes_le(count, 8) + values);
}

TEST(Gguf, FactsKeepTheirTypes) {
  const GgufFile f = parse(gguf({{"u8", fact(0, "\xff")},
                                 {"i8", fact(1, "\xff")},
                                 {"u16", fact(2, "\xff\xff")},
                                 {"i16", fact(3, "\xff\xff")},
                                 {"u32", fact(4, "\xff\xff\xff\xff")},
                                 {"i32", fact(5, "\xff\xff\xff\xff")},
                                 {"f32", fact(6, raw<float>({0.5F}))},
                                 {"bool", fact(7, "\1")},
                                 {"text", fact(8, gguf_text("hi"))},
                                 {"u64", fact(10, bytes_le(UINT64_MAX, 8))},
                                 {"i64", fact(11, bytes_le(UINT64_MAX, 8))},
                                 {"f64", fact(12, raw<double>({0.25}))},
                                 {"texts", list(8, 2, gguf_text("a") + gguf_text("b"))},
                                 {"lists", list(9, 1, bytes_le(1, 4) + bytes_le(2, 8) + "\xff\1")}},
                                {}));
  EXPECT_EQ(f.facts.at("u8").as_int(), 255);
  EXPECT_EQ(f.facts.at("i8").as_int(), -1);
  EXPECT_EQ(f.facts.at("u16").as_int(), 65535);
  EXPECT_EQ(f.facts.at("i16").as_int(), -1);
  EXPECT_EQ(f.facts.at("u32").as_int(), 4294967295);
  EXPECT_EQ(f.facts.at("i32").as_int(), -1);
  EXPECT_EQ(f.facts.at("f32").as_float(), 0.5);
  EXPECT_TRUE(f.facts.at("bool").as_bool());
  EXPECT_EQ(f.facts.at("text").as_text(), "hi");
  EXPECT_EQ(f.facts.at("u64"), (Fact{UINT64_MAX}));
  EXPECT_EQ(f.facts.at("i64").as_int(), -1);
  EXPECT_EQ(f.facts.at("f64").as_float(), 0.25);
  EXPECT_EQ(f.facts.at("texts"), (Fact{Fact::List{{std::string("a")}, {std::string("b")}}}));
  EXPECT_EQ(f.facts.at("lists").as_list()[0].as_list()[1].as_int(), 1);
  EXPECT_EQ(argument_error_of([&] { f.facts.at("text").as_int(); }),
            "as_int: the fact is a text, not a whole number.");
}

TEST(Gguf, TensorsLieAtTheirAlignedPlaces) {
  for (const size_t step : {32, 64}) {
    const std::string bytes = gguf(
        {{"general.alignment", fact(4, bytes_le(step, 4))}},
        {{"a", {3, 2}, 0, std::string(24, 'x')}, {"b", {32}, 8, std::string(34, 'y')}}, 2, step);
    const GgufFile f = parse(bytes);
    ASSERT_EQ(f.tensors.size(), 2u);
    EXPECT_EQ(f.tensors[0].shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(bytes.substr(f.tensors[0].begin, f.tensors[0].bytes), std::string(24, 'x'));
    EXPECT_EQ(bytes.substr(f.tensors[1].begin, f.tensors[1].bytes), std::string(34, 'y'));
    EXPECT_EQ(f.tensors[1].begin % step, 0u);
  }
}

TEST(Gguf, DamageIsNamed) {
  EXPECT_EQ(gguf_error("GGML1234"),
            "read_gguf: \"x.gguf\" is no GGUF file: it does not begin as one.");
  EXPECT_EQ(gguf_error("GGUF" + bytes_le(1, 4)),
            "read_gguf: \"x.gguf\" has version 0x1 of GGUF, only 2 and 3 are read.");
  EXPECT_EQ(gguf_error("GGUF" + bytes_le(3, 4) + bytes_le(0, 8) + bytes_le(1ULL << 60, 8)),
            "read_gguf: \"x.gguf\" is truncated: 8 bytes are needed at 24, 0 are left.");
  EXPECT_EQ(gguf_error(gguf({{"a", list(0, 1ULL << 60, "")}}, {})),
            "read_gguf: \"x.gguf\" is truncated: a list of 1152921504606846976 elements begins at "
            "49 of 64.");
  EXPECT_EQ(gguf_error(gguf({{"a", fact(77, "")}}, {})),
            "read_gguf: \"x.gguf\" has a fact of type 77 before byte 37.");
  EXPECT_EQ(gguf_error(gguf({{"a", fact(7, "\1")}, {"a", fact(7, "\1")}}, {})),
            "read_gguf: \"x.gguf\" has the fact \"a\" twice.");
  EXPECT_EQ(gguf_error(gguf({}, {{"w", {256}, 16, std::string(66, 'x')}})),
            "read_gguf: \"x.gguf\" has a bad tensor \"w\": GGML type '16' is not supported!.");
  EXPECT_EQ(gguf_error(gguf({}, {{"w", {16, 2}, 8, std::string(34, 'x')}})),
            "read_gguf: \"x.gguf\" has a tensor \"w\" of shape [2, 16], whose rows are no whole "
            "blocks of 32 elements of Q8_0.");
  EXPECT_EQ(gguf_error(gguf({}, {{"w", {4}, 0, "short"}})),
            "read_gguf: \"x.gguf\" is truncated: the tensor \"w\" of 16 bytes begins at 64 of 69.");
  EXPECT_EQ(gguf_error(gguf({}, {{"w", {1ULL << 40, 1ULL << 40}, 0, ""}})),
            "read_gguf: \"x.gguf\" has a tensor \"w\" whose size overflows.");
  EXPECT_EQ(gguf_error(gguf({{"general.alignment", fact(4, bytes_le(0, 4))}}, {})),
            "read_gguf: \"x.gguf\" has an alignment that is no number from 1 on.");
}

TEST(Gguf, ListsAreNotNestedWithoutEnd) {
  std::string nested;
  for (int i = 0; i < 50; ++i) nested += bytes_le(9, 4) + bytes_le(1, 8);
  EXPECT_EQ(gguf_error(gguf({{"a", fact(9, nested)}}, {})),
            "read_gguf: \"x.gguf\" has lists more than 8 deep.");
}

TEST(Gguf, TensorsThatShareBytesAreRefused) {
  std::string bytes =
      gguf({}, {{"a", {8}, 0, std::string(32, 'x')}, {"b", {8}, 0, std::string(32, 'y')}});
  const size_t place = bytes.find("b") + 1 + 4 + 8 + 4;
  bytes[place] = 4;
  EXPECT_EQ(gguf_error(bytes),
            "read_gguf: \"x.gguf\" has a tensor \"b\" that begins at 100 within \"a\".");
}

TEST(Gguf, EveryTruncationIsAnErrorAndDamageHarmless) {
  const std::string bytes =
      gguf({{"n", list(8, 1, gguf_text("abc"))}}, {{"w", {32}, 8, std::string(34, 'x')}});
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(gguf_error(bytes.substr(0, size)), "nothing was thrown") << size;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) gguf_error(with_flipped_bit(bytes, bit));
}

}  // namespace
}  // namespace tg::nn
