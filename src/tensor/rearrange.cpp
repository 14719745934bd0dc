// The formulas of einops: "b (h w) ... -> b ... h w, h=4". A formula is read into groups of names,
// one an axis; names get sizes; then it is RESHAPE, PERMUTE, RESHAPE.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "tensor/ops.h"
#include "tg/ir/interval.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr std::string_view kRearrange = "rearrange";
using AxisNames = std::vector<std::string>;  // the names in one axis; none: an axis of size 1
using AxisList = std::vector<AxisNames>;
const std::string kDots = "...", kMergedDots = "(...)";
using NamedSizes = std::map<std::string, Dim>;

class Rearrangement {
 public:
  Rearrangement(const std::string& formula, std::span<const Dim> shape) : formula_(formula) {
    const size_t comma = formula.find(',');
    const std::string axes = formula.substr(0, comma);
    const size_t arrow = axes.find("->");
    if (arrow == std::string::npos || axes.find("->", arrow + 2) != std::string::npos)
      bad("needs one '->'");
    left = groups_of(axes.substr(0, arrow));
    right = groups_of(axes.substr(arrow + 2));
    expand_dots(shape.size());
    if (left.size() != shape.size()) bad(fmt::format("does not fit shape {}", text(shape)));
    check_names();
    NamedSizes given;
    if (comma != std::string::npos) given = sizes_given(formula.substr(comma + 1));
    for (size_t i = 0; i < left.size(); ++i) set_sizes(left[i], shape[i], given);
  }

  AxisList left, right;
  NamedSizes sizes;

  static AxisNames flat(const AxisList& groups) {
    AxisNames out;
    for (const AxisNames& g : groups) out.insert(out.end(), g.begin(), g.end());
    return out;
  }
  Dim size_of_group(const AxisNames& group) const {
    Dim n = 1;
    for (const std::string& name : group) n *= sizes.at(name);
    return n;
  }

 private:
  [[noreturn]] void bad(const std::string& what) const {
    user_error<ArgumentError>(kRearrange, fmt::format("{}: \"{}\"", what, formula_),
                              "Hint: as in \"b (h w) c -> b c h w, h=4\".");
  }

  // One token from `at` on: a parenthesis, "...", or a name; empty at the end.
  static std::string next_token(const std::string& side, size_t& at) {
    while (at < side.size() && side[at] == ' ') ++at;
    const size_t begin = at;
    if (at == side.size()) return {};
    const auto ends = [&](size_t i) {
      return i >= side.size() || side[i] == ' ' || side[i] == '(' || side[i] == ')';
    };
    if (side.compare(at, 3, "...") == 0 && ends(at + 3)) return at += 3, "...";
    if (side[at] == '(' || side[at] == ')') return std::string(1, side[at++]);
    while (!ends(at)) ++at;
    return side.substr(begin, at - begin);
  }

  AxisList groups_of(const std::string& side) const {
    AxisList out;
    bool inside = false;
    size_t at = 0;
    for (std::string token; !(token = next_token(side, at)).empty();) {
      if (token == "(" || token == ")") {
        if (inside == (token == "(")) bad("parentheses do not fit");
        inside = !inside;
        if (inside) out.emplace_back();
      } else {
        if (token.starts_with(kDots) && token != kDots) bad(fmt::format("'{}' is no name", token));
        if (!inside) out.emplace_back();
        if (token != "1") out.back().push_back(inside && token == kDots ? kMergedDots : token);
      }
    }
    if (inside) bad("parentheses do not fit");
    return out;
  }

  // "..." on the left becomes an axis for each that it stands for, on the right these axes, or
  // their names where it stands in parentheses.
  void expand_dots(size_t axes) {
    const auto has_dots = [](const AxisNames& g) {
      return std::ranges::any_of(g, [](const auto& n) { return n == kDots || n == kMergedDots; });
    };
    const auto found = std::ranges::find_if(left, has_dots);
    if (found == left.end()) {
      if (std::ranges::any_of(right, has_dots)) bad("'...' stands on the right only");
      return;
    }
    if (found->front() != kDots || left.size() > axes + 1) bad("'...' does not fit the axes");
    AxisNames each;
    for (size_t i = 0; i < axes + 1 - left.size(); ++i) each.push_back(fmt::format("...{}", i));
    replace_dots(left, each);
    replace_dots(right, each);
  }

