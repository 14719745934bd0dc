// Each house rule twice: the project keeps it, and a made-up violation is found (so the check
// itself works).
#include "frame/house_rules.h"
#include "support/source_dir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tg::frame {
namespace {

const std::string kRoot = test::source_dir();

Files library() { return load_files(kRoot, {"src"}, {".h", ".cpp"}); }
Files public_headers() { return load_files(kRoot, {"include"}, {".h"}); }
// Golden files are outputs of the library, not sources.
Files all_code() {
  Files files = load_files(kRoot, {"src", "include", "tests", "tools", "examples", "bench"},
                           {".h", ".cpp", ".c"});
  std::erase_if(files,
                [](const SourceFile& f) { return f.path.find("/golden/") != std::string::npos; });
  return files;
}

// Code, build modules and scripts. The short lists of sources (CMakeLists.txt) explain themselves.
Files all_sources() {
  Files files = all_code();
  for (const SourceFile& file : load_files(kRoot, {"cmake", "tests"}, {".cmake"}))
    files.push_back(file);
  for (const SourceFile& file : load_files(kRoot, {"scripts", ".ci"}, {""})) files.push_back(file);
  return files;
}

std::vector<std::string> backend_folders() {
  std::vector<std::string> names;
  const std::filesystem::path folder = kRoot + "/src/backends";
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  return names;
}

void expect_clean(const Findings& findings) { EXPECT_TRUE(findings.empty()) << describe(findings); }

// Number of findings in one made-up file.
template <typename Rule>
size_t found(Rule rule, const std::string& path, const std::string& text) {
  return rule(Files{{path, text}}).size();
}

TEST(HouseRules, TheFilesAreFound) {
  EXPECT_GT(library().size(), 20u);
  EXPECT_GT(public_headers().size(), 3u);
  EXPECT_GT(all_sources().size(), all_code().size());
}

TEST(HouseRules, FoldersIncludeOnlySmallerNumbers) { expect_clean(check_include_order(library())); }
TEST(HouseRules, BackendsAreNamedOnlyInTheirFolders) {
  expect_clean(check_backend_names(library(), backend_folders()));
  expect_clean(check_backend_names(public_headers(), backend_folders()));
}
TEST(HouseRules, BackendsWithACLikeLanguageAreSmall) {
  expect_clean(check_backend_size(library()));
}
TEST(HouseRules, OnlyTheOptionsReadTheEnvironment) { expect_clean(check_getenv(library())); }
TEST(HouseRules, OnlyOneFolderKnowsTheSystem) { expect_clean(check_systems(library())); }
TEST(HouseRules, TheLibraryDoesNotPrint) { expect_clean(check_printing(library())); }
TEST(HouseRules, FilesHaveAtMostSixHundredLines) { expect_clean(check_file_size(all_sources())); }
TEST(HouseRules, FilesStartWithAComment) { expect_clean(check_opening_comment(all_sources())); }
TEST(HouseRules, HeadersAreIncludedOnce) { expect_clean(check_pragma_once(all_code())); }
TEST(HouseRules, PublicHeadersNeedOnlyTheStandardLibrary) {
  expect_clean(check_public_includes(public_headers()));
}
TEST(HouseRules, SkippedTestsSayWhy) { expect_clean(check_skip_reasons(all_code())); }
TEST(HouseRules, NothingIsLeftUnfinished) { expect_clean(check_unfinished(all_sources())); }

TEST(HouseRules, EverySourceIsBuilt) {
  const Files lists = load_files(kRoot, {"src", "tests"}, {"CMakeLists.txt"});
  expect_clean(check_listed_sources(all_code(), lists, "src"));
  expect_clean(check_listed_sources(all_code(), lists, "tests/unit"));
}

std::vector<UnusedWord> words() {
  const Files lists = load_files(kRoot, {"docs"}, {".txt"});
  const auto list = std::ranges::find(lists, "docs/words.txt", &SourceFile::path);
  return list == lists.end() ? std::vector<UnusedWord>() : unused_words(list->text);
}

TEST(HouseRules, WordsAreThoseOfTheField) {
  ASSERT_GT(words().size(), 5u);
  Files files = load_texts(kRoot);
  std::erase_if(files, [](const SourceFile& f) { return f.path == "docs/words.txt"; });
  expect_clean(check_words(files, words()));
}
TEST(Words, AreLookedForInAllTexts) {
  const Files files = load_texts(kRoot);
  for (const char* path :
       {"README.md", "CONTRIBUTING.md", "CMakeLists.txt", "CMakePresets.json", ".clang-format",
        ".ci/run", "bench/peers/run", "scripts/test", "docs/ir.md", "docs/words.txt",
        "bindings/zig/ops.zig", "bindings/rust/Cargo.toml", "bindings/go/go.mod",
        "bindings/python/tinygrad_cpp/tensor.pyi", "tests/abi/snapshot.sh",
        "tests/rewrite/algebra.txt", "tests/unit/renderer/golden/big_reverse.cl"}) {
    EXPECT_TRUE(std::ranges::find(files, path, &SourceFile::path) != files.end()) << path;
  }
  EXPECT_TRUE(std::ranges::none_of(files, [](const SourceFile& f) {
    return f.path.starts_with("build/") || f.path.starts_with(".git/");
  }));
}
TEST(Words, AreFoundInAnyCaseAndInNames) {
  const auto rule = [](const Files& files) {
    return check_words(files, unused_words("# a list\nold thing: new thing\nfoo: bar\n"));
  };
  EXPECT_EQ(found(rule, "src/a.h", "// An Old thing.\nint old_thing, foo_count;\n"), 3u);
  EXPECT_EQ(found(rule, "src/a.h", "// An older thing, food.\n"), 0u);
}
TEST(Words, AreFoundWhereALineEndsInTheirMiddle) {
  const auto lines = [](const std::string& text) {
    std::vector<int> out;
    for (const Finding& f : check_words({{"a", text}}, {{"an old thing", "a new thing"}}))
      out.push_back(f.line);
    return out;
  };
  const std::vector<int> second = {2};
  EXPECT_EQ(lines("First.\nThat is an old\nthing.\n"), second);
  EXPECT_EQ(lines("// First.\n  // That is an\n  //   old thing.\n"), second);
  EXPECT_EQ(lines("int a;\nint b;  ///< an old\n        ///< thing\n"), second);
  EXPECT_EQ(lines("# First.\n# That is an old\n# thing.\n"), second);
  EXPECT_EQ(lines("say(\n    \"that is an old \"\n    \"thing\");\n"), second);
  EXPECT_EQ(lines("First.\nThat is an  old\tthing.\n"), second);
  EXPECT_EQ(lines("That is an old\n\nthing.\n"), std::vector<int>());
  EXPECT_EQ(lines("// That is an old\n//\n// thing.\n"), std::vector<int>());
  EXPECT_EQ(lines("That is an old\n- thing.\n"), std::vector<int>());
}

TEST(IncludeOrder, AHigherFolderIsFound) {
  EXPECT_EQ(found(check_include_order, "src/uop/a.cpp", "#include \"rewrite/b.h\"\n"), 1u);
  EXPECT_EQ(found(check_include_order, "src/rewrite/a.cpp", "#include \"uop/b.h\"\n"), 0u);
}

TEST(IncludeOrder, SiblingsIgnoreEachOther) {
  EXPECT_EQ(found(check_include_order, "src/codegen/a.cpp", "#include \"schedule/b.h\"\n"), 1u);
  EXPECT_EQ(found(check_include_order, "src/codegen/a.cpp", "#include \"codegen/b.h\"\n"), 0u);
}

TEST(IncludeOrder, NobodyIncludesABackend) {
  EXPECT_EQ(found(check_include_order, "src/tensor/a.cpp", "#include \"backends/x/b.h\"\n"), 1u);
  EXPECT_EQ(found(check_include_order, "src/backends/y/a.cpp", "#include \"backends/x/b.h\"\n"),
            1u);
  EXPECT_EQ(found(check_include_order, "src/backends/x/a.cpp", "#include \"backends/x/b.h\"\n"),
            0u);
  EXPECT_EQ(found(check_include_order, "src/backends/all.cpp", "#include \"backends/x/b.h\"\n"),
            0u);
}

TEST(IncludeOrder, ABackendIncludesItsPartsAndIsNotIncludedByThem) {
  EXPECT_EQ(
      found(check_include_order, "src/backends/cuda/a.cpp", "#include \"backends/nvidia/b.h\"\n"),
      0u);
  EXPECT_EQ(
      found(check_include_order, "src/backends/nvidia/a.cpp", "#include \"backends/cuda/b.h\"\n"),
      1u);
  EXPECT_EQ(
      found(check_include_order, "src/backends/metal/a.cpp", "#include \"backends/nvidia/b.h\"\n"),
      1u);
}

TEST(IncludeOrder, PublicHeadersBelongToTheirLayer) {
  EXPECT_EQ(found(check_include_order, "src/support/a.cpp", "#include \"tg/error.h\"\n"), 0u);
  EXPECT_EQ(found(check_include_order, "src/support/a.cpp", "#include \"tg/dtype.h\"\n"), 1u);
  EXPECT_EQ(found(check_include_order, "src/uop/a.cpp", "#include \"tg/tensor.h\"\n"), 1u);
  EXPECT_EQ(found(check_include_order, "src/tensor/a.cpp", "#include \"tg/tensor.h\"\n"), 0u);
}

TEST(IncludeOrder, UnknownFoldersAndBareNamesAreFound) {
  EXPECT_EQ(found(check_include_order, "src/misc/a.cpp", ""), 1u);
  EXPECT_EQ(found(check_include_order, "src/uop/a.cpp", "#include \"misc/a.h\"\n"), 1u);
  EXPECT_EQ(found(check_include_order, "src/uop/a.cpp", "  #  include \"a.h\"\n"), 1u);
}

TEST(IncludeOrder, CommentsAndSystemHeadersDoNotCount) {
  EXPECT_EQ(
      found(check_include_order, "src/uop/a.cpp", "// #include \"nn/a.h\"\n#include <nn/a.h>\n"),
      0u);
}

TEST(BackendNames, LiteralsOutsideBackendsAreFound) {
  const auto rule = [](const Files& files) {
    return check_backend_names(files, {"cpu", "interp"});
  };
  EXPECT_EQ(found(rule, "src/tensor/a.cpp", "auto d = \"CPU\"; auto e = \"cpu:llvm\";"), 2u);
  EXPECT_EQ(found(rule, "src/tensor/a.cpp", "f(\"use DEV=CPU\");"), 1u);
  EXPECT_EQ(found(rule, "src/tensor/a.cpp", "// \"CPU\"\nf(\"the cpu\", \"CPUS\");"), 0u);
  EXPECT_EQ(found(rule, "src/tensor/a.cpp", "cpu::open(); // interp::run()"), 1u);
  EXPECT_EQ(found(rule, "src/support/options.cpp", "help(\"for example CPU\");"), 0u);
  EXPECT_EQ(found(rule, "src/backends/cpu/a.cpp", "auto d = \"CPU\";"), 0u);
}

TEST(BackendNames, LiteralsInFoldersOfOthersAreFound) {
  const auto rule = [](const Files& files) {
    return check_backend_names(files, {"cuda", "metal", "nvidia"});
  };
  EXPECT_EQ(found(rule, "src/backends/metal/a.cpp", "auto d = \"CUDA\"; cuda::open();"), 2u);
  EXPECT_EQ(found(rule, "src/backends/all.cpp", "auto d = \"CUDA\";"), 1u);
  EXPECT_EQ(found(rule, "src/backends/nvidia/a.cpp", "auto d = \"CUDA\";"), 0u) << "a part of it";
  EXPECT_EQ(found(rule, "src/backends/cuda/a.cpp", "nvidia::open();"), 0u);
}

// A backend x of so many lines of code in each of two files, with a language of its own.
Files backend_of_lines(size_t lines, const std::string& first_line) {
  std::string text = first_line;
  for (size_t i = 0; i < lines; ++i) text += "int a;\n\n  // A comment.\n";
  return {{"src/renderer/x_c.cpp", "// X.\n"},
          {"src/backends/x/a.cpp", text},
          {"src/backends/x/a.h", text}};
}

TEST(BackendSize, MoreThanSixHundredLinesOfCodeAreFound) {
  EXPECT_EQ(check_backend_size(backend_of_lines(300, "// Code.\n")).size(), 0u);
  const Findings findings = check_backend_size(backend_of_lines(301, "// Code.\n"));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].path, "src/backends/x");
  EXPECT_EQ(findings[0].line, 602);
}

