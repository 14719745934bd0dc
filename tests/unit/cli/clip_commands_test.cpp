// tg embed and tg classify with a CLIP as a user sees them, on a tiny one with random weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "support/source_dir.h"
#include "tg/models/clip.h"
#include "unit/frontend/vision/clip_folder.h"

namespace tg::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

class ClipCommands : public testing::Test {
 protected:
  struct Result {
    int status = 0;
    std::string out, errors;
  };

  // `command` with the model behind it, then the other arguments.
  Result said(const std::string& command, std::vector<std::string> arguments) const {
    std::ostringstream out, errors, log;
    std::streambuf* const old_log = std::cerr.rdbuf(log.rdbuf());
    arguments.insert(arguments.begin(), {command, model_});
    const int status = run(std::move(arguments), out, errors);
    std::cerr.rdbuf(old_log);
    return {status, out.str(), errors.str()};
  }
  static std::vector<json> lines_of(const std::string& text) {
    std::vector<json> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out.push_back(json::parse(line));
    return out;
  }
  // The likeliest label and its probability, by the model itself.
  models::ImageGuess likeliest(const std::vector<std::string>& labels, const std::string& prompt) {
    models::Clip clip = models::Clip::load(model_);
    return clip.classify(images::read(png_), labels, {.prompt = prompt})[0];
  }

  const TempDir folder_{"clip_commands"};
  const std::string model_ = models::clip_reference("later").string();
  const std::string reference_ = test::source_dir().string() + "/tests/reference";
  const std::string vision_ = reference_ + "/vision";
  const std::string png_ = vision_ + "/rgb.png", jpeg_ = vision_ + "/baseline.jpg";
};

TEST_F(ClipCommands, EmbedTextsAndPictures) {
  const Result r = said("embed", {"a cat", "--image", png_, "the sea", "--image", jpeg_});
  EXPECT_EQ(r.status, 0) << r.errors;
  const std::vector<json> lines = lines_of(r.out);
  ASSERT_EQ(lines.size(), 4U);
  models::Clip clip = models::Clip::load(model_);
  const std::vector<std::string> texts = {"a cat", "the sea"};
  const std::vector<Tensor> pictures = {images::read(png_), images::read(jpeg_)};
  const auto wanted =
      Tensor::cat({clip.embed_texts(texts), clip.embed_images(pictures)}).to_vector<float>();
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["index"], i);
    const auto vector = lines[i]["embedding"].get<std::vector<float>>();
    ASSERT_EQ(vector.size(), 16U);
    for (size_t k = 0; k < vector.size(); ++k) EXPECT_NEAR(vector[k], wanted[i * 16 + k], 1e-5);
  }
  EXPECT_EQ(lines[1]["tokens"], clip.tokens("the sea").size());
  EXPECT_EQ(lines[2]["picture"], png_);
  EXPECT_EQ(lines[3]["picture"], jpeg_);
}

TEST_F(ClipCommands, EmbedIntoAnArrayAndATable) {
  const std::string file = (folder_.path() / "x.npy").string();
  const Result r = said("embed", {"--image", png_, "--output", file});
  EXPECT_EQ(r.out, file + ": float32 [1, 16]\n") << r.errors;
  const Result table = said("embed", {"a cat", "--image", png_, "--similar"});
  EXPECT_EQ(table.status, 0) << table.errors;
  const std::string number = " +-?[0-9]\\.[0-9]+";
  EXPECT_THAT(table.out, MatchesRegex(" +0 +1\n +0" + number + number + "  a cat\n +1" + number +
                                      number + "  .*\n"));
}

TEST_F(ClipCommands, EmbedPutsAPromptBeforeTexts) {
  const Result r = said("embed", {"cat", "--prompt", "a photo of a "});
  EXPECT_EQ(r.out, said("embed", {"a photo of a cat"}).out);
}

TEST_F(ClipCommands, ClassifyByLabels) {
  const std::vector<std::string> labels = {"a cat", "the sea", "a dog"};
  const Result r = said("classify", {png_, jpeg_, "--label", labels[0], "--label", labels[1],
                                     "--label", labels[2], "--top", "2"});
  EXPECT_EQ(r.status, 0) << r.errors;
  const std::string two = "  [ 0-9]+\\.[0-9][0-9] %  (a cat|the sea|a dog)\n";
  EXPECT_THAT(r.out, MatchesRegex(png_ + ":\n" + two + two + jpeg_ + ":\n" + two + two));
  write_file((folder_.path() / "labels.txt").string(), "cat\nsea\ndog\n");
  const Result j = said("classify", {"--labels", (folder_.path() / "labels.txt").string(),
                                     "--prompt", "{} and {}", "--json", png_});
  const json classes = json::parse(j.out).at("classes");
  ASSERT_EQ(classes.size(), 3U);
  const models::ImageGuess wanted = likeliest({"cat", "sea", "dog"}, "{} and {}");
  EXPECT_EQ(classes[0]["label"], wanted.label);
  EXPECT_NEAR(classes[0]["probability"].get<double>(), wanted.probability, 1e-5);
}

TEST_F(ClipCommands, NameMistakes) {
  const auto error = [&](const std::string& command, std::vector<std::string> arguments) {
    const Result r = said(command, std::move(arguments));
    EXPECT_NE(r.status, 0);
    return r.errors;
  };
  EXPECT_THAT(error("classify", {png_}),
              HasSubstr("is a CLIP, which chooses among labels. Hint: "));
  EXPECT_THAT(error("classify", {png_, "--label", "cat", "--prompt", "photo"}),
              HasSubstr("classify: the prompt \"photo\" lacks {}."));
  EXPECT_THAT(error("classify", {png_, "--label", "cat", "--architecture", "resnet18"}),
              HasSubstr("classify: a CLIP takes no --architecture."));
  EXPECT_THAT(error("classify", {png_, "--labels", "nowhere.txt"}),
              HasSubstr("classify: \"nowhere.txt\": No such file"));
  EXPECT_THAT(error("embed", {}), HasSubstr("embed: there is no text."));
  EXPECT_THAT(error("embed", {"cat", "--max-tokens", "3"}),
              HasSubstr("embed: a CLIP takes no --max-tokens."));
  EXPECT_THAT(error("embed", {"--image", "nowhere.png"}), HasSubstr("\"nowhere.png\": No such"));

  std::ostringstream out, errors;
  const std::string bert = reference_ + "/text_encoders/bert";
  EXPECT_NE(run({"embed", bert, "--image", png_}, out, errors), 0);
  EXPECT_THAT(errors.str(), HasSubstr("reads texts only. Hint: a CLIP takes --image."));
  EXPECT_NE(run({"classify", "net.pth", png_, "--label", "cat"}, out, errors), 0);
  EXPECT_THAT(errors.str(), HasSubstr("\"net.pth\" has classes of its own, and takes no --label"));
}

}  // namespace
}  // namespace tg::cli
