// Safetensors files made to do harm: one case for every rule with its exact message, every
// truncation, every flipped bit and thousands of random mutations. Each file is either refused with
// a FileError or satisfies all rules.
#include <gtest/gtest.h>

#include <random>

#include "nn/format/safetensors.h"
#include "nn_test_util.h"

namespace tg::nn {
namespace {

// A file of that header, without padding, and that data.
std::string file_of(std::string_view header, std::string_view data = {}) {
  std::string file;
  for (int shift = 0; shift < 64; shift += 8)
    file.push_back(static_cast<char>(header.size() >> shift & 0xff));
  return file.append(header).append(data);
}

// A file of one tensor "a" with those parts of its entry.
std::string file_of_a(std::string_view entry, std::string_view data = {}) {
  return file_of("{\"a\":{" + std::string(entry) + "}}", data);
}

struct Hostile {
  const char* name;
  std::string bytes;
  std::string problem;
};
class HostileFile : public testing::TestWithParam<Hostile> {};

TEST_P(HostileFile, IsRefusedWithItsReason) {
  EXPECT_EQ(file_error_of([] { parse_safetensors(GetParam().bytes, "m"); }),
            "read_safetensors: \"m\" " + GetParam().problem);
}

const Hostile kHeaders[] = {
    {"Empty", "", "is truncated: it has 0 bytes, the header's length alone takes 8."},
    {"SevenBytes", "1234567", "is truncated: it has 7 bytes, the header's length alone takes 8."},
    {"HeaderBeyondTheFile", file_of("{}").substr(0, 9),
     "is truncated: its header has 2 bytes, but only 1 follow."},
    {"HeaderOfTextLength", "PK34PK34 and more",
     "is no safetensors file: its header would have 3761432921629739856 bytes, more than "
     "100000000."},
    {"HeaderOfAllOnes", "\xff\xff\xff\xff\xff\xff\xff\xff{}",
     "is no safetensors file: its header would have 18446744073709551615 bytes, more than "
     "100000000."},
    {"HeaderEmpty", file_of(""), "is no safetensors file: its header does not begin with {."},
    {"HeaderIsAList", file_of("[]"), "is no safetensors file: its header does not begin with {."},
    {"HeaderBeginsBlank", file_of(" {}"),
     "is no safetensors file: its header does not begin with {."},
    {"HeaderNotUtf8", file_of("{\"a\xff\":1}"), "has a header that is not UTF-8 at byte 11."},
    {"HeaderOverlongUtf8", file_of("{\"\xc0\xaf\":1}"),
     "has a header that is not UTF-8 at byte 10."},
    {"HeaderSurrogate", file_of("{\"\xed\xa0\x80\":1}"),
     "has a header that is not UTF-8 at byte 10."},
    {"HeaderUnfinished", file_of("{\"a\":"), "has a header that is not JSON at byte 13."},
    {"HeaderWithJunk", file_of("{}x"), "has a header that is not JSON at byte 10."},
    {"HeaderTwoObjects", file_of("{}{}"), "has a header that is not JSON at byte 10."},
    {"HeaderHugeNumber", file_of(R"({"a":1e999})"),
     "has a header with a number that is out of range."},
    {"HeaderDeep", file_of(R"({"a":{"shape":[[1]]}})"), "has a header that is nested too deeply."},
    {"HeaderVeryDeep", file_of("{\"a\":" + std::string(100000, '[')),
     "has a header that is nested too deeply."},
    {"DuplicateName",
     file_of(
         R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
     "has the name \"a\" twice in its header."},
    {"DuplicateEscapedName", file_of(R"({"a":{},"\u0061":{}})"),
     "has the name \"a\" twice in its header."},
    {"DuplicateKey", file_of_a(R"("dtype":"U8","dtype":"I8")"),
     "has the name \"dtype\" twice in its header."},
    {"DuplicateMetadata", file_of(R"({"__metadata__":{"k":"1","k":"2"}})"),
     "has the name \"k\" twice in its header."},
    {"MetadataNoObject", file_of(R"({"__metadata__":[]})"), "has metadata that is no object."},
    {"MetadataNoText", file_of(R"({"__metadata__":{"k":1}})"),
     "has metadata that is no text: \"k\"."},
    {"DataWithoutTensors", file_of("{}", "abc"), "has 3 bytes of data, but its tensors end at 0."},
};

const char* const kBad = "has a bad tensor \"a\": ";

const Hostile kEntries[] = {
    {"EntryNoObject", file_of(R"({"a":5})"), std::string(kBad) + "its entry is no object."},
    {"EntryEmpty", file_of_a(""), std::string(kBad) + "its dtype is missing or no text."},
    {"EntryUnknownKey", file_of_a(R"("dtype":"U8","shape":[],"data_offsets":[0,1],"x":1)", "a"),
     std::string(kBad) + "its entry has an unknown key \"x\"."},
    {"DTypeNoText", file_of_a(R"("dtype":8,"shape":[],"data_offsets":[0,1])", "a"),
     std::string(kBad) + "its dtype is missing or no text."},
    {"DTypeUnknown", file_of_a(R"("dtype":"F4","shape":[],"data_offsets":[0,1])", "a"),
     std::string(kBad) + "its dtype \"F4\" is unknown."},
    {"DTypeOurName", file_of_a(R"("dtype":"float32","shape":[],"data_offsets":[0,4])", "abcd"),
     std::string(kBad) + "its dtype \"float32\" is unknown."},
    {"ShapeMissing", file_of_a(R"("dtype":"U8","data_offsets":[0,1])", "a"),
     std::string(kBad) + "its shape is missing or no list."},
    {"ShapeNoList", file_of_a(R"("dtype":"U8","shape":1,"data_offsets":[0,1])", "a"),
     std::string(kBad) + "its shape is missing or no list."},
    {"ShapeNegative", file_of_a(R"("dtype":"U8","shape":[-1],"data_offsets":[0,1])", "a"),
     std::string(kBad) + "its shape has a size that is no count: -1."},
    {"ShapeFraction", file_of_a(R"("dtype":"U8","shape":[1.5],"data_offsets":[0,1])", "a"),
     std::string(kBad) + "its shape has a size that is no count: 1.5."},
    {"ShapeText", file_of_a(R"("dtype":"U8","shape":["1"],"data_offsets":[0,1])", "a"),
     std::string(kBad) + "its shape has a size that is no count: \"1\"."},
    {"ShapeBeyondInt64",
     file_of_a(R"("dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,1])", "a"),
     std::string(kBad) + "its shape has a size that is no count: 9223372036854775808."},
    {"ShapeOverflows",
     file_of_a(R"("dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0])"),
     std::string(kBad) + "its shape [4611686018427387904, 4] overflows."},
    {"ShapeOverflowsToZero",
     file_of_a(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0])"),
     std::string(kBad) + "its shape [4294967296, 4294967296] overflows."},
    {"OffsetsMissing", file_of_a(R"("dtype":"U8","shape":[])", "a"),
     std::string(kBad) + "its data_offsets are missing or no pair of counts."},
    {"OffsetsOne", file_of_a(R"("dtype":"U8","shape":[],"data_offsets":[0])", "a"),
     std::string(kBad) + "its data_offsets are missing or no pair of counts."},
    {"OffsetsThree", file_of_a(R"("dtype":"U8","shape":[],"data_offsets":[0,1,1])", "a"),
     std::string(kBad) + "its data_offsets are missing or no pair of counts."},
    {"OffsetsNegative", file_of_a(R"("dtype":"U8","shape":[],"data_offsets":[-1,0])", "a"),
     std::string(kBad) + "its data_offsets are missing or no pair of counts."},
    {"OffsetsObject", file_of_a(R"("dtype":"U8","shape":[],"data_offsets":{"0":0,"1":1})", "a"),
     std::string(kBad) + "its data_offsets are missing or no pair of counts."},
    {"OffsetsBackwards", file_of_a(R"("dtype":"U8","shape":[1],"data_offsets":[1,0])", "a"),
     std::string(kBad) + "its data_offsets [1, 0] run backwards."},
    {"OffsetsBeyondTheData", file_of_a(R"("dtype":"U8","shape":[2],"data_offsets":[0,2])", "a"),
     std::string(kBad) + "its data_offsets [0, 2] exceed the 1 bytes of data."},
    {"OffsetsFarBeyond",
     file_of_a(
         R"("dtype":"U8","shape":[2],"data_offsets":[18446744073709551613,18446744073709551615])",
         "a"),
     std::string(kBad) + "its data_offsets [18446744073709551613, 18446744073709551615] exceed the "
                         "1 bytes of data."},
    {"SizeDisagreesWithDType",
     file_of_a(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])", "abcd"),
     std::string(kBad) + "F32 [2] needs 8 bytes, its data_offsets hold 4."},
    {"SizeDisagreesForEmpty",
     file_of_a(R"("dtype":"F32","shape":[0],"data_offsets":[0,4])", "abcd"),
     std::string(kBad) + "F32 [0] needs 0 bytes, its data_offsets hold 4."},
};

