"""PAGE: the page of the server (serve.py), on which one chats with the model. One file without parts from
elsewhere; texts are put in as texts, never as markup."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chat</title>
<style>
  :root { color-scheme: light dark; --line: #8884; --own: #8882; }
  body { margin: 0; height: 100dvh; display: grid; grid-template-rows: 1fr auto; font: 16px/1.5 system-ui, sans-serif; }
  main { overflow-y: auto; padding: 1rem max(1rem, 50% - 24rem); }
  article { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 1rem; }
  article.user { background: var(--own); border-radius: 1rem; padding: .5rem 1rem; margin-left: 20%; }
  article.error { color: #c33; }
  .thoughts { opacity: .6; font-style: italic; }
  form { display: flex; gap: .5rem; padding: .75rem max(1rem, 50% - 24rem); border-top: 1px solid var(--line); }
  textarea { flex: 1; font: inherit; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .75rem; resize: none;
             field-sizing: content; max-height: 40dvh; }
  button { font: inherit; padding: 0 1rem; border: 1px solid var(--line); border-radius: .75rem; }
</style>
</head>
<body>
<main aria-live="polite"></main>
<form>
  <textarea rows="1" placeholder="Message" aria-label="Message" autofocus></textarea>
  <button>Send</button>
</form>
<script>
const [main, form] = [document.querySelector("main"), document.querySelector("form")];
const [field, button] = [form.querySelector("textarea"), form.querySelector("button")];
const messages = [];
let running = null;  // ends the answer that is coming

function show(kind, text) {
  const article = document.createElement("article");
  article.className = kind;
  article.textContent = text;
  main.append(article);
  main.scrollTop = main.scrollHeight;
  return article;
}

function part(article, kind) {
  let last = article.lastElementChild;
  if (!last || last.className !== kind) {
    last = document.createElement("span");
    last.className = kind;
    article.append(last);
  }
  return last;
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\\n");
    rest = lines.pop();
    for (const line of lines)
      if (line.startsWith("data: ") && line !== "data: [DONE]") yield JSON.parse(line.slice(6));
  }
}

async function answer(article, signal) {
  const response = await fetch("/v1/chat/completions", {
    method: "POST", signal, headers: {"Content-Type": "application/json"},
    body: JSON.stringify({messages, stream: true, temperature: 0.7})});
  if (!response.ok) throw new Error((await response.json()).error.message);
  for await (const event of events(response.body)) {
    if (event.error) throw new Error(event.error.message);
    const delta = event.choices[0]?.delta ?? {};
    const follows = main.scrollHeight - main.scrollTop - main.clientHeight < 40;
    if (delta.reasoning_content) part(article, "thoughts").textContent += delta.reasoning_content;
    if (delta.content) part(article, "said").textContent += delta.content;
    if (follows) main.scrollTop = main.scrollHeight;
  }
}

async function send() {
  const text = field.value.trim();
  if (!text) return;
  field.value = "";
  messages.push({role: "user", content: text});
  show("user", text);
  const article = show("assistant", "");
  running = new AbortController();
  button.textContent = "Stop";
  try {
    await answer(article, running.signal);
  } catch (error) {
    if (error.name !== "AbortError") show("error", error.message);
  }
  running = null;
  button.textContent = "Send";
  const said = [...article.querySelectorAll(".said")].map((span) => span.textContent).join("");
  if (said) messages.push({role: "assistant", content: said});
  else messages.pop();
  field.focus();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else send();
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    if (!running) send();
  }
});
</script>
</body>
</html>
"""
