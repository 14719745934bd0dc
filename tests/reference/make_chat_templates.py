#!/usr/bin/env python3
"""Chat templates and what Jinja makes of them, set up as `transformers` does.

  make_chat_templates.py FOLDER         reads FOLDER/*.jinja and FOLDER/snippets.txt and writes FOLDER/{published,snippets,random}.json,
                                        which tests/unit/frontend/template/reference_test.cpp reads
  make_chat_templates.py --random N [--seed S]    prints as many cases of random templates, a line of JSON each

Run by hand (needs `pip install jinja2`). The files *.jinja have the templates of published families, each written for these tests
in its family's form. snippets.txt has small templates for each part of the language, between lines of dashes. An error of Jinja is
null: only that there is one is compared."""
import argparse
import copy
import datetime
import json
import pathlib
import random
import sys

try:
  import jinja2
  import jinja2.ext
  from jinja2.sandbox import ImmutableSandboxedEnvironment
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

NOW = datetime.datetime(2024, 7, 26, 14, 3, 9)
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
VARIABLES = {
  "text": "Hello, World", "blank": "", "spaces": "  a  b\t\n", "word": "naïve ÉCOLE straße", "smile": "🙂 ok", "one": 1, "half": 0.5, "yes": True,
  "nothing": None, "large": 123456789012, "numbers": [3, 1, 2], "words": ["b", "A", "c", "B"], "empty": [], "nested": [[1, [2, 3]], {"a": [4]}],
  "map": {"b": 2, "a": 1, "C": "x"}, "people": [{"name": "Ann", "age": 31, "tags": ["x"]}, {"name": "bob", "age": 25}, {"name": "Cid", "age": 31}],
  "quoted": "it's \"so\" \\ <b>&amp;</b>", "lines": "first\n  second\n\nthird", "items": "a variable",
}
CALL = {"id": "abcdefgh1", "type": "function", "function": {"name": "get_weather", "arguments": {"city": "Zürich", "days": 2, "exact": None}}}
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "The weather of a place.\nIn °C.", "parameters": {
  "type": "object", "properties": {"city": {"type": "string", "description": "the <place>"}, "days": {"type": ["integer", "null"],
                                                                                              "description": " how many "}},
  "required": ["city"]}}}


def says(role, content, **more):
  return {"role": role, "content": content, **more}


CONVERSATIONS = [
  {"messages": [says("user", "Hi there!")]},
  {"messages": [says("user", "  Hi\n "), says("assistant", " Hello. \n"), says("user", "Who are you?")]},
  {"messages": [says("system", "Be brief."), says("user", "Hi"), says("assistant", "<think>\nhm\n</think>\n\nYes?"), says("user", "日本語 🙂?")]},
  {"messages": [says("system", "Be brief."), says("user", "Hi"), says("assistant", "Yes?")], "add_generation_prompt": False},
  {"messages": [says("assistant", "Yes?"), says("user", "Hi")]},
  {"messages": [says("user", "one"), says("user", "two")]},
  {"messages": []},
  {"messages": [says("user", "Weather?")], "tools": [TOOL]},
  {"messages": [says("system", "Use tools."), says("user", "Weather in Zürich?"), says("assistant", "", tool_calls=[CALL]),
                says("tool", '{"t": 21.5}', tool_call_id="abcdefgh1", name="get_weather"), says("assistant", "It is warm."), says("user", "Thanks")],
   "tools": [TOOL, TOOL]},
  {"messages": [says("user", "Weather?"), says("assistant", None, tool_calls=[CALL, CALL]), says("tool", "warm", tool_call_id="abcdefgh1"),
                says("tool", "cold", tool_call_id="abcdefgh1")]},
  {"messages": [says("user", [{"type": "text", "text": " What is this? "}, {"type": "image"}])]},
  {"messages": [says("user", "Hi"), says("assistant", "Yes", reasoning_content="\nthinking\n")], "variables": {"enable_thinking": False}},
  {"messages": [says("user", "2+2"), says("assistant", "", tool_calls=[CALL]), says("ipython", "4")], "tools": [TOOL],
   "variables": {"builtin_tools": ["get_weather", "code_interpreter"], "tools_in_user_message": False, "date_string": "1 Jan 2025"}},
  {"messages": [{"role": "user"}]},
  {"messages": [says("user", "<|im_start|>{{ 1 }} {% if %} \\n 'quotes\" </s>")]},
]


def raise_exception(message):
  raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
  return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Generation(jinja2.ext.Extension):
  """{% generation %}, as AssistantTracker of transformers has it."""
  tags = {"generation"}

  def parse(self, parser):
    line = next(parser.stream).lineno
    body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
    return jinja2.nodes.CallBlock(self.call_method("_said"), [], [], body).set_lineno(line)

  @jinja2.pass_eval_context
  def _said(self, _, caller):
    return caller()


