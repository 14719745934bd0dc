// Files that are damaged or made to harm: each is refused with the file and the place, before
// memory is spent on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "builders.h"
#include "support/file.h"
#include "tg/error.h"

namespace tg::onnx {
namespace {

using testing::HasSubstr;

std::string refusal(const file::Model& model, const LoadOptions& options = {}) {
  try {
    parse_file(model, options);
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OnnxHostile, FilesCutOffAnywhereAreRefusedOrIncomplete) {
  const std::string bytes = layer_model().SerializeAsString();
  int refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    try {
      parse(std::as_bytes(std::span(bytes.data(), size)));
    } catch (const FileError&) {
      ++refused;
    }
  }
  // Only where it ends between messages a part can be a model of its own.
  EXPECT_GT(refused, static_cast<int>(bytes.size()) - 8);
}

TEST(OnnxHostile, OtherFilesAndMissingOnesAreNamed) {
  const std::string text = "this is no model";
  EXPECT_THROW(parse(std::as_bytes(std::span(text))), FileError);
  try {
    load("/nowhere/m.onnx");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/m.onnx"));
  }
}

TEST(OnnxHostile, CyclesAndUnknownValuesAreRefused) {
  file::Model model = layer_model();
  model.mutable_graph()->mutable_node(0)->set_input(0, "y");
  EXPECT_THAT(refusal(model), HasSubstr("\"m.onnx\", node \"Gemm#0\": its input \"y\" is neither"));
  model = layer_model();
  model.mutable_graph()->mutable_output(0)->set_name("z");
  EXPECT_THAT(refusal(model), HasSubstr("its output \"z\" is computed by no node"));
}

TEST(OnnxHostile, NamesThatAreThereTwiceAreRefused) {
  file::Model model = layer_model();
  model.mutable_graph()->mutable_node(1)->set_output(0, "h");
  EXPECT_THAT(refusal(model), HasSubstr("has the name of another value"));
  model = layer_model();
  model.mutable_graph()->mutable_initializer(1)->set_name("w");
  EXPECT_THAT(refusal(model), HasSubstr("initialiser \"w\": the name is there twice"));
}

TEST(OnnxHostile, SizesThatDoNotFitTheirDataAreRefusedBeforeMemoryIsSpent) {
  file::Model model = layer_model();
  file::Tensor& w = *model.mutable_graph()->mutable_initializer(0);
  w.set_dims(0, 3);
  EXPECT_THAT(refusal(model),
              HasSubstr("initialiser \"w\": 24 bytes of elements for shape [3, 3]"));
  w.set_dims(0, -2);
  EXPECT_THAT(refusal(model), HasSubstr("an axis of size -2"));
  w.set_dims(0, int64_t{1} << 62);
  EXPECT_THAT(refusal(model), HasSubstr("too large"));
  w.set_dims(0, int64_t{1} << 40);
  EXPECT_THAT(refusal(model), HasSubstr("24 bytes of elements"));
  for (int i = 0; i < 100; ++i) w.add_dims(1);
  EXPECT_THAT(refusal(model), HasSubstr("a tensor of 102 axes"));
}

TEST(OnnxHostile, GraphsInsideGraphsAreLimited) {
  file::Model model = empty_model();
  file::Graph* g = model.mutable_graph();
  for (int i = 0; i < 20; ++i) {
    auto* a = add_node(*g, "If", {}, {"y"}).add_attribute();
    a->set_name("then_branch");
    a->set_type(5);
    g = a->mutable_g();
  }
  EXPECT_THAT(refusal(model), HasSubstr("more than 16 graphs inside each other"));
}

TEST(OnnxHostile, FunctionsThatCallEachOtherInACircleAreRefused) {
  file::Model model = empty_model();
  for (const char* name : {"f", "g"}) {
    auto* f = model.add_functions();
    f->set_name(name);
    f->set_domain("own");
    auto* call = f->add_node();
    call->set_op_type(std::string(name) == "f" ? "g" : "f");
    call->set_domain("own");
  }
  EXPECT_THAT(refusal(model), HasSubstr("it calls itself, directly or through others"));
}

TEST(OnnxHostile, FunctionsThatMultiplyEndBeforeMemoryDoes) {
  file::Model model = empty_model();
  for (int i = 0; i < 40; ++i) {
    auto* f = model.add_functions();
    f->set_name("f" + std::to_string(i));
    f->set_domain("own");
    f->add_input("x");
    f->add_output("y");
    for (const auto& [in, out] : {std::pair("x", "h"), std::pair("h", "y")}) {
      auto* call = f->add_node();
      call->set_op_type(i == 0 ? "Identity" : "f" + std::to_string(i - 1));
      call->set_domain(i == 0 ? "" : "own");
      call->add_input(in);
      call->add_output(out);
    }
  }
  set_value(*model.mutable_graph()->add_input(), "x", {1});
  set_value(*model.mutable_graph()->add_output(), "y", {1});
  add_node(*model.mutable_graph(), "f39", {"x"}, {"y"}).set_domain("own");
  const Model loaded = parse_file(model);
  EXPECT_THROW(loaded({{"x", Tensor(std::vector<float>{1})}}), ArgumentError);
}

TEST(OnnxHostile, ALoopOverNothingEnds) {
  file::Model model = empty_model();
  file::Graph& g = *model.mutable_graph();
  set_value(*g.add_input(), "x", {1});
  set_value(*g.add_output(), "y", {1});
  auto* a = add_node(g, "Loop", {"", "", "x"}, {"y"}).add_attribute();
  a->set_name("body");
  a->set_type(5);
  for (const char* name : {"i", "c", "v"}) a->mutable_g()->add_input()->set_name(name);
  for (const char* name : {"c", "v"}) a->mutable_g()->add_output()->set_name(name);
  const Model loaded = parse_file(model);
  EXPECT_THROW(loaded({{"x", Tensor(std::vector<float>{1})}}), ArgumentError);
}

TEST(OnnxHostile, AConditionWithoutElementsIsAnError) {
  file::Model model = empty_model();
  file::Graph& g = *model.mutable_graph();
  set_value(*g.add_input(), "c", {0}, 9);
  set_value(*g.add_output(), "y", {1});
  add_node(g, "If", {"c"}, {"y"});
  const Model loaded = parse_file(model);
  EXPECT_THROW(loaded({{"c", Tensor::zeros({0}, DType::Bool)}}), ArgumentError);
}

// ---- external data

class OnnxExternalData : public testing::Test {
 protected:
  OnnxExternalData() {
    std::filesystem::create_directory(folder_.path() / "in");
    std::ofstream(folder_.path() / "in" / "data.bin", std::ios::binary)
        << bytes_of({1, 2, 3, 4, 5, 6, 7, 8});
    std::ofstream(folder_.path() / "secret.bin", std::ios::binary) << bytes_of({9, 9, 9, 9});
  }
  static std::string bytes_of(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
  }
  static void set_external(file::Tensor& t, const std::string& location, const std::string& offset,
                           const std::string& length) {
    t.clear_float_data();
    t.set_data_location(1);
    const auto add = [&](const char* key, const std::string& value) {
      auto* e = t.add_external_data();
      e->set_key(key);
      e->set_value(value);
    };
    add("location", location);
    add("offset", offset);
    if (!length.empty()) add("length", length);
  }
  // y = x + w, w [4] as given; and v [4], as given.
  file::Model model(const std::string& location, const std::string& offset,
                    const std::string& length = "") const {
    file::Model m = empty_model();
    set_value(*m.mutable_graph()->add_input(), "x", {4});
    set_value(*m.mutable_graph()->add_output(), "y", {4});
    set_external(add_floats(*m.mutable_graph(), "w", {4}, {}), location, offset, length);
    add_node(*m.mutable_graph(), "Add", {"x", "w"}, {"y"});
    return m;
  }
  LoadOptions options() const { return {.folder = folder_.path() / "in"}; }

