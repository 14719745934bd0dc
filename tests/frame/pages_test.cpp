// Lists on the pages that repeat lists of the sources: neither has an entry that the other lacks.
// Excerpts of sources on the pages: excerpts_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

#include "frame/file_text.h"
#include "frame/source_tree.h"
#include "support/source_dir.h"

namespace tg::frame {
namespace {

using Words = std::vector<std::string>;

std::string text_under_root(const std::string& path) { return text_of(test::source_dir() / path); }

/// What stands between the first `begin` and the `end` behind it; empty without them.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t at = text.find(begin);
  if (at == std::string::npos) return {};
  const size_t from = at + begin.size();
  const size_t to = text.find(end, from);
  return to == std::string::npos ? std::string() : text.substr(from, to - from);
}

/// All matches of the first group of `pattern`.
Words all_matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  Words out;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i)
    out.push_back((*i)[1].str());
  return out;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// A family of operations and its members.
using Family = std::pair<std::string, Words>;

std::vector<Family> families_of_source(const std::string& text) {
  std::vector<Family> out;
  std::string list = between(text, "#define TG_OP_LIST(X)", "// clang-format on");
  while (list.find("/* ") != std::string::npos) {
    const std::string name = between(list, "/* ", " */");
    list = list.substr(list.find(" */") + 3);
    out.emplace_back(name, all_matches(list.substr(0, list.find("/* ")), "X\\((\\w+)\\)"));
  }
  return out;
}

std::vector<Family> families_of_page(const std::string& text) {
  std::vector<Family> out;
  const std::string table = between(text, "| family | ops |\n| --- | --- |\n", "\n\n");
  for (const std::string_view line : lines_of(table)) {
    std::smatch cells;
    const std::string row(line);
    if (!std::regex_match(row, cells, std::regex("\\| ([^|]+) \\| ([^|(]+)(\\([^|)]*\\))? ?\\|"))) {
      ADD_FAILURE() << "no row of two cells: " << row;
      continue;
    }
    out.emplace_back(cells[1].str(), all_matches(cells[2].str(), "(\\w+)"));
  }
  return out;
}

TEST(Pages, TheTableOfOperationsIsThatOfTheHeader) {
  const auto source = families_of_source(text_under_root("include/tg/ir/op.h"));
  ASSERT_GE(source.size(), 7u);
  EXPECT_EQ(families_of_page(text_under_root("docs/architecture.md")), source);
}

TEST(Pages, TheKindsOfAxesAreThoseOfTheHeader) {
  const std::string header = text_under_root("src/kernel/kernel_schedule.h");
  Words source;
  for (const std::string& kind :
       all_matches(between(header, "enum class Kind : uint8_t {", "}"), "(\\w+)"))
    source.push_back(lower(kind));
  ASSERT_GE(source.size(), 7u);
  ASSERT_EQ(std::erase(source, "slot"), 1u) << "the header says that it is no axis of a schedule";
  const std::string page =
      between(text_under_root("docs/architecture.md"), "extent and kind (", ")");
  EXPECT_EQ(all_matches(page, "(\\w+)"), source);
}

TEST(Pages, TheOptsAreThoseThatASchedulePrints) {
  const std::string printer =
      between(text_under_root("src/kernel/kernel_schedule.cpp"),
              "std::string text_of(const KernelSchedule& s, const Opt& opt) {", "\n}\n");
  Words source = all_matches(printer, "\"([A-Z][A-Z_]+)[\"(]");
  Words page = all_matches(
      between(text_under_root("docs/architecture.md"), "check their legality:", "."), "(\\w+)");
  ASSERT_GE(source.size(), 13u);
  std::ranges::sort(source);
  std::ranges::sort(page);
  EXPECT_EQ(page, source);
}

}  // namespace
}  // namespace tg::frame
