// Pictures are read and resized as PIL does (tests/reference/vision, made by make_vision.py there);
// what is written is read again; damaged files are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

#include "support/file.h"
#include "tg/error.h"
#include "tg/models/image.h"
#include "tg/models/image_classifier.h"
#include "tg/state.h"
#include "unit/frontend/vision/formula.h"

namespace tg::images {
namespace {

namespace fs = std::filesystem;
using models::vision_reference;
using testing::EndsWith;
using testing::HasSubstr;

nn::StateDict reference() { return nn::load(vision_reference() / "pictures.safetensors"); }

int largest_difference(const Tensor& got, const Tensor& wanted) {
  EXPECT_EQ(got.shape(), wanted.shape());
  EXPECT_EQ(got.dtype(), DType::UInt8);
  const auto a = got.to_vector<int>(), b = wanted.to_vector<int>();
  int worst = a.size() == b.size() ? 0 : 256;
  for (size_t i = 0; i < a.size() && worst < 256; ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// ---- reading

std::vector<std::string> files_of(std::string_view ending) {
  std::vector<std::string> out;
  for (const auto& e : fs::directory_iterator(vision_reference()))
    if (e.path().extension() == ending) out.push_back(e.path().filename().string());
  std::ranges::sort(out);
  return out;
}

TEST(Pictures, OfPngAreThoseOfPil) {
  const auto files = files_of(".png");
  EXPECT_GE(files.size(), 10U);
  const nn::StateDict wanted = reference();
  for (const std::string& file : files)
    EXPECT_EQ(largest_difference(read(vision_reference() / file), wanted.at(file)), 0) << file;
}

TEST(Pictures, OfJpegAreThoseOfPil) {
  const auto files = files_of(".jpg");
  EXPECT_GE(files.size(), 5U);
  const nn::StateDict wanted = reference();
  for (const std::string& file : files)
    EXPECT_LE(largest_difference(read(vision_reference() / file), wanted.at(file)), 1) << file;
}

// ---- the way that a picture was held

std::string number(uint32_t value, int size, bool big_endian) {
  std::string out;
  for (int i = 0; i < size; ++i) {
    const int byte = big_endian ? size - 1 - i : i;
    out += static_cast<char>(value >> 8 * byte & 0xFF);
  }
  return out;
}

// EXIF data as a camera writes it: its maker, then the orientation.
std::string exif(uint32_t orientation, bool big_endian) {
  const auto n = [=](uint32_t value, int size) { return number(value, size, big_endian); };
  std::string out = (big_endian ? "MM" : "II") + n(42, 2) + n(8, 4) + n(2, 2);
  out += n(0x010F, 2) + n(2, 2) + n(4, 4) + "tg.";
  out += std::string(1, '\0');
  out += n(0x0112, 2) + n(3, 2) + n(1, 4) + n(orientation, 2) + n(0, 2);
  return out + n(0, 4);
}

std::string jpeg_with(const std::string& exif_data) {
  std::string bytes = read_file(vision_reference() / "baseline.jpg");
  const std::string start("Exif\0\0", 6);
  const auto size = static_cast<uint32_t>(2 + start.size() + exif_data.size());
  return bytes.insert(2, "\xFF\xE1" + number(size, 2, true) + start + exif_data);
}

std::string png_with(const std::string& exif_data) {
  std::string bytes = read_file(vision_reference() / "rgb.png");
  const std::string chunk = "eXIf" + exif_data;
  const auto check = static_cast<uint32_t>(crc32(
      0, reinterpret_cast<const unsigned char*>(chunk.data()), static_cast<uInt>(chunk.size())));
  constexpr size_t kBehindHeader = 8 + 25;
  return bytes.insert(kBehindHeader, number(static_cast<uint32_t>(exif_data.size()), 4, true) +
                                         chunk + number(check, 4, true));
}

Tensor picture_in(const std::string& bytes, bool upright = true) {
  return decode(std::as_bytes(std::span(bytes)), {.upright = upright});
}

// What EXIF's numbers ask for, in flips and exchanged axes.
Tensor turned(const Tensor& picture, uint32_t orientation) {
  const Tensor across = picture.permute({1, 0, 2});
  switch (orientation) {
    case 2:
      return picture.flip({1});
    case 3:
      return picture.flip({0, 1});
    case 4:
      return picture.flip({0});
    case 5:
      return across;
    case 6:
      return across.flip({1});
    case 7:
      return across.flip({0, 1});
    case 8:
      return across.flip({0});
    default:
      return picture;
  }
}

TEST(Orientations, AreThoseOfExif) {
  for (const bool big_endian : {false, true}) {
    for (uint32_t orientation = 0; orientation <= 9; ++orientation) {
      const std::string data = exif(orientation, big_endian);
      for (const auto& [name, bytes] :
           {std::pair{"baseline.jpg", jpeg_with(data)}, std::pair{"rgb.png", png_with(data)}}) {
        const Tensor stored = read(vision_reference() / name);
        EXPECT_EQ(largest_difference(picture_in(bytes), turned(stored, orientation)), 0)
            << name << " " << orientation;
        EXPECT_EQ(largest_difference(picture_in(bytes, false), stored), 0) << name;
      }
    }
  }
}

TEST(Orientations, OfDamagedExifAreIgnored) {
  const Tensor stored = read(vision_reference() / "baseline.jpg");
  const std::string good = exif(6, true);
  const auto as_stored = [&](const std::string& data) {
    const Tensor got = picture_in(jpeg_with(data));
    return got.shape() == stored.shape() && largest_difference(got, stored) == 0;
  };
  EXPECT_FALSE(as_stored(good));
  for (size_t size = 0; size < 32; ++size) EXPECT_TRUE(as_stored(good.substr(0, size))) << size;
  // Byte order, number of the form, place of the entries, their count, tag, type, value.
  for (const size_t at : {0U, 1U, 3U, 4U, 7U, 22U, 23U, 25U, 30U}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    EXPECT_TRUE(as_stored(bad)) << at;
  }
}

// ---- changing

TEST(Pictures, AreResizedAsByPil) {
  const nn::StateDict all = reference();
  const Tensor large = all.at("large");
  int cases = 0;
  for (const auto& [name, wanted] : all) {
    if (!name.starts_with("bi")) continue;
    const Filter filter = name.starts_with("bilinear/") ? Filter::Bilinear : Filter::Bicubic;
    EXPECT_EQ(largest_difference(resize(large, wanted.size(0), wanted.size(1), filter), wanted), 0)
        << name;
    ++cases;
  }
  EXPECT_EQ(cases, 10);
}

TEST(Pictures, ArePreparedAsByTorchvision) {
  const models::ImagePreprocessing usual;
  for (const int64_t size : {32, 33}) {
    const Tensor cut = center_crop(resize_shorter_side(reference().at("large"), 40), size, size);
    const auto got = normalized(cut, usual.mean, usual.std).to_vector<float>();
    const auto wanted = reference().at("preprocessed/" + std::to_string(size)).to_vector<float>();
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 1e-6) << i;
  }
}

// ---- writing

TEST(Pictures, AreWrittenAndReadAgain) {
  const TempDir folder("pictures");
  const Tensor large = reference().at("large");
  write_png(large, folder.path() / "large.png");
  EXPECT_EQ(largest_difference(read(folder.path() / "large.png"), large), 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(Pictures, OfFloatsAreClipped) {
  const Tensor shares(std::vector<float>{-1, 0, 0.5F, 1, 7, NAN}, {2, 3});
  const std::string bytes = encode_png(shares);
  const Tensor got = decode(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(got.shape(), (Shape{2, 3, 3}));
  EXPECT_EQ(got.to_vector<int>(), (std::vector<int>{0, 0, 0, 0, 0, 0, 128, 128, 128, 255, 255, 255,
                                                    255, 255, 255, 0, 0, 0}));
}

TEST(Pictures, StandInAGrid) {
  const Tensor three = Tensor::arange(1 + 3 * 2).shrink({{1, 7}}).reshape({3, 1, 1, 2});
  const Tensor got = grid(three, {.columns = 2, .gap = 1});
  EXPECT_EQ(got.shape(), (Shape{5, 7, 1}));
  EXPECT_EQ(got.to_vector<int>(),
            (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 3, 4, 0, 0, 0, 0, 0,
                              0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(grid(Tensor::ones({5, 3, 4, 4})).shape(), (Shape{2 * 6 + 2, 3 * 6 + 2, 3}));
}

// ---- mistakes

template <typename F>
std::string refused(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(dynamic_cast<const InternalError*>(&e), nullptr) << e.what();
    return e.what();
  }
  return {};
}

std::string refused_bytes(const std::string& bytes, uint64_t most_pixels = 1 << 20) {
  return refused([&] {
    decode(std::as_bytes(std::span(bytes)), {.most_pixels = most_pixels}, "x").realize();
  });
}

TEST(WrongPictures, AreOfAnotherKind) {
  EXPECT_EQ(refused_bytes(""), "images::decode: \"x\" is neither PNG nor JPEG.");
  EXPECT_EQ(refused_bytes("GIF89a"), "images::decode: \"x\" is neither PNG nor JPEG.");
  EXPECT_THAT(refused([] { read("nowhere.png"); }), HasSubstr("images::read: \"nowhere.png\""));
}

TEST(WrongPictures, AreCutOff) {
  for (const char* name : {"rgb.png", "interlaced.png", "baseline.jpg", "progressive.jpg"}) {
    const std::string bytes = read_file(vision_reference() / name);
    EXPECT_EQ(refused_bytes(bytes), "") << name;
    for (const size_t left : {size_t{9}, size_t{40}, bytes.size() / 2, bytes.size() - 20})
      EXPECT_THAT(refused_bytes(bytes.substr(0, left)), HasSubstr("\"x\" is damaged: ")) << name;
  }
}

TEST(WrongPictures, HaveBytesThatWereChanged) {
  for (const char* name : {"palette.png", "sixteen_bits.png", "cmyk.jpg", "progressive.jpg"}) {
    const std::string good = read_file(vision_reference() / name);
    int wrong = 0;
    for (size_t i = 8; i < good.size(); i += 7) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ 0x5A);
      if (!refused_bytes(bytes).empty()) ++wrong;
    }
    EXPECT_GT(wrong, 0) << name;
  }
}

TEST(WrongPictures, AreTooLarge) {
  for (const char* name : {"rgb.png", "baseline.jpg"}) {
    const std::string bytes = read_file(vision_reference() / name);
    EXPECT_EQ(refused_bytes(bytes, 37 * 29), "") << name;
    EXPECT_THAT(refused_bytes(bytes, 37 * 29 - 1),
                EndsWith("has 37 x 29 pixels, of at most 1072."));
  }
}

TEST(WrongPictures, ClaimToBeHuge) {
  std::string bytes = read_file(vision_reference() / "baseline.jpg");
  const size_t frame = bytes.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  for (size_t i = frame + 5; i < frame + 9; ++i) bytes[i] = '\xFF';
  EXPECT_THAT(refused_bytes(bytes), HasSubstr("\"x\" "));
}

TEST(WrongPictures, AreNoPictures) {
  const Tensor floats = Tensor::ones({4, 4, 3});
  EXPECT_THAT(refused([&] { resize(floats, 2, 2); }), EndsWith("a picture is uint8, got float32."));
  EXPECT_THAT(refused([] {
                resize(Tensor::ones({3, 4}), 2, 2);
              }),
              EndsWith("a picture is [height, width, 3], got [3, 4]."));
  const Tensor picture = Tensor::ones({4, 5, 3}, DType::UInt8);
  EXPECT_THAT(refused([&] { resize(picture, 0, 2); }), HasSubstr("a height of 0"));
  EXPECT_THAT(refused([&] { resize(picture, 1 << 20, 1 << 20); }), HasSubstr("1 to 67108864"));
  EXPECT_THAT(refused([&] { resize_shorter_side(picture, INT64_MAX); }), HasSubstr("1 to 671088"));
  EXPECT_THAT(refused([&] { center_crop(picture, 5, 5); }), EndsWith("smaller: 4 x 5 of 5 x 5."));
  EXPECT_THAT(refused([&] { normalized(picture, {}, {}); }), EndsWith("above 0, got 0."));
  EXPECT_THAT(refused([] {
                encode_png(Tensor::ones({3, 4, 4}));
              }),
              HasSubstr("permute({1, 2, 0})"));
  EXPECT_THAT(refused([] { encode_png(Tensor::ones({4, 4}, DType::Int32)); }), HasSubstr("int32"));
  EXPECT_THAT(refused([&] { write_png(picture, "/nowhere/x.png"); }),
              EndsWith("\"/nowhere/x.png\" cannot be written."));
  EXPECT_THAT(refused([] { grid(Tensor::ones({4, 4})); }), HasSubstr("got [4, 4]"));
  EXPECT_THAT(refused([] {
                grid(Tensor::ones({1, 1, 4, 4}), {.gap = -1});
              }),
              HasSubstr("0 and -1"));
}

}  // namespace
}  // namespace tg::images
