// The page on troubleshooting quotes messages: each of them stands in the library's source. A
// quoted line is `function: text. Hint.`, any part of which may be absent; `…` stands for a value.
// Whether a message is raised where the page says is what the tests of that code show.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "frame/file_text.h"
#include "frame/source_tree.h"
#include "support/source_dir.h"

namespace tg::frame {
namespace {

// Literals beside each other are one; quotes are as printed; values are `…`.
std::string as_printed(const std::string& source) {
  std::string out = std::regex_replace(source, std::regex("([^\\\\])\"\\s*\\n\\s*\""), "$1");
  out = std::regex_replace(out, std::regex("\\\\\""), "\"");
  return std::regex_replace(out, std::regex("(\\{[a-z0-9:.]*\\})+"), "…");
}

std::string printed_sources() {
  std::string out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_dir() / "src"))
    if (entry.path().extension() == ".cpp") out += as_printed(text_of(entry.path()));
  return out;
}

std::vector<std::string> quoted_lines(const std::string& page) {
  std::vector<std::string> out;
  bool marked = false, inside = false;
  for (const std::string_view line : lines_of(page)) {
    if (line == "<!-- message -->") {
      marked = true;
    } else if (line.starts_with("```")) {
      inside = marked && !inside;
      marked = marked && inside;
    } else if (inside) {
      out.emplace_back(line);
    }
  }
  return out;
}

// Function, text and hint, as far as the line has them, without the full stop between them.
std::vector<std::string> parts_of(std::string line) {
  std::vector<std::string> out;
  std::smatch name;
  if (std::regex_search(line, name, std::regex("^([A-Za-z_]+): "))) {
    if (name[1] != "Hint") {
      out.push_back('"' + name[1].str() + '"');
      line = name.suffix();
    }
  }
  if (const size_t hint = line.find(". Hint: "); hint != std::string::npos) {
    out.push_back(line.substr(hint + 2));
    line.resize(hint);
  } else if (line.ends_with(".")) {
    line.pop_back();
  }
  out.push_back(line);
  return out;
}

TEST(Messages, OfThePageOnTroubleshootingStandInTheSource) {
  const std::string source = printed_sources();
  const auto lines = quoted_lines(text_of(test::source_dir() / "docs/troubleshooting.md"));
  EXPECT_GE(lines.size(), 20u);
  for (const std::string& line : lines)
    for (const std::string& part : parts_of(line))
      EXPECT_NE(source.find(part), std::string::npos) << line << "\n  lacks: " << part;
}

TEST(Messages, AreReadAsTheyArePrinted) {
  EXPECT_EQ(as_printed("\"a \\\"{}\\\": {}{:.2f} \"\n    \"b\""), "\"a \"…\": … b\"");
  EXPECT_EQ(parts_of("f: a: b. Hint: c."), (std::vector<std::string>{"\"f\"", "Hint: c.", "a: b"}));
  EXPECT_EQ(quoted_lines("```\nx\n```\n<!-- message -->\n```\ny\n```\n```\nz\n```\n"),
            (std::vector<std::string>{"y"}));
}

}  // namespace
}  // namespace tg::frame