TEST(BackendSize, TablesDoNotCount) {
  EXPECT_EQ(check_backend_size(backend_of_lines(301, "// Table of functions.\n")).size(), 0u);
}

TEST(BackendSize, PartsOfABackendCountByThemselves) {
  Files files = backend_of_lines(301, "// Code.\n");
  files[0].path = "src/renderer/cuda_c.cpp";
  files[1].path = "src/backends/cuda/a.cpp";
  files[2].path = "src/backends/nvidia/a.cpp";
  EXPECT_EQ(check_backend_size(files).size(), 0u);
  files[1].path = "src/backends/nvidia/b.cpp";
  EXPECT_EQ(check_backend_size(files).size(), 1u);
}

TEST(BackendSize, BackendsWithoutALanguageOfTheirOwnDoNotCount) {
  Files files = backend_of_lines(301, "// Code.\n");
  files[0].path = "src/renderer/y_c.cpp";
  EXPECT_EQ(check_backend_size(files).size(), 0u);
}

TEST(Getenv, IsFoundOutsideTheOptions) {
  EXPECT_EQ(found(check_getenv, "src/uop/a.cpp", "auto v = std::getenv(\"X\");"), 1u);
  EXPECT_EQ(found(check_getenv, "src/uop/a.cpp", "auto v = \"getenv\"; // getenv"), 0u);
  EXPECT_EQ(found(check_getenv, "src/support/options.cpp", "std::getenv(n)"), 0u);
}

