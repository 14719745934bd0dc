// The rules that every file of the project keeps, each a function from files to findings, so that
// the tests can show both that the project keeps it and that a violation is found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frame/source_tree.h"

namespace tg::frame {

using Files = std::vector<SourceFile>;
using Findings = std::vector<Finding>;

/// Position of a folder of src/ in the include order, -1 if unknown. Backends count as one folder
/// here.
int folder_number(std::string_view folder);

/// A file of src/ includes its own folder, folders with a smaller number, and public headers of
/// such folders. Nobody includes a backend, except files directly in src/backends and the backend
/// itself, which may also include a part of it that has a folder of its own.
Findings check_include_order(const Files& files);
/// No string literal outside a backend's folder is its name ("CPU", "cpu:llvm"), and nobody looks
/// into its namespace. `backends`: folders of src/backends, parts of backends among them.
Findings check_backend_names(const Files& files, const std::vector<std::string>& backends);
/// A backend with a C-like language of its own (src/renderer/<backend>_c.cpp), and each part of it
/// that has a folder of its own, has at most 600 lines of code: those that are neither blank nor a
/// // comment alone, without files that say in line one that they are tables.
Findings check_backend_size(const Files& files);
/// Only src/support/options.cpp calls getenv.
Findings check_getenv(const Files& files);
/// Only src/support/os asks which system it runs on, or includes a system's headers.
Findings check_systems(const Files& files);
/// No std::cout, std::cerr or printf in the library; the command (src/cli) may print.
Findings check_printing(const Files& files);
/// At most 600 lines, except tables and generated files that say so in line one.
Findings check_file_size(const Files& files);
/// The first line (after #!) is a comment.
Findings check_opening_comment(const Files& files);
/// Headers start with #pragma once after their comment.
Findings check_pragma_once(const Files& files);
/// Public headers include only the standard library and each other.
Findings check_public_includes(const Files& files);
/// A test that is skipped says why: GTEST_SKIP() is followed by <<.
Findings check_skip_reasons(const Files& files);
/// No notes to self.
Findings check_unfinished(const Files& files);
/// A word or phrase that the project does not use, in lower case, and what it says instead.
struct UnusedWord {
  std::string phrase, instead;
};
/// Those of docs/words.txt, which says how a line is written.
std::vector<UnusedWord> unused_words(std::string_view list);
/// None of the words occurs, in code, comments or text, nor broken over lines. An underscore counts
/// as a space.
Findings check_words(const Files& files, const std::vector<UnusedWord>& words);
/// Every .cpp below `folder` is named in the CMakeLists.txt of its folder or of one above it.
Findings check_listed_sources(const Files& sources, const Files& lists, const std::string& folder);

}  // namespace tg::frame