// Two tensors "a" and "b" of two bytes each at those places.
std::string two(int a, int b, std::string_view data) {
  const auto entry = [](int begin) {
    return R"({"dtype":"U8","shape":[2],"data_offsets":[)" + std::to_string(begin) + "," +
           std::to_string(begin + 2) + "]}";
  };
  return file_of("{\"a\":" + entry(a) + ",\"b\":" + entry(b) + "}", data);
}

const Hostile kLayouts[] = {
    {"SamePlace", two(0, 0, "abcd"),
     "has a bad tensor \"b\": its data begins at 0 within another tensor, which ends at 2."},
    {"Overlap", two(0, 1, "abcd"),
     "has a bad tensor \"b\": its data begins at 1 within another tensor, which ends at 2."},
    {"OverlapInOtherOrder", two(1, 0, "abc"),
     "has a bad tensor \"a\": its data begins at 1 within another tensor, which ends at 2."},
    {"Hole", two(0, 3, "abcde"),
     "has a bad tensor \"b\": its data begins at 3, but the data before it ends at 2."},
    {"HoleAtTheStart", two(1, 3, "abcde"),
     "has a bad tensor \"a\": its data begins at 1, but the data before it ends at 0."},
    {"DataLeftOver", two(0, 2, "abcde"), "has 5 bytes of data, but its tensors end at 4."},
    {"DataMissing", two(0, 2, "abc"),
     "has a bad tensor \"b\": its data_offsets [2, 4] exceed the 3 bytes of data."},
};

