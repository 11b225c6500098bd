#!/usr/bin/env python3
"""A scribe over the socket: one turn for each text, its summary beside it. The standard library alone."""

import http.client
import json
import os
import re
import signal
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path

COMMON = set(
    "a about after all also an and any are as at be because been but by can do does for from had has have he her his how"
    " if in into is it its itself more most never no not of off on one or other our she so some such than that the their"
    " them then there these they this those to two under up was were what when where which who whoever whole will with"
    " would you".split()
)


class Draining(Exception):
    """The agent was asked to end: no turn begins any more."""


class Harness:
    """The few requests that an agent needs, over the Unix socket in MOORAGE_SOCKET. Without one, a turn is just a call."""

    def __init__(self, path):
        self.path = path

    def connect(self, seconds):
        connection = http.client.HTTPConnection("localhost", timeout=seconds)
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(seconds)
        connection.sock.connect(self.path)
        return connection

    def request(self, method, target, body=None):
        connection = self.connect(30)
        try:
            headers = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, target, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def turn(self, work):
        """Calls work(prompt) as one turn: a stop waits for it, and its catalog stays the same until it is over."""
        if self.path is None:
            return work(Path("catalog/prompts/system.md").read_text(encoding="utf-8"))
        status, answer = self.request("POST", "/v1/turns")
        if status == 409:
            raise Draining()
        turn = json.loads(answer)["id"]
        outcome = "failed"
        try:
            status, prompt = self.request("GET", f"/v1/turns/{turn}/catalog/prompts/system.md")
            work(prompt.decode("utf-8") if status == 200 else "")
            outcome = "succeeded"
        finally:
            self.request("DELETE", f"/v1/turns/{turn}", {"outcome": outcome})

    def on_staged(self, act):
        """Calls act() whenever another catalog waits for the next turn; in the background, as long as the harness is there."""

        def listen():
            connection = self.connect(None)
            connection.request("GET", "/v1/events")
            for line in connection.getresponse():
                if line.strip() == b"event: staged":
                    act()

        if self.path is not None:
            threading.Thread(target=listen, daemon=True).start()

    def health(self, ok):
        if self.path is not None:
            self.request("PUT", "/v1/health", {"ok": ok})


def words_of(text):
    return [word for word in re.findall(r"[^\W\d_][\w'’-]*", text.lower()) if len(word) > 2 and word not in COMMON]


def summarise(text, count):
    """The most telling sentences of a text, in the order in which they stand there."""
    frequency = Counter(words_of(text))
    sentences = [s.strip() for s in re.findall(r"[^.!?]+[.!?]+(?=\s|$)|[^.!?]+$", " ".join(text.split())) if s.strip()]

    def score(index):
        words = words_of(sentences[index])
        return sum(frequency[word] for word in words) / (len(words) + 1) ** 0.5 * (1.2 if index == 0 else 1)

    best = sorted(range(len(sentences)), key=score, reverse=True)[:count]
    return [sentences[index] for index in sorted(best)]


def due(folder, renewed):
    """Texts without a summary, or with one that is older than they or the catalog are. `renewed`: seconds since 1970."""
    for text in sorted(folder.glob("*.txt")):
        summary = text.with_suffix(".summary.md")
        if not summary.exists() or summary.stat().st_mtime < max(renewed, text.stat().st_mtime):
            yield text, summary


def main():
    folder = Path(os.environ.get("TEXTS", "texts"))
    pace = float(os.environ.get("SECONDS_PER_TEXT", "1"))
    harness = Harness(os.environ.get("MOORAGE_SOCKET"))
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    # Another prompt may want the summaries otherwise: those from before are written anew.
    renewed = 0.0

    def renew():
        nonlocal renewed
        renewed = time.time()

    harness.on_staged(renew)

    def write(text, summary, prompt):
        threading.Event().wait(pace)
        count = int((re.search(r"^sentences:\s*(\d+)", prompt, re.MULTILINE) or ["", "2"])[1])
        draft = summary.with_suffix(".draft")
        draft.write_text("".join(f"- {line}\n" for line in summarise(text.read_text(encoding="utf-8"), count)), encoding="utf-8")
        draft.replace(summary)
        print(f"{text.name}: {count} sentences", flush=True)

    print(f"working through {folder}", flush=True)
    while not ending.is_set():
        try:
            for text, summary in due(folder, renewed):
                if ending.is_set():
                    break
                harness.turn(lambda prompt, text=text, summary=summary: write(text, summary, prompt))
        except Draining:
            break
        harness.health(True)
        ending.wait(2)
    print("ending", flush=True)


if __name__ == "__main__":
    sys.exit(main())