TEST(Systems, AreFoundOutsideTheirFolder) {
  EXPECT_EQ(found(check_systems, "src/uop/a.cpp", "#if defined(_WIN32)\n#include <windows.h>"), 2u);
  EXPECT_EQ(found(check_systems, "src/uop/a.cpp", "#include <sys/mman.h>\n#include <unistd.h>"),
            2u);
  EXPECT_EQ(found(check_systems, "src/uop/a.cpp", "#include <cstdio>  // <unistd.h>"), 0u);
  EXPECT_EQ(found(check_systems, "src/support/os/a.cpp", "#include <unistd.h>"), 0u);
}

TEST(Printing, IsFoundOutsideTheCommand) {
  EXPECT_EQ(
      found(check_printing, "src/uop/a.cpp", "std::cout << 1;\nprintf(\"x\");\nfmt::print(\"x\");"),
      3u);
  EXPECT_EQ(found(check_printing, "src/uop/a.cpp", "snprintf(b, 1, \"x\"); // printf("), 0u);
  EXPECT_EQ(found(check_printing, "src/cli/a.cpp", "std::cout << 1;"), 0u);
}

TEST(FileSize, LongFilesAreFoundUnlessTheyAreTables) {
  const std::string body(601, '\n');
  EXPECT_EQ(found(check_file_size, "src/uop/a.cpp", "// Code.\n" + body), 1u);
  EXPECT_EQ(found(check_file_size, "src/uop/a.cpp", "// Table of ops.\n" + body), 0u);
  EXPECT_EQ(found(check_file_size, "src/uop/a.cpp", std::string(600, '\n')), 0u);
}

