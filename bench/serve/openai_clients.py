#!/usr/bin/env python3
"""Many clients of tg serve at once, by the package `openai`: each streams an answer, which must be
the one that it gets alone; printed are tokens a second and the time to the first one.

    tg serve MODEL --slots 8 --max-queue 64
    python3 bench/serve/openai_clients.py --clients 64 --tokens 16

It needs `pip install openai`, and says so. The server's own tests need nothing of it:
tests/unit/frontend/server.
"""
import argparse
import asyncio
import statistics
import sys
import time

try:
    import openai
except ImportError:
    sys.exit("openai_clients.py: needs the package openai (pip install openai)")


async def answer(client, model, number, tokens):
    """The text of a client's stream, its tokens, and the seconds to the first piece."""
    start, first, text, made = time.monotonic(), None, "", 0
    stream = await client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": f"Client {number} asks for a story about {number * 7}."}],
        max_tokens=tokens,
        temperature=0,
        stream=True,
        stream_options={"include_usage": True},
    )
    async for event in stream:
        if event.choices and event.choices[0].delta.content:
            first = first or time.monotonic() - start
            text += event.choices[0].delta.content
        if event.usage:
            made = event.usage.completion_tokens
    return text, made, first or time.monotonic() - start


async def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--url", default="http://127.0.0.1:8080/v1")
    parser.add_argument("--api-key", default="none")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--alone", type=int, default=8, help="clients that are compared with their answer alone")
    o = parser.parse_args()
    client = openai.AsyncOpenAI(base_url=o.url, api_key=o.api_key, timeout=600, max_retries=0)
    model = (await client.models.list()).data[0].id
    start = time.monotonic()
    together = await asyncio.gather(*(answer(client, model, i, o.tokens) for i in range(o.clients)))
    seconds = time.monotonic() - start
    made = sum(tokens for _, tokens, _ in together)
    print(f"{o.clients} streams: {made} tokens in {seconds:.1f} s, {made / seconds:.1f} a second; "
          f"first token after {statistics.median(first for *_, first in together):.2f} s (median), "
          f"{max(first for *_, first in together):.2f} s (longest)")
    wrong = 0
    for i in range(min(o.alone, o.clients)):
        alone = (await answer(client, model, i, o.tokens))[0]
        wrong += alone != together[i][0]
    print(f"{min(o.alone, o.clients)} of them once more, alone: {wrong} differ")
    for wrong_request in ({"n": 2}, {"logprobs": True}):
        try:
            await client.chat.completions.create(
                model=model, messages=[{"role": "user", "content": "a"}], **wrong_request)
            wrong += 1
        except openai.BadRequestError as error:
            print("refused:", error.body["message"])
    return 1 if wrong or made == 0 else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
