// Writing and reading back safetensors: the exact bytes, every dtype, layout and alignment,
// metadata, files, and what the writer refuses. Hostile files are in safetensors_hostile_test.cpp.
#include "nn/format/safetensors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

#include "nn_test_util.h"
#include "support/file.h"

namespace tg::nn {
namespace {

std::vector<DType> stored_dtypes() {
  std::vector<DType> out;
  for (int i = 0; i < kNumDTypes; ++i)
    if (!safetensors_dtype_name(static_cast<DType>(i)).empty())
      out.push_back(static_cast<DType>(i));
  return out;
}

uint64_t header_length(std::string_view file) {
  uint64_t length = 0;
  for (size_t i = 8; i-- > 0;) length = length << 8 | static_cast<uint8_t>(file[i]);
  return length;
}

TEST(SafeTensorsWrite, GivesExactlyTheseBytes) {
  const TensorView t = {"a", dtypes::uint8, {2}, "xy"};
  const std::string header = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  const std::string length = {static_cast<char>(padded.size()), 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(safetensors_bytes({&t, 1}), length + padded + "xy");
}

TEST(SafeTensorsWrite, GivesAnEmptyObjectForNoTensors) {
  EXPECT_EQ(safetensors_bytes({}), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
}

TEST(SafeTensorsWrite, PadsTheHeaderToEight) {
  for (size_t n = 1; n <= 9; ++n) {
    const TensorView t = {std::string(n, 'n'), dtypes::uint8, {}, "x"};
    EXPECT_EQ(header_length(safetensors_bytes({&t, 1})) % 8, 0u) << n;
  }
}

TEST(SafeTensorsWrite, PutsWideElementsFirstThenSortsByName) {
  const TensorView tensors[] = {{"z", dtypes::uint8, {1}, "z"},
                                {"b", dtypes::float32, {1}, "bbbb"},
                                {"a", dtypes::float32, {1}, "aaaa"},
                                {"w", dtypes::float64, {1}, "wwwwwwww"},
                                {"h", dtypes::float16, {1}, "hh"}};
  const std::string bytes = safetensors_bytes(tensors);
  EXPECT_EQ(bytes.substr(8 + header_length(bytes)), "wwwwwwwwaaaabbbbhhz");
}

TEST(SafeTensorsWrite, DoesNotDependOnTheOrderGiven) {
  const TensorView a = {"a", dtypes::int32, {1}, "aaaa"};
  const TensorView b = {"b", dtypes::int32, {1}, "bbbb"};
  const TensorView ab[] = {a, b}, ba[] = {b, a};
  EXPECT_EQ(safetensors_bytes(ab), safetensors_bytes(ba));
}

class SafeTensorsDType : public testing::TestWithParam<DType> {};

TEST_P(SafeTensorsDType, ReadsBack) {
  const std::string data = sample_text(static_cast<size_t>(6 * dtype_size(GetParam())));
  const TensorView t = {"layer.weight", GetParam(), {2, 3}, data};
  const SafeTensors read = parse_safetensors(safetensors_bytes({&t, 1}), "x");
  ASSERT_EQ(read.tensors.size(), 1u);
  EXPECT_EQ(read.tensors[0].name, "layer.weight");
  EXPECT_EQ(read.tensors[0].dtype, GetParam());
  EXPECT_EQ(read.tensors[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(read.tensors[0].bytes, data);
}

TEST_P(SafeTensorsDType, IsAlignedInTheFile) {
  const std::string data = sample_text(static_cast<size_t>(3 * dtype_size(GetParam())));
  const TensorView tensors[] = {{"a", dtypes::uint8, {5}, "01234"},
                                {"m", GetParam(), {3}, data},
                                {"z", dtypes::float16, {1}, "hh"}};
  const SafeTensors read = parse_safetensors(safetensors_bytes(tensors), "x");
  const auto offset = read.find("m")->bytes.data() - read.storage->data();
  EXPECT_EQ(offset % dtype_size(GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(Stored, SafeTensorsDType, testing::ValuesIn(stored_dtypes()),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

TEST(SafeTensorsNames, AreThoseOfTheFormat) {
  EXPECT_EQ(stored_dtypes().size(), 15u);
  EXPECT_EQ(safetensors_dtype_name(dtypes::bool_), "BOOL");
  EXPECT_EQ(safetensors_dtype_name(dtypes::int8), "I8");
  EXPECT_EQ(safetensors_dtype_name(dtypes::uint64), "U64");
  EXPECT_EQ(safetensors_dtype_name(dtypes::fp8e4m3), "F8_E4M3");
  EXPECT_EQ(safetensors_dtype_name(dtypes::fp8e5m2), "F8_E5M2");
  EXPECT_EQ(safetensors_dtype_name(dtypes::float16), "F16");
  EXPECT_EQ(safetensors_dtype_name(dtypes::bfloat16), "BF16");
  EXPECT_EQ(safetensors_dtype_name(dtypes::float32), "F32");
  EXPECT_EQ(safetensors_dtype_name(dtypes::float64), "F64");
  EXPECT_EQ(safetensors_dtype_name(dtypes::fp8e4m3fnuz), "");
  EXPECT_EQ(safetensors_dtype_name(DType::Index), "");
}

TEST(SafeTensorsRead, KeepsScalarsAndEmptyTensors) {
  const TensorView tensors[] = {{"scalar", dtypes::float32, {}, "abcd"},
                                {"empty", dtypes::float32, {0, 7}, ""},
                                {"none", dtypes::uint8, {0}, ""}};
  const SafeTensors read = parse_safetensors(safetensors_bytes(tensors), "x");
  ASSERT_EQ(read.tensors.size(), 3u);
  EXPECT_TRUE(read.find("scalar")->shape.empty());
  EXPECT_EQ(read.find("scalar")->bytes, "abcd");
  EXPECT_EQ(read.find("empty")->shape, (std::vector<int64_t>{0, 7}));
  EXPECT_TRUE(read.find("none")->bytes.empty());
}

TEST(SafeTensorsRead, FindsByNameOnly) {
  const TensorView t = {"a", dtypes::uint8, {1}, "x"};
  const SafeTensors read = parse_safetensors(safetensors_bytes({&t, 1}), "x");
  EXPECT_NE(read.find("a"), nullptr);
  EXPECT_EQ(read.find("b"), nullptr);
  EXPECT_EQ(read.find(""), nullptr);
}

TEST(SafeTensorsRead, KeepsMetadata) {
  const SafeTensorsMetadata metadata = {
      {"format", "tg"}, {"note", "a \"quoted\" line\n"}, {"empty", ""}};
  EXPECT_EQ(parse_safetensors(safetensors_bytes({}, metadata), "x").metadata, metadata);
}

TEST(SafeTensorsRead, KeepsNamesThatNeedEscapes) {
  for (const char* name : {"", "with \"quotes\"", "back\\slash", "tab\t", "naïve", "層.重み",
                           "\xf0\x9f\x99\x82", "a/b.c-d"}) {
    const TensorView t = {name, dtypes::uint8, {1}, "x"};
    EXPECT_NE(parse_safetensors(safetensors_bytes({&t, 1}), "x").find(name), nullptr) << name;
  }
}

TEST(SafeTensorsRead, LetsCopiesShareTheBytes) {
  const TensorView t = {"a", dtypes::uint8, {3}, "xyz"};
  SafeTensors copy;
  {
    const SafeTensors read = parse_safetensors(safetensors_bytes({&t, 1}), "x");
    copy = read;
  }
  EXPECT_EQ(copy.find("a")->bytes, "xyz");
}

TEST(SafeTensorsFile, WritesAndReadsBackAMegabyte) {
  const TempDir folder;
  const std::string data = sample_text(1 << 20);
  const TensorView tensors[] = {{"big", dtypes::float32, {512, 512}, data},
                                {"b", dtypes::int64, {1}, "12345678"}};
  write_safetensors(folder.path() / "m.safetensors", tensors, {{"k", "v"}});
  const SafeTensors read = read_safetensors(folder.path() / "m.safetensors");
  EXPECT_EQ(read.find("big")->bytes, data);
  EXPECT_EQ(read.find("b")->bytes, "12345678");
  EXPECT_EQ(read.metadata.at("k"), "v");
}

TEST(SafeTensorsFile, LeavesTheOldFileWhenTheNewOneIsRefused) {
  const TempDir folder;
  const auto path = folder.path() / "m.safetensors";
  const TensorView good = {"a", dtypes::uint8, {1}, "x"}, bad = {"a", dtypes::uint8, {2}, "x"};
  write_safetensors(path, {&good, 1});
  EXPECT_THROW(write_safetensors(path, {&bad, 1}), ArgumentError);
  EXPECT_EQ(read_safetensors(path).find("a")->bytes, "x");
}

TEST(SafeTensorsFile, LeavesNothingElseInTheFolder) {
  const TempDir folder;
  const TensorView t = {"a", dtypes::uint8, {1}, "x"};
  write_safetensors(folder.path() / "m.safetensors", {&t, 1});
  write_safetensors(folder.path() / "m.safetensors", {&t, 1});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(SafeTensorsFile, NamesAFolderThatIsNotThere) {
  const TensorView t = {"a", dtypes::uint8, {1}, "x"};
  EXPECT_EQ(file_error_of([&] { write_safetensors("/nowhere/m.safetensors", {&t, 1}); }),
            "write_file: cannot write \"/nowhere/m.safetensors\": No such file or directory.");
  EXPECT_EQ(file_error_of([] { read_safetensors("/nowhere/m.safetensors"); }),
            "read_file: cannot read \"/nowhere/m.safetensors\": No such file or directory.");
}

template <typename E = ArgumentError>
std::string refusal(const TensorView& t) {
  return message_of<E>([&] { safetensors_bytes({&t, 1}); });
}

TEST(SafeTensorsRefuses, BytesThatDoNotMatchTheShape) {
  EXPECT_EQ(refusal({"w", dtypes::float32, {2, 3}, "abcd"}),
            "write_safetensors: tensor \"w\" has 4 bytes, but float32 [2, 3] needs 24.");
}

TEST(SafeTensorsRefuses, NegativeSizes) {
  EXPECT_EQ(refusal({"w", dtypes::uint8, {2, -1}, ""}),
            "write_safetensors: tensor \"w\" has a negative size: [2, -1].");
}

TEST(SafeTensorsRefuses, ShapesThatOverflow) {
  EXPECT_EQ(refusal({"w", dtypes::float32, {int64_t{1} << 40, int64_t{1} << 40}, ""}),
            "write_safetensors: tensor \"w\" is too large: [1099511627776, 1099511627776].");
}

TEST(SafeTensorsRefuses, NamesThatAreReservedOrNotUtf8) {
  EXPECT_EQ(
      refusal({"__metadata__", dtypes::uint8, {1}, "x"}),
      "write_safetensors: tensor \"__metadata__\" has the name that is reserved for metadata.");
  EXPECT_EQ(refusal({"ab\xff", dtypes::uint8, {1}, "x"}),
            "write_safetensors: tensor \"ab\" has a name that is not UTF-8 at byte 2.");
}

TEST(SafeTensorsRefuses, TheSameNameTwice) {
  const TensorView tensors[] = {{"a", dtypes::uint8, {1}, "x"}, {"a", dtypes::int8, {1}, "y"}};
  EXPECT_EQ(message_of<ArgumentError>([&] { safetensors_bytes(tensors); }),
            "write_safetensors: tensor \"a\" is given twice.");
}

TEST(SafeTensorsRefuses, DTypesWithoutAName) {
  EXPECT_EQ(
      refusal<DTypeError>({"a", dtypes::fp8e4m3fnuz, {1}, "x"}),
      "write_safetensors: tensor \"a\" has dtype fp8e4m3fnuz, for which the format has no name.");
  EXPECT_EQ(refusal<DTypeError>({"a", DType::Void, {1}, ""}),
            "write_safetensors: tensor \"a\" has dtype void, for which the format has no name.");
}

TEST(SafeTensorsRefuses, MetadataThatIsNotUtf8) {
  EXPECT_EQ(message_of<ArgumentError>([] { safetensors_bytes({}, {{"k", "\xc0\x80"}}); }),
            "write_safetensors: metadata must be UTF-8.");
}

}  // namespace
}  // namespace tg::nn
