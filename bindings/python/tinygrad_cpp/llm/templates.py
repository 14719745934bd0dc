"""Conversations as one text for a model: by the template that its file brings, if jinja2 is
installed, else by the forms of known families. Tokens are made of the text by tokenizer.py."""
import json
import sys
import time

from tinygrad_cpp.errors import ArgumentError

# preset → (what opens a turn of a {role}, what closes it; {eos} is the text of that token)
_FORMS = {"olmo": ("<|{role}|>\n", "\n"),
          "kimi-k2": ("<|im_{role}|>{role}<|im_middle|>", "{eos}"),
          "qwen2": ("<|im_start|>{role}\n", "{eos}\n"),
          "glm4": ("<|{role}|>", "")}
_LLAMA_FORM = ("<|start_header_id|>{role}<|end_header_id|>\n\n", "{eos}")
_TEKKEN = {"user": "[INST]", "assistant": ""}


def _text_of(content):
  """The text of a message: a string, parts of type "text", or nothing."""
  if content is None or isinstance(content, str):
    return content or ""
  if not isinstance(content, list):
    raise ArgumentError(f"render: the content of a message is a text or a list of parts: it is a "
                        f"{type(content).__name__}.")
  other = next((part.get("type") for part in content if part.get("type") != "text"), None)
  if other is not None:
    raise ArgumentError(f"render: parts of messages are texts: there is one of type {other!r}.")
  return "".join(part["text"] for part in content)


class FallbackTemplate:
  """A template without jinja2 for the families of the tokenizer's presets. It knows of no tools."""

  def __init__(self, tok):
    self.tok = tok

  def _form(self):
    return _FORMS.get(self.tok.preset, _LLAMA_FORM)

  def role(self, role):
    """What opens a turn of "system", "user", "assistant"."""
    if self.tok.preset != "tekken":
      return self._form()[0].format(role=role)
    if role not in _TEKKEN:
      raise ArgumentError(f"render: this model has turns of 'user' and 'assistant' only: {role!r}.")
    return _TEKKEN[role]

  def end_turn(self):
    """What closes a turn."""
    if self.tok.preset == "tekken":
      return "[/INST]"
    closing = self._form()[1]
    return closing.replace("{eos}", self.tok.decode([self.tok.eos_id]))

  def render(self, messages, tools=None, add_generation_prompt=True, preserve_thinking=False):
    """The text of messages [{"role": ..., "content": ...}], open for an answer unless told
    otherwise."""
    begin = self.tok.decode([] if self.tok.bos_id is None else [self.tok.bos_id])
    turns = [self.role(m["role"]) + _text_of(m.get("content")) + self.end_turn() for m in messages]
    open_turn = self.role("assistant") if add_generation_prompt else ""
    return begin + "<sop>" * (self.tok.preset == "glm4") + "".join(turns) + open_turn


def _refuse(message):
  raise ArgumentError(f"render: the chat template refuses the messages: {message}.")


def _json(x, ensure_ascii=False, **options):
  return json.dumps(x, ensure_ascii=ensure_ascii, **options)


def _environment(tok):
  """Where templates run: they come with files from the net, so they reach nothing but their
  values."""
  from jinja2.sandbox import ImmutableSandboxedEnvironment
  environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                              extensions=["jinja2.ext.loopcontrols"])
  # jinja2's own tojson escapes for pages.
  environment.filters["tojson"] = _json
  environment.globals |= {
    "raise_exception": _refuse, "strftime_now": time.strftime,
    "eos_token": tok.decode([tok.eos_id]),
    "bos_token": "" if tok.bos_id is None else tok.decode([tok.bos_id])}
  return environment


class ModelTemplate:
  """The template of a model's file; `render` as of FallbackTemplate. ArgumentError if it fails."""

  def __init__(self, source, tok):
    self.template = _environment(tok).from_string(source)

  def render(self, **values):
    """The text of `messages=`, `tools=` and what else the template knows."""
    try:
      return self.template.render(**values)
    except ArgumentError:
      raise
    except Exception as error:  # whatever the operations of a template raise
      raise ArgumentError(f"render: the chat template fails: {error}.") from None


def chat_template(kv, tok):
  """The template of a file's facts, or a FallbackTemplate with a line on standard error that says
  why."""
  source = kv.get("tokenizer.chat_template")
  if source is None:
    return FallbackTemplate(tok)
  try:
    import jinja2
    return ModelTemplate(source, tok)
  except ImportError:
    why = "jinja2 is not installed"
  except jinja2.TemplateSyntaxError as error:
    why = f"it cannot be read: {error}"
  print(f"warning: the model's chat template is not used: {why}", file=sys.stderr)
  return FallbackTemplate(tok)
