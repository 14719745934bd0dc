// tg inspect and tg run as a user sees them, on a model that adds two tensors of shape [3, 4, 5].
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/cli.h"
#include "support/file.h"
#include "support/source_dir.h"
#include "tg/state.h"

namespace tg::cli {
namespace {

using testing::HasSubstr;

const std::string kModel = test::source_dir().string() + "/tests/fuzz/corpus/onnx/add";

struct Printed {
  int status = 0;
  std::string out, errors;
};

Printed command(std::vector<std::string> arguments) {
  std::ostringstream out, errors;
  const int status = run(std::move(arguments), out, errors);
  return {status, out.str(), errors.str()};
}

TEST(ModelCommands, InspectPrintsWhatAModelIsMadeOf) {
  const Printed p = command({"inspect", kModel});
  EXPECT_EQ(p.status, 0) << p.errors;
  EXPECT_EQ(
      p.out,
      "input x: float32 [3, 4, 5]\ninput y: float32 [3, 4, 5]\noutput sum: float32 [3, 4, 5]\n"
      "parameters: 0 tensors, 0 numbers, 0 B\n     1 Add\nall operators are supported\n");
}

TEST(ModelCommands, RunPrintsOutputsAndWritesThem) {
  const TempDir folder("models");
  const std::string file = (folder.path() / "x.npy").string();
  nn::npy_save(Tensor::full({3, 4, 5}, 1.5F), file);
  const Printed p = command({"run", kModel, "--input", "x=" + file, "--input", "y=" + file,
                             "--output-dir", folder.path().string(), "--device", "CPU"});
  EXPECT_EQ(p.status, 0) << p.errors;
  EXPECT_EQ(p.out, "sum: float32 [3, 4, 5]: 3, 3, 3, 3, 3, 3, 3, 3, …\n");
  EXPECT_EQ(nn::npy_load(folder.path() / "sum.npy").sum().item<float>(), 180);
}

TEST(ModelCommands, MistakesAreNamed) {
  const TempDir folder("models");
  const std::string file = (folder.path() / "x.npy").string();
  nn::npy_save(Tensor::ones({3, 4, 5}), file);
  EXPECT_THAT(command({"run", kModel, "--input", "x=" + file}).errors,
              HasSubstr("input \"y\" is missing"));
  EXPECT_THAT(command({"run", kModel, "--input", file}).errors, HasSubstr("is not name=file.npy"));
  EXPECT_THAT(command({"run", kModel, "--input", "x=" + file, "--input", "x=" + file}).errors,
              HasSubstr("is there twice"));
  EXPECT_THAT(command({"inspect", file}).errors, HasSubstr("x.npy"));
  EXPECT_EQ(command({"inspect", "--help"}).status, 0);
  EXPECT_THAT(command({"run", "--help"}).out, HasSubstr("name=file.npy"));
}

}  // namespace
}  // namespace tg::cli
