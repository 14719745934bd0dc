// The project's files as the house rules see them: paths relative to the root, text, lines, text
// without comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tg::frame {

struct SourceFile {
  std::string path;  ///< relative to the root, with '/'
  std::string text;
};

/// One broken rule: where and what.
struct Finding {
  std::string path;
  int line = 0;
  std::string what;
};

/// "path:line: what" lines, for the message of a failed test.
std::string describe(const std::vector<Finding>& findings);

/// All files below the given folders of the root whose name ends with one of `endings`, sorted by
/// path. Build folders are left out. Files directly in the root are found with the folder ".".
std::vector<SourceFile> load_files(const std::string& root, const std::vector<std::string>& folders,
                                   const std::vector<std::string>& endings);

/// All files of text below the root, sorted by path: without what .gitignore names, and without the
/// inputs of fuzzers, which are no texts.
std::vector<SourceFile> load_texts(const std::string& root);

/// The lines without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// C++ text with comments replaced by blanks (line ends stay). With `literals`, the contents of
/// string and character literals are blanked too.
std::string without_comments(std::string_view text, bool literals);

/// An #include: its line, its name, and whether it stands in angle brackets.
struct Include {
  int line = 0;
  std::string name;
  bool angle = false;
};
std::vector<Include> includes_of(std::string_view text);

/// The contents of all string literals with their lines.
std::vector<std::pair<int, std::string>> literals_of(std::string_view text);

}  // namespace tg::frame