def rendered(text, variables):
  """The text; None for any error."""
  env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
  env.filters["tojson"] = tojson
  env.globals.update(raise_exception=raise_exception, strftime_now=lambda f: NOW.strftime(f))
  try:
    out = env.from_string(text).render(**variables)
    out.encode("utf-8")
    return out
  except Exception:  # of Jinja, or of Python within it
    return None


def conversation_text(text, c):
  return rendered(text, {**TOKENS, "messages": c["messages"], "tools": c.get("tools"), "documents": None,
                         "add_generation_prompt": c.get("add_generation_prompt", True), **c.get("variables", {})})


def snippet_text(text):
  # Copies: the filter indent adds a line end to a list that it is given.
  return rendered(text, {**TOKENS, "messages": [], "tools": None, "documents": None, "add_generation_prompt": True, **copy.deepcopy(VARIABLES)})


class Maker:
  """Random templates of the language."""

  NAMES = ["text", "blank", "spaces", "word", "smile", "one", "half", "yes", "nothing", "numbers", "words", "empty", "nested", "map", "people",
           "quoted", "lines", "missing", "x", "y", "ns.a", "loop.index", "loop.last", "people[0]", "people[1].name", "map.a", "map['C']", "nested[0]"]
  LITERALS = ["0", "1", "-2", "7", "2.5", "1e3", "true", "false", "none", "''", "'a'", "'Ab c'", "'é\\n'", "\"it's\"", "[]", "[1, 'b']", "(1, 2)",
              "{'k': 1, 'j': [2]}", "()"]
  FILTERS = ["trim", "length", "upper", "lower", "title", "capitalize", "first", "last", "list", "string", "int", "float", "abs", "join", "join('-')",
             "tojson", "tojson(indent=2)", "default('d')", "default('d', true)", "replace('a', 'bb')", "reverse|list", "sort", "unique|list",
             "map('upper')|list", "map(attribute='name')|list", "selectattr('age')|list", "selectattr('age', 'gt', 26)|map(attribute='name')|join(' ')",
             "select('string')|list", "reject('none')|list", "items|list", "dictsort", "indent(2)", "batch(2)|list", "sum", "min", "max",
             "round(1)", "wordcount", "count"]
  TESTS = ["defined", "undefined", "none", "string", "number", "mapping", "sequence", "iterable", "boolean", "integer", "float", "true", "false", "odd",
           "even", "divisibleby 2", "in [1, 'a', none]", "eq 1", "sameas none", "lower", "upper", "callable"]
  METHODS = [".strip()", ".split()", ".split(',')", ".upper()", ".lower()", ".title()", ".startswith('H')", ".replace('l', 'L')", ".items()|list",
             ".get('a')", ".get('z', 0)", ".keys()|list", ".values()|list", ".lstrip('H')", ".find('o')", ".count('l')", ".splitlines()", ".join(words)",
             "[0]", "[-1]", "[1:]", "[::-1]", "[:2]", "[5]", "['a']", ".a", ".rsplit(' ', 1)", ".isdigit()", ".partition(' ')", ".capitalize()"]

  def __init__(self, seed):
    self.r = random.Random(seed)

  def pick(self, of):
    return self.r.choice(of)

  def expression(self, depth=3):
    kind = self.r.randrange(14) if depth > 0 else self.r.randrange(2)
    sub = lambda: self.expression(depth - 1)
    if kind < 2:
      return self.pick(self.NAMES if kind else self.LITERALS)
    if kind < 5:
      return f"{self.operand(depth)}|{self.pick(self.FILTERS)}"
    if kind < 7:
      method = self.pick(self.METHODS)
      # Jinja takes the slice of a number for undefined if it is a constant, and for an error else.
      return (self.pick(self.NAMES) if ":" in method else self.operand(depth)) + method
    if kind == 7:
      return f"{self.operand(depth)} is {self.pick(['', 'not '])}{self.pick(self.TESTS)}"
    if kind == 8:
      return f"{sub()} if {sub()}" + (f" else {sub()}" if self.r.random() < 0.8 else "")
    if kind == 9:
      return f"{self.operand(depth)} {self.pick(['+', '-', '*', '/', '//', '%', '~', '~', '~', '+'])} {self.operand(depth)}"
    if kind == 10:
      return f"{self.operand(depth)} {self.pick(['==', '!=', '<', '>=', 'in', 'not in'])} {self.operand(depth)}"
    if kind == 11:
      return f"{self.operand(depth)} {self.pick(['and', 'or'])} {self.operand(depth)}"
    if kind == 12:
      return f"not {self.operand(depth)}"
    return self.pick([f"[{sub()}, {sub()}]", f"{{'k': {sub()}}}", f"range({self.r.randrange(5)})|list", f"m({sub()})", f"({sub()}, {sub()})"])

  def operand(self, depth):
    e = self.expression(depth - 1)
    return e if self.r.random() < 0.3 else f"({e})"

  def tag(self, inside):
    return f"{{%{self.pick(['', '', '-', '+'])} {inside} {self.pick(['', '', '-'])}%}}"

  def space(self):
    return self.pick(["", "", " ", "\n", "\n  ", "  \n", "x", " y\n", "é ", "{", "%}"])

  def block(self, depth=2):
    return "".join(self.space() + self.statement(depth) + self.space() for _ in range(self.r.randrange(1, 4)))

  def statement(self, depth):
    kind = self.r.randrange(12) if depth > 0 else self.r.randrange(4)
    if kind < 4:
      return f"{{{{{self.pick(['', '-'])} {self.expression()} {self.pick(['', '-'])}}}}}"
    if kind == 4:
      return self.tag(f"set {self.pick(['x', 'y', 'ns.a'])} = {self.expression()}")
    if kind < 7:
      out = self.tag(f"if {self.expression(2)}") + self.block(depth - 1)
      if self.r.random() < 0.4:
        out += self.tag(f"elif {self.expression(2)}") + self.block(depth - 1)
      if self.r.random() < 0.5:
        out += self.tag("else") + self.block(depth - 1)
      return out + self.tag("endif")
    if kind < 10:
      target, over = self.pick([("x", "numbers"), ("y", "words"), ("x, y", "map.items()"), ("x", "people"), ("x", "range(3)"), ("x", "text"), ("y", "empty"),
                                ("x", self.expression(1))])
      test = f" if {self.expression(1)}" if self.r.random() < 0.3 else ""
      jump = self.tag(f"if {self.expression(1)}") + self.tag(self.pick(["break", "continue"])) + self.tag("endif") if self.r.random() < 0.3 else ""
      end = self.tag("else") + self.block(depth - 1) if self.r.random() < 0.3 else ""
      return self.tag(f"for {target} in {over}{test}") + jump + self.block(depth - 1) + end + self.tag("endfor")
    if kind == 10:
      return self.pick([f"{{#{self.pick(['', '-'])} a {{{{ comment }}}} {self.pick(['', '-'])}#}}", self.tag("raw") + "{{ raw }} {% x %}" + self.tag("endraw")])
    return self.tag(f"set {self.pick(['x', 'y'])}") + self.block(depth - 1) + self.tag("endset")

  def template(self):
    return "{% set ns = namespace(a=1) %}{% macro m(v, w='d') %}[{{ v }}{{ w }}]{% endmacro %}" + self.block(3)


