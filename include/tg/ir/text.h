// The IR as text: dumps, tests, bug reports and tg-opt all speak it. One node a line, sources
// before users:
//
//     %0 = const{12} : index
//     %1 = range{0} %0 : index
//     %2 = param{0, 12} : float32[12] global
//     %3 = load %2, %1 : float32          ; the rest of a line after a semicolon is a comment
//
// `%serial = op{arguments} sources : dtype<lanes>[extents] space @device`. Lanes 1, extents [] and
// the space of values are left out. Arguments are integers, except for const (a literal of its
// dtype) and var (a name, then integers). Names that do not consist of letters, digits and _ . : -
// are in double quotes. The parser takes the dtype of ops that state theirs, and the device of
// leaves and copies; for all other nodes it checks the written type against the one derived from
// the sources, and the type may be omitted.
// Parsing is in parse.cpp, the one-line form for people in print_expr.cpp.
#pragma once

#include <string>
#include <string_view>

#include "tg/export.h"
#include "tg/ir/uop.h"

namespace tg {

/// All nodes under `root`, numbered by position in toposort order; the root is the last line. The
/// text depends on structure only, except for the unique ids of BUFFERs.
TG_API std::string print(const UOp& root);
/// The same for a list (linear code): every node once, at its place if its sources stand before it.
TG_API std::string print(std::span<const UOp> list);
/// One node as print() writes it, but with its sources as one-line expressions: for error messages.
TG_API std::string print_node(const Node* n);
/// The type as print() writes it: "float32<8>[4] global @CPU".
TG_API std::string print_type(const Node* n);

/// The node of the last line. Given what print() wrote, it is the same node (while that lives). A
/// BUFFER with a positive id is the live buffer of this process with that id, dtype and extents; if
/// there is none, the buffer belongs to another process and gets the negative id, which `buffer()`
/// never gives out, and no storage. Throws ArgumentError "parse: line 3, column 9: …" for anything
/// else than IR, including what a type rule refuses.
TG_API UOp parse(std::string_view text);
/// The nodes of all lines, in order: for linear code.
TG_API std::vector<UOp> parse_list(std::string_view text);

/// One line in C notation with floor division: "r0*6 + r1/4 < 12 ? load(p0, r0) : 0". For reading
/// only: it cannot be parsed, leaves types out, and writes "…" for parts that would make it longer
/// than about 4000 characters.
TG_API std::string print_expr(const UOp& u);
TG_API std::string print_expr(const Node* n);

}  // namespace tg
