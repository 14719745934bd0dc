// tg-bindgen: prints the generated part of a language's binding, from manifest.json alone. A
// further language is one more function beside these and a row in the table below:
// docs/bindings.md.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "tg-bindgen/manifest.h"

namespace {

struct Language {
  std::string_view name;
  std::string (*generate)(const bindgen::Manifest& m);
};
constexpr Language kLanguages[] = {{"c-header", bindgen::c_header},
                                   {"c-shims", bindgen::c_shims},
                                   {"rust", bindgen::rust},
                                   {"go", bindgen::go}};

int usage() {
  std::fputs(
      "usage: tg-bindgen LANGUAGE MANIFEST\n\nPrints the generated file of a binding. "
      "Languages:",
      stderr);
  for (const Language& l : kLanguages)
    std::fprintf(stderr, " %.*s", static_cast<int>(l.name.size()), l.name.data());
  std::fputs(".\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return usage();
  for (const Language& l : kLanguages) {
    if (l.name != argv[1]) continue;
    try {
      const std::string text = l.generate(bindgen::read_manifest(argv[2]));
      return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      return 1;
    }
  }
  return usage();
}