const auto kCaseName = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Header, HostileFile, testing::ValuesIn(kHeaders), kCaseName);
INSTANTIATE_TEST_SUITE_P(Entry, HostileFile, testing::ValuesIn(kEntries), kCaseName);
INSTANTIATE_TEST_SUITE_P(Layout, HostileFile, testing::ValuesIn(kLayouts), kCaseName);

TEST(SafeTensorsForeign, FilesInAnyOrderAreAccepted) {
  const SafeTensors read = parse_safetensors(two(2, 0, "abcd"), "m");
  EXPECT_EQ(read.find("a")->bytes, "cd");
  EXPECT_EQ(read.find("b")->bytes, "ab");
  EXPECT_EQ(read.tensors[0].name, "b");
}

TEST(SafeTensorsForeign, TrailingBlanksInTheHeaderAreAccepted) {
  EXPECT_TRUE(parse_safetensors(file_of("{}   \n\t "), "m").tensors.empty());
}

// --- mutations

std::string small_valid_file() {
  const TensorView tensors[] = {
      {"conv.weight", dtypes::float32, {2, 3}, "0123456789abcdefghijklmn"},
      {"conv.bias", dtypes::float16, {3}, "opqrst"},
      {"mask", dtypes::bool_, {2, 1}, std::string_view("\1\0", 2)},
      {"empty", dtypes::int64, {0}, ""}};
  return safetensors_bytes(tensors, {{"format", "tg"}, {"step", "12"}});
}

