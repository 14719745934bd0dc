// Whole modules in files of PyTorch, read as their tensors and attributes without running what made
// them: load_modules of tg/state.h. Tensors alone: state_files_test.cpp.
#include <gtest/gtest.h>

#include "file_builders.h"
#include "nn_test_util.h"
#include "support/file.h"
#include "tg/state.h"

namespace tg::nn {
namespace {

using namespace pickles;
using Entries = std::vector<std::pair<std::string, std::string>>;

// An object as Python pickles it: made without arguments, then told its attributes.
std::string object(std::string_view name, const Entries& attributes) {
  return global("shapes", name) + ")\x81" + dict(attributes) + "b";
}
std::string ordered(const Entries& entries) {
  return call(global("collections", "OrderedDict"), ")") + dict(entries).replace(0, 1, "");
}
std::string module(const Entries& parameters, const Entries& buffers, const Entries& modules,
                   Entries others = {}) {
  others.insert(others.begin(), {{text("training"), "\x89"},
                                 {text("_parameters"), ordered(parameters)},
                                 {text("_buffers"), ordered(buffers)},
                                 {text("_modules"), ordered(modules)}});
  return object("Layer", others);
}
std::string element(int i) { return tensor(storage("Float", "0", 4), i, {1}, {1}); }

class ModuleFiles : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& value) const {
    const auto file = dir_.path() / "m.pt";
    write_file(file, torch_zip(value, {{"0", raw(std::vector<float>{0, 1, 2, 3})}}), Sync::No);
    return file;
  }
  static std::vector<std::string> names(const StateDict& tensors) {
    std::vector<std::string> out;
    for (const auto& [name, tensor] : tensors) out.push_back(name);
    return out;
  }
  TempDir dir_;
};

TEST_F(ModuleFiles, ModulesAreTheirStateDicts) {
  const std::string inner = module({{text("weight"), element(1)}, {text("bias"), "N"}},
                                   {{text("mean"), element(2)}}, {}, {{text("eps"), number(7)}});
  const std::string net = module({}, {}, {{text("0"), inner}, {text("act"), module({}, {}, {})}},
                                 {{text("names"), dict({{number(0), text("cat")}})},
                                  {text("stride"), element(3)},
                                  {text("hook"), global("os", "system")}});
  const auto file = write(dict({{text("model"), net}, {text("epoch"), number(5)}}));
  const detail::ModuleFile read = detail::load_modules(file);
  EXPECT_EQ(names(read.tensors), (std::vector<std::string>{"model.0.mean", "model.0.weight"}));
  EXPECT_EQ(read.tensors.at("model.0.weight").item<int>(), 1);
  EXPECT_EQ(names(read.attributes), (std::vector<std::string>{"model.stride"}));
  EXPECT_EQ(read.attributes.at("model.stride").item<int>(), 3);
  EXPECT_EQ(read.facts.at("model.names.0").as_text(), "cat");
  EXPECT_EQ(read.facts.at("model.0.eps").as_int(), 7);
  EXPECT_FALSE(read.facts.at("model.training").as_bool());
  EXPECT_EQ(read.facts.at("epoch").as_int(), 5);
  EXPECT_EQ(read.facts.size(), 6U);
  EXPECT_THROW(torch_load(file), FileError);
}

TEST_F(ModuleFiles, AModuleAloneHasItsOwnNames) {
  const auto read = detail::load_modules(write(module({{text("w"), element(2)}}, {}, {})));
  EXPECT_EQ(names(read.tensors), (std::vector<std::string>{"w"}));
}

TEST_F(ModuleFiles, OtherFilesAreReadAsEver) {
  const auto file = write(dict({{text("w"), element(2)}}));
  EXPECT_EQ(names(detail::load_modules(file).tensors), (std::vector<std::string>{"w"}));
  const auto safetensors = dir_.path() / "s.safetensors";
  save({{"x", Tensor{1, 2}}}, safetensors);
  EXPECT_EQ(names(detail::load_modules(safetensors).tensors), (std::vector<std::string>{"x"}));
}

TEST_F(ModuleFiles, ObjectsThatHoldEachOtherAreMetOnce) {
  // owner = Layer(); owner.part = Part(); owner.part.owner = owner
  const std::string part = global("shapes", "Part") + ")\x81q\x02}(" + text("owner") + "h\x01" +
                           text("size") + number(4) + "ub";
  const std::string owner = global("shapes", "Layer") + ")\x81q\x01}(" + text("_parameters") +
                            dict({{text("w"), element(1)}}) + text("part") + part + "ub";
  const auto read = detail::load_modules(write(owner));
  EXPECT_EQ(names(read.tensors), (std::vector<std::string>{"w"}));
  EXPECT_EQ(read.facts.at("part.size").as_int(), 4);
}

TEST_F(ModuleFiles, ModulesThatHoldThemselvesAreRefused) {
  const std::string owner = global("shapes", "Layer") + ")\x81q\x01}(" + text("_modules") +
                            dict({{text("w"), "h\x01"}}) + "ub";
  EXPECT_NE(file_error_of([&] {
              detail::load_modules(write(owner));
            }).find("m.pt\" holds values more than 100 deep in one another."),
            std::string::npos);
}

TEST_F(ModuleFiles, AttributesOfAnyKindDoNotMatter) {
  const std::string odd = dict({{global("os", "system"), number(1)}, {text("kept"), number(2)}});
  const auto read = detail::load_modules(
      write(module({{text("w"), element(1)}}, {}, {},
                   {{text("odd"), odd},
                    {text("state"), call(global("os", "getcwd"), ")") + number(3) + "b"},
                    {text("_parameters"), "N"}})));
  EXPECT_EQ(names(read.tensors), (std::vector<std::string>{"w"}));
  EXPECT_EQ(read.facts.at("odd.kept").as_int(), 2);
}

}  // namespace
}  // namespace tg::nn
