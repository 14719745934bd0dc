// Loading and a light lexer for C++: enough to tell code, comments and literals apart.
#include "frame/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tg::frame {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool has_ending(std::string_view name, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& ending) { return name.ends_with(ending); });
}

enum class Kind { Code, Comment, Literal };

// Classifies every character; quotes and comment marks belong to what they enclose.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text), kinds_(text.size(), Kind::Code) {}

  std::vector<Kind> run() {
    while (at_ < text_.size()) step();
    return std::move(kinds_);
  }

 private:
  bool starts(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }

  void mark_until(size_t end, Kind kind) {
    end = std::min(end, text_.size());
    std::fill(kinds_.begin() + static_cast<long>(at_), kinds_.begin() + static_cast<long>(end),
              kind);
    at_ = end;
  }

  size_t after(std::string_view mark, size_t from) const {
    const size_t found = text_.find(mark, from);
    return found == std::string_view::npos ? text_.size() : found + mark.size();
  }

  void step() {
    if (starts("//")) return mark_until(text_.find('\n', at_), Kind::Comment);
    if (starts("/*")) return mark_until(after("*/", at_ + 2), Kind::Comment);
    if (starts("R\"")) return raw_literal();
    if (text_[at_] == '"' || (text_[at_] == '\'' && !inside_number())) return literal(text_[at_]);
    ++at_;
  }

  // 1'000 holds a quote that starts no literal.
  bool inside_number() const {
    return at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0;
  }

  void raw_literal() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return mark_until(text_.size(), Kind::Literal);
    const std::string close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    mark_until(after(close, open), Kind::Literal);
  }

  void literal(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    mark_until(end + 1, Kind::Literal);
  }

  std::string_view text_;
  std::vector<Kind> kinds_;
  size_t at_ = 0;
};

}  // namespace

std::string describe(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += "\n  " + f.path + ":" + std::to_string(f.line) + ": " + f.what;
  }
  return text;
}

std::vector<SourceFile> load_files(const std::string& root, const std::vector<std::string>& folders,
                                   const std::vector<std::string>& endings) {
  std::vector<SourceFile> files;
  const auto add = [&](const fs::directory_entry& entry) {
    const std::string path = fs::relative(entry.path(), root).generic_string();
    if (entry.is_regular_file() && has_ending(path, endings)) {
      files.push_back({path, read_text(entry.path())});
    }
  };
  for (const std::string& folder : folders) {
    const fs::path start = fs::path(root) / folder;
    if (folder == ".") {
      for (const auto& entry : fs::directory_iterator(start)) add(entry);
    } else if (fs::exists(start)) {
      for (const auto& entry : fs::recursive_directory_iterator(start)) add(entry);
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<SourceFile> load_texts(const std::string& root) {
  const auto left_out = [](const std::string& path, const std::string& name) {
    static const std::vector<std::string> kNames = {".git", "target", "__pycache__", ".zig-cache",
                                                    "zig-out"};
    return std::ranges::find(kNames, name) != kNames.end() || path.starts_with("build") ||
           path == "out" || path == "tests/fuzz/corpus";
  };
  std::vector<SourceFile> files;
  for (auto i = fs::recursive_directory_iterator(root); i != fs::recursive_directory_iterator();
       ++i) {
    const std::string path = fs::relative(i->path(), root).generic_string();
    if (left_out(path, i->path().filename().string())) {
      if (i->is_directory()) i.disable_recursion_pending();
      continue;
    }
    if (!i->is_regular_file()) continue;
    std::string text = read_text(i->path());
    if (text.find('\0') == std::string::npos) files.push_back({path, std::move(text)});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string without_comments(std::string_view text, bool literals) {
  const std::vector<Kind> kinds = Lexer(text).run();
  std::string code(text);
  for (size_t i = 0; i < code.size(); ++i) {
    const bool blank = kinds[i] == Kind::Comment || (literals && kinds[i] == Kind::Literal);
    if (blank && code[i] != '\n') code[i] = ' ';
  }
  return code;
}

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  const std::string code = without_comments(text, false);
  int number = 0;
  for (std::string_view line : lines_of(code)) {
    ++number;
    const auto skip_blanks = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    skip_blanks();
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) continue;
    line.remove_prefix(7);
    skip_blanks();
    if (line.empty() || (line[0] != '"' && line[0] != '<')) continue;
    const bool angle = line[0] == '<';
    const size_t end = line.find(angle ? '>' : '"', 1);
    includes.push_back({number,
                        std::string(line.substr(1, end == std::string_view::npos ? end : end - 1)),
                        angle});
  }
  return includes;
}

std::vector<std::pair<int, std::string>> literals_of(std::string_view text) {
  const std::vector<Kind> kinds = Lexer(text).run();
  std::vector<std::pair<int, std::string>> literals;
  int line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    line += text[i] == '\n';
    const char quote = text[i];
    if (kinds[i] != Kind::Literal || (quote != '"' && quote != '\'')) continue;
    const size_t begin = i + 1;
    size_t end = begin;
    while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    const std::string_view inside = text.substr(begin, end - begin);
    if (quote == '"') literals.emplace_back(line, inside);
    line += static_cast<int>(std::count(inside.begin(), inside.end(), '\n'));
    i = end;
  }
  return literals;
}

}  // namespace tg::frame