// Reads; true if accepted. What is accepted must satisfy the format's rules.
bool accepted_and_sound(const std::string& bytes) {
  SafeTensors read;
  try {
    read = parse_safetensors(bytes, "m");
  } catch (const FileError&) {
    return false;
  }
  const char* end = nullptr;
  for (const TensorView& t : read.tensors) {
    int64_t expected = dtype_size(t.dtype);
    for (int64_t size : t.shape) expected *= size;
    EXPECT_EQ(static_cast<int64_t>(t.bytes.size()), expected);
    EXPECT_GE(t.bytes.data(), read.storage->data());
    EXPECT_LE(t.bytes.data() + t.bytes.size(), read.storage->data() + read.storage->size());
    if (end != nullptr) {
      EXPECT_EQ(t.bytes.data(), end);
    }
    end = t.bytes.data() + t.bytes.size();
  }
  return true;
}

TEST(SafeTensorsFuzz, EveryTruncationIsRefused) {
  const std::string whole = small_valid_file();
  ASSERT_TRUE(accepted_and_sound(whole));
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_FALSE(accepted_and_sound(whole.substr(0, size))) << size;
}

TEST(SafeTensorsFuzz, EveryExtensionIsRefused) {
  const std::string whole = small_valid_file();
  for (size_t extra = 1; extra < 20; ++extra)
    ASSERT_FALSE(accepted_and_sound(whole + std::string(extra, '\0')));
}

TEST(SafeTensorsFuzz, EveryFlippedBitIsRefusedOrSound) {
  const std::string whole = small_valid_file();
  size_t refused = 0;
  for (size_t bit = 0; bit < whole.size() * 8; ++bit)
    refused += accepted_and_sound(with_flipped_bit(whole, bit)) ? 0 : 1;
  EXPECT_GT(refused, whole.size() * 8 / 3);
}

// Overwrites, deletes, inserts, or copies a random piece.
std::string mutate(std::string bytes, std::mt19937_64& random) {
  static const std::string kTokens[] = {
      "\"",   "{",        "}",   "[",       "]",   ",",    ":",
      "-",    "9",        "0",   "\\u0000", "1e9", "null", "18446744073709551615",
      "\xff", "\xe2\x82", "F64", "a",       " "};
  const size_t at = random() % bytes.size();
  const size_t length = std::min<size_t>(random() % 12, bytes.size() - at);
  switch (random() % 5) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes.erase(at, length);
      break;
    case 2:
      bytes.insert(at, kTokens[random() % std::size(kTokens)]);
      break;
    case 3:
      bytes.replace(at, length, kTokens[random() % std::size(kTokens)]);
      break;
    default:
      bytes.insert(random() % bytes.size(), bytes.substr(at, length));
      break;
  }
  return bytes;
}

// Sets the length in front so that the header's text is what was mutated, not the border.
std::string with_header_length(std::string bytes, size_t data_size) {
  if (bytes.size() < 8 + data_size) return bytes;
  const uint64_t length = bytes.size() - 8 - data_size;
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return bytes;
}

class SafeTensorsMutation : public testing::TestWithParam<uint64_t> {};

TEST_P(SafeTensorsMutation, ThousandRandomMutationsAreRefusedOrSound) {
  SCOPED_TRACE(GetParam());
  std::mt19937_64 random(GetParam());
  const std::string whole = small_valid_file();
  constexpr size_t kDataSize = 32;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = mutate(whole, random);
    while (random() % 3 == 0 && !bytes.empty()) bytes = mutate(bytes, random);
    if (random() % 2 == 0) bytes = with_header_length(bytes, kDataSize);
    accepted_and_sound(bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SafeTensorsMutation, testing::Range<uint64_t>(1, 13));

}  // namespace
}  // namespace tg::nn
