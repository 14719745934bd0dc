// Where the sources of this project are, for tests that read reference files and pages. A function
// of one object file, not a macro of every compiler call: that would hold the checkout's path, and
// a compiler cache would find no test that was compiled in another checkout.
#pragma once

#include <filesystem>

namespace tg::test {

/// The root of the checkout that was built: `source_dir() / "docs/options.md"`.
std::filesystem::path source_dir();

}  // namespace tg::test