TEST(OpeningComment, ItsAbsenceIsFound) {
  EXPECT_EQ(found(check_opening_comment, "a.h", "#pragma once\n"), 1u);
  EXPECT_EQ(found(check_opening_comment, "a.h", ""), 1u);
  EXPECT_EQ(found(check_opening_comment, "a.h", "// What it is.\n"), 0u);
  EXPECT_EQ(found(check_opening_comment, "scripts/setup", "#!/bin/sh\nset -e\n"), 1u);
  EXPECT_EQ(found(check_opening_comment, "scripts/setup", "#!/bin/sh\n# What it is.\n"), 0u);
}

TEST(PragmaOnce, ItsAbsenceIsFound) {
  EXPECT_EQ(found(check_pragma_once, "a.h", "// x\n#include <vector>\n#pragma once\n"), 1u);
  EXPECT_EQ(found(check_pragma_once, "a.h", "// x\n\n#pragma once\n"), 0u);
}

TEST(PublicIncludes, ThirdPartyAndInternalHeadersAreFound) {
  EXPECT_EQ(found(check_public_includes, "include/tg/a.h",
                  "#include <fmt/format.h>\n#include \"uop/uop.h\"\n"),
            2u);
  EXPECT_EQ(found(check_public_includes, "include/tg/a.h",
                  "#include <vector>\n#include \"tg/error.h\"\n"),
            0u);
  EXPECT_EQ(found(check_public_includes, "include/tg/a.h", "#include <stdint.h>\n"), 1u);
  EXPECT_EQ(found(check_public_includes, "include/tg/c/a.h", "#include <stdint.h>\n"), 0u);
}