def random_cases(count, seed):
  """Templates with a text; and every tenth with an error."""
  maker, out, errors = Maker(seed), [], 0
  while len(out) < count:
    template = maker.template()
    text = snippet_text(template)
    if text is not None and ("generator object" in text or " at 0x" in text or "<" in text and "range(" in text):
      continue
    if text is None and errors * 10 > len(out):
      continue
    errors += text is None
    out.append({"template": template, "text": text})
  return out


def snippets(folder):
  lines = [t.strip("\n") for t in (folder / "snippets.txt").read_text().split("\n----\n")]
  return [t.replace("␍", "\r").replace("␠", " ").replace("⏎", "\n") for t in lines]


def dump(path, lines):
  path.write_text("[\n" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n]\n")


def main():
  p = argparse.ArgumentParser()
  p.add_argument("folder", nargs="?", type=pathlib.Path)
  p.add_argument("--random", type=int, default=0)
  p.add_argument("--seed", type=int, default=1)
  a = p.parse_args()
  if a.random:
    for case in random_cases(a.random, a.seed):
      print(json.dumps({"variables": VARIABLES, **case}, ensure_ascii=False))
    return
  published = [{"tokens": TOKENS, "conversations": CONVERSATIONS}]
  for file in sorted(a.folder.glob("*.jinja")):
    published.append({"template": file.stem, "texts": [conversation_text(file.read_text(), c) for c in CONVERSATIONS]})
  dump(a.folder / "published.json", published)
  dump(a.folder / "snippets.json", [{"variables": VARIABLES}] + [{"template": t, "text": snippet_text(t)} for t in snippets(a.folder)])
  dump(a.folder / "random.json", [{"variables": VARIABLES}] + random_cases(300, 7))


if __name__ == "__main__":
  main()
