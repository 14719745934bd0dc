// The page on backends prints its example, piece by piece: each piece is the file's, and no piece
// of the file is missing. Pieces of the example stand between two lines `// [name]`, those of the
// page behind `<!-- excerpt: name -->`.
#include <gtest/gtest.h>

#include <map>

#include "frame/file_text.h"
#include "frame/source_tree.h"
#include "support/source_dir.h"

namespace tg::frame {
namespace {

const std::string kExample = test::source_dir() / "examples/custom_backend/";

using Pieces = std::map<std::string, std::string>;

Pieces pieces_of_example(const std::string& text) {
  Pieces out;
  std::string open;
  for (const std::string_view line : lines_of(text)) {
    const bool mark = line.starts_with("// [") && line.ends_with("]");
    if (!mark) {
      if (!open.empty()) out[open].append(line).append("\n");
      continue;
    }
    const std::string name(line.substr(4, line.size() - 5));
    EXPECT_TRUE(open.empty() || open == name) << open << " is not closed before " << name;
    open = open.empty() ? name : "";
  }
  EXPECT_EQ(open, "") << "is not closed";
  return out;
}

Pieces pieces_of_page(const std::string& text) {
  constexpr std::string_view kMark = "<!-- excerpt: ";
  Pieces out;
  std::string name;
  bool inside = false;
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with(kMark)) {
      name = line.substr(kMark.size(), line.find(" -->") - kMark.size());
    } else if (line.starts_with("```") && !name.empty()) {
      if (inside) name.clear();
      inside = !inside;
    } else if (inside) {
      out[name].append(line).append("\n");
    }
  }
  return out;
}

TEST(Excerpts, OfThePageOnBackendsAreTheExampleAndAllOfIt) {
  Pieces want = pieces_of_example(text_of(kExample + "cc_backend.c"));
  want["CMakeLists"] = text_of(kExample + "CMakeLists.txt");
  const Pieces got = pieces_of_page(text_of(test::source_dir() / "docs/adding-a-backend.md"));
  EXPECT_GE(want.size(), 9u);
  for (const auto& [name, text] : want) {
    ASSERT_TRUE(got.contains(name)) << "the page lacks " << name;
    EXPECT_EQ(got.at(name), text) << name;
  }
  EXPECT_EQ(got.size(), want.size()) << "the page has a piece that the example lacks";
}

TEST(Excerpts, OutsideThePiecesTheExampleIncludesAndNoMore) {
  std::string open;
  const std::string text = text_of(kExample + "cc_backend.c");
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with("// [")) {
      open = open.empty() ? line : "";
      continue;
    }
    const bool plain = line.empty() || line.starts_with("//") || line.starts_with("#");
    EXPECT_TRUE(plain || !open.empty()) << line;
  }
}

TEST(Excerpts, AreFoundByTheirMarks) {
  EXPECT_EQ(pieces_of_example("// [a]\nx\ny\n// [a]\nz\n"), (Pieces{{"a", "x\ny\n"}}));
  EXPECT_EQ(pieces_of_page("w\n<!-- excerpt: a -->\n```c\nx\n```\ny\n```\nz\n```\n"),
            (Pieces{{"a", "x\n"}}));
}

}  // namespace
}  // namespace tg::frame