  static void replace_dots(AxisList& groups, const AxisNames& each) {
    AxisList out;
    for (const AxisNames& group : groups) {
      if (!group.empty() && group.front() == kDots) {
        for (const std::string& name : each) out.push_back(AxisNames(1, name));
        continue;
      }
      AxisNames names;
      for (const std::string& name : group) {
        if (name == kMergedDots)
          names.insert(names.end(), each.begin(), each.end());
        else
          names.push_back(name);
      }
      out.push_back(names);
    }
    groups = out;
  }

  // Letters of any script, digits and underscores between them, as einops has it.
  static bool is_name(const std::string& name) {
    const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c >= 0x80; };
    const auto is_part = [&](unsigned char c) {
      return is_letter(c) || std::isdigit(c) != 0 || c == '_';
    };
    return is_letter(static_cast<unsigned char>(name.front())) && name.back() != '_' &&
           std::ranges::all_of(name, is_part);
  }

  void check_names() const {
    AxisNames names = flat(left), wanted = flat(right);
    std::ranges::sort(names);
    std::ranges::sort(wanted);
    for (const std::string& name : names) {
      if (!name.starts_with(kDots) && !is_name(name)) bad(fmt::format("'{}' is no name", name));
    }
    for (const AxisNames* side : {&names, &wanted}) {
      const auto twice = std::ranges::adjacent_find(*side);
      if (twice != side->end()) bad(fmt::format("'{}' stands twice on one side", *twice));
    }
    if (names != wanted) bad("both sides must name the same axes");
  }

  // "h=4, w=2".
  NamedSizes sizes_given(std::string list) const {
    std::erase(list, ' ');
    NamedSizes out;
    const AxisNames names = flat(left);
    for (size_t begin = 0; begin <= list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      const std::string item = list.substr(begin, end - begin);
      const size_t equals = std::min(item.find('='), item.size());
      const std::string name = item.substr(0, equals);
      Dim size = -1;
      const char* const digits = item.data() + std::min(equals + 1, item.size());
      const char* const last = item.data() + item.size();
      if (const auto [p, e] = std::from_chars(digits, last, size); e != std::errc() || p != last)
        bad(fmt::format("'{}' is no size of a name", item));
      if (std::ranges::find(names, name) == names.end() || size < 0)
        bad(fmt::format("'{}' is no size of an axis", item));
      out[name] = size;
      begin = end + 1;
    }
    return out;
  }

  // Sizes of the names in an axis; one of them follows from the others.
  void set_sizes(const AxisNames& group, Dim extent, const NamedSizes& given) {
    Dim known = 1;
    std::string free;
    for (const std::string& name : group) {
      if (const auto it = given.find(name); it != given.end()) {
        sizes[name] = it->second;
        known = saturating_mul(known, it->second);
      } else if (free.empty()) {
        free = name;
      } else {
        bad(fmt::format("the sizes of '{}' and '{}' are not given", free, name));
      }
    }
    const bool fits = free.empty() ? known == extent : known > 0 && extent % known == 0;
    if (!fits)
      bad(fmt::format("({}) does not fit an axis of size {}", fmt::join(group, " "), extent));
    if (!free.empty()) sizes[free] = extent / known;
  }

  const std::string& formula_;
};

}  // namespace

Tensor Tensor::rearrange(const std::string& formula) const {
  const UOp x = node_of(*this, kRearrange);
  const Rearrangement r(formula, x.shape());
  const AxisNames names = Rearrangement::flat(r.left), wanted = Rearrangement::flat(r.right);
  // Axes of variable size stay axes of their own, under the variable.
  const auto plain = sizes();
  std::map<std::string, SymInt> size_of_name;
  for (size_t i = 0; i < r.left.size(); ++i) {
    if (r.left[i].size() == 1) {
      size_of_name.insert_or_assign(r.left[i][0], plain[i]);
    } else {
      need_plain_axis(kRearrange, x, static_cast<int>(i));
      for (const std::string& name : r.left[i])
        size_of_name.insert_or_assign(name, SymInt(r.sizes.at(name)));
    }
  }
  std::vector<SymInt> split, merged;
  std::vector<int64_t> order;
  for (const std::string& name : names) split.push_back(size_of_name.at(name));
  for (const std::string& name : wanted)
    order.push_back(std::ranges::find(names, name) - names.begin());
  for (const AxisNames& group : r.right) {
    SymInt size = 1;
    for (const std::string& name : group) size = size * size_of_name.at(name);
    merged.push_back(size);
  }
  return reshape(Sizes(split)).permute(order).reshape(Sizes(merged));
}

}  // namespace tg