  TempDir folder_{"onnx"};
};

TEST_F(OnnxExternalData, PartsOfFilesBesideTheModelAreRead) {
  std::ofstream(folder_.path() / "in" / "m.onnx", std::ios::binary)
      << model("data.bin", "16", "16").SerializeAsString();
  const Model m = load(folder_.path() / "in" / "m.onnx");
  const auto out = m({{"x", Tensor::zeros({4})}});
  EXPECT_EQ(out.at("y").to_vector<float>(), (std::vector<float>{5, 6, 7, 8}));
}

TEST_F(OnnxExternalData, WhatIsOutsideTheFolderIsNotRead) {
  for (const char* location :
       {"../secret.bin", "./../secret.bin", "in/../../secret.bin", "/etc/passwd", ""})
    EXPECT_THAT(refusal(model(location, "0"), options()),
                HasSubstr("not inside the model's folder"))
        << location;
  std::filesystem::create_symlink(folder_.path() / "secret.bin",
                                  folder_.path() / "in" / "link.bin");
  EXPECT_THAT(refusal(model("link.bin", "0"), options()),
              HasSubstr("not inside the model's folder"));
  EXPECT_THAT(refusal(model("data.bin", "0")), HasSubstr("no folder to look for it"));
}

TEST_F(OnnxExternalData, PlacesOutsideTheFileAreRefused) {
  EXPECT_THAT(refusal(model("data.bin", "20"), options()),
              HasSubstr("bytes 20 to 36 of \"data.bin\", which has 32"));
  EXPECT_THAT(refusal(model("data.bin", "0", "8"), options()),
              HasSubstr("8 bytes of external data for 16 bytes"));
  EXPECT_THAT(refusal(model("data.bin", "-4"), options()),
              HasSubstr("external data with offset \"-4\""));
  EXPECT_THAT(refusal(model("missing.bin", "0"), options()),
              HasSubstr("\"missing.bin\": No such file"));
  EXPECT_THAT(refusal(model(".", "0"), options()), HasSubstr("which is no file"));
}

TEST_F(OnnxExternalData, TensorsThatOverlapInPartAreRefusedAndEqualOnesAreOneTensor) {
  file::Model m = model("data.bin", "0");
  set_external(add_floats(*m.mutable_graph(), "v", {4}, {}), "data.bin", "8", "");
  EXPECT_THAT(refusal(m, options()), HasSubstr("overlap those of another tensor"));
  m = model("data.bin", "0");
  set_external(add_floats(*m.mutable_graph(), "v", {4}, {}), "data.bin", "0", "");
  const Model shared = parse_file(m, options());
  EXPECT_EQ(shared.parameters().at("v").state(), shared.parameters().at("w").state());
}

}  // namespace
}  // namespace tg::onnx