TEST(SkipReasons, TheirAbsenceIsFound) {
  EXPECT_EQ(found(check_skip_reasons, "tests/a_test.cpp", "if (x) GTEST_SKIP();"), 1u);
  EXPECT_EQ(found(check_skip_reasons, "tests/a_test.cpp", "GTEST_SKIP() << \"no compiler\";"), 0u);
  EXPECT_EQ(found(check_skip_reasons, "tests/a_test.cpp", "GTEST_SKIP()  // GTEST_SKIP()\n"), 1u);
}

TEST(Unfinished, NotesToSelfAreFound) {
  EXPECT_EQ(found(check_unfinished, "a.cpp", std::string("// TO") + "DO: later\n"), 1u);
  EXPECT_EQ(found(check_unfinished, "a.cpp", "// METHODO\n"), 0u);
}

TEST(ListedSources, AForgottenFileIsFound) {
  const Files lists = {{"src/uop/CMakeLists.txt", "tg_add_layer(uop SOURCES a.cpp ops/b.cpp)"}};
  const Files sources = {{"src/uop/a.cpp", ""},
                         {"src/uop/ops/b.cpp", ""},
                         {"src/uop/c.cpp", ""},
                         {"src/uop/ops/a.cpp", ""}};
  EXPECT_EQ(check_listed_sources(sources, lists, "src").size(), 2u);
}

TEST(Lexer, TellsCodeCommentsAndLiteralsApart) {
  EXPECT_EQ(without_comments("a // b\nc /* d\ne */ f", false), "a     \nc     \n     f");
  EXPECT_EQ(without_comments("\"// no\" 'x' 1'000", false), "\"// no\" 'x' 1'000");
  EXPECT_EQ(without_comments("f(\"a\\\"b\", c)", true), "f(      , c)");
  EXPECT_EQ(without_comments("R\"x(// \" )x\" y", true), "             y");
}

TEST(Lexer, FindsLiteralsWithTheirLines) {
  const auto literals = literals_of("\"a\"\n// \"b\"\n'\"' \"c\\\"d\"");
  ASSERT_EQ(literals.size(), 2u);
  EXPECT_EQ(literals[0], (std::pair<int, std::string>{1, "a"}));
  EXPECT_EQ(literals[1], (std::pair<int, std::string>{3, "c\\\"d"}));
}

}  // namespace
}  // namespace tg::frame
