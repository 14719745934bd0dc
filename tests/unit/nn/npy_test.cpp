// Headers of NumPy's files: what numpy.save writes, what it reads, and what is refused.
#include "nn/format/npy.h"

#include <gtest/gtest.h>

#include "file_builders.h"
#include "nn_test_util.h"

namespace tg::nn {
namespace {

std::string file(const std::string& header, const std::string& data) {
  return "\x93NUMPY" + std::string("\1\0", 2) + bytes_le(header.size(), 2) + header + data;
}
NpyArray read_bytes(const std::string& bytes) { return read_npy(ByteSource::view(bytes, "x.npy")); }
std::string npy_error(const std::string& bytes) {
  return file_error_of([&] { read_bytes(bytes); });
}
const std::string kHeader = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }  \n";

TEST(Npy, HeadersAreRead) {
  const NpyArray a = read_bytes(file(kHeader, std::string(12, 'x')));
  EXPECT_EQ(a.dtype, DType::Int16);
  EXPECT_EQ(a.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_FALSE(a.fortran || a.swapped);
  const NpyArray b = read_bytes(
      file("{\"shape\":(3L,),'fortran_order':True,'descr':'>f8'}", std::string(24, 'x')));
  EXPECT_TRUE(b.fortran && b.swapped);
  EXPECT_EQ(b.shape, (std::vector<int64_t>{3}));
  EXPECT_TRUE(
      read_bytes(file("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", "x")).shape.empty());
}

TEST(Npy, VersionsWithLongHeadersAreRead) {
  std::string f = "\x93NUMPY" + std::string("\3\0", 2) + bytes_le(kHeader.size(), 4) + kHeader;
  EXPECT_EQ(read_bytes(f + std::string(12, 'x')).bytes, 12u);
  f[6] = 4;
  EXPECT_EQ(npy_error(f), "read_npy: \"x.npy\" has version 4, which is not read.");
}

TEST(Npy, WrittenFilesAreAlignedAndReadAgain) {
  for (const DType t : {DType::Bool, DType::UInt64, DType::Float16, DType::Float64}) {
    const std::string data(static_cast<size_t>(6 * dtype_size(t)), '\1');
    const std::string f = npy_bytes(data, t, {2, 3});
    const NpyArray a = read_bytes(f);
    EXPECT_EQ(a.begin % 64, 0u);
    EXPECT_EQ(a.dtype, t);
    EXPECT_EQ(read_npy_data(ByteSource::view(f, "x"), a), data);
  }
  EXPECT_EQ(message_of<DTypeError>([] { npy_bytes("", DType::BFloat16, {0}); }),
            "write_npy: NumPy has no type for bfloat16. Hint: cast to float32, or write "
            "safetensors.");
}

TEST(Npy, BytesOfOtherMachinesAreTurnedRound) {
  const std::string f =
      file("{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", std::string("\0\1\2\3", 4));
  EXPECT_EQ(read_npy_data(ByteSource::view(f, "x"), read_bytes(f)), std::string("\1\0\3\2", 4));
}

TEST(Npy, WhatIsNotReadIsNamed) {
  EXPECT_EQ(npy_error(file("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "x")),
            "read_npy: \"x.npy\" has elements of type \"|O\", which are not read.");
  EXPECT_EQ(
      npy_error(file("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", "x")),
      "read_npy: \"x.npy\" has elements of several fields, which are not read.");
}

TEST(Npy, DamageIsNamed) {
  EXPECT_EQ(npy_error("hello, world"),
            "read_npy: \"x.npy\" is no file of NumPy: it does not begin as one.");
  EXPECT_EQ(npy_error(file(kHeader, std::string(11, 'x'))),
            "read_npy: \"x.npy\" is truncated: int16 [2, 3] does not take the 11 bytes behind its "
            "header.");
  EXPECT_EQ(npy_error(file(kHeader, std::string(13, 'x'))),
            "read_npy: \"x.npy\" is too long: int16 [2, 3] does not take the 13 bytes behind its "
            "header.");
  for (const char* header :
       {"", "{", "{}", "{'descr': '<i2'}", "{'descr': '<i2', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2, -3)}",
        "{'descr': '<i2', 'fortran_order': No, 'shape': ()}", "{'x': '<i2'}", "{'descr: 2}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': ()} x",
        "{'descr': '<i2', 'descr': '<i2', 'shape': ()}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (9223372036854775807, 4)}"})
    EXPECT_NE(npy_error(file(header, "xx")), "nothing was thrown") << header;
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string f = file(kHeader, std::string(12, 'x'));
  for (size_t size = 0; size < f.size(); ++size)
    EXPECT_NE(npy_error(f.substr(0, size)), "nothing was thrown") << size;
}

}  // namespace
}  // namespace tg::nn
