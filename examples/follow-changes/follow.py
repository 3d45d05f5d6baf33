"""Keeps a copy of a company in copy.json and follows its changes.

Copy and cursor are stored in one step, so that after any crash the next start goes on where the copy stands.
Python 3.9 or newer, nothing else: python3 follow.py [--once]
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

BASE_URL = os.environ.get("PLUMBLINE_URL", "http://127.0.0.1:3000")
TOKEN = os.environ["PLUMBLINE_TOKEN"]
FILE = "copy.json"
ONCE = "--once" in sys.argv


reported_at = None


def report(failure):
    """Names the address at the first failed attempt, then once a minute."""
    global reported_at
    if reported_at is None or time.monotonic() - reported_at >= 60:
        reported_at = time.monotonic()
        print(f"{BASE_URL} does not answer ({failure}); trying again.", file=sys.stderr)


def ask(path):
    """Again after a pause where the service or the way to it fails; any other refusal is an error."""
    pause = 0.5
    while True:
        request = urllib.request.Request(BASE_URL + path, headers={"Authorization": "Bearer " + TOKEN})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 410:
                return error.code, None
            if error.code != 429 and error.code < 500:
                raise SystemExit(error.read().decode())
            report(f"status {error.code}")
        except (urllib.error.URLError, OSError) as error:
            report(error)
        time.sleep(pause)
        pause = min(pause * 2, 30)


def start():
    """The cursor first, then the lists: a change during the listing is told afterwards."""
    meta = ask("/v1/changes?after=now")[1]["meta"]
    copy = {}
    for records in meta["records"]:
        copy[records] = {}
        after = 0
        while True:
            data = ask(f"/v1/{records}?limit=100&after_id={after}")[1]["data"]
            for row in data:
                copy[records][str(row["id"])] = row
            if len(data) < 100:
                break
            after = data[-1]["id"]
    return {"cursor": meta["next"], "copy": copy}


def apply(copy, change):
    """`record` is the record as it is now, so a change that is applied twice does no harm."""
    rows = copy.setdefault(change["records"], {})
    if change["action"] in ("deleted", "erased"):
        rows.pop(str(change["record_id"]), None)
    elif change["record"] is not None:
        rows[str(change["record_id"])] = change["record"]


def store(state):
    with open(FILE + ".new", "w") as file:
        json.dump(state, file)
    os.replace(FILE + ".new", FILE)


def main():
    if os.path.exists(FILE):
        with open(FILE) as file:
            state = json.load(file)
    else:
        state = start()
    while True:
        status, body = ask(f"/v1/changes?limit=100{'' if ONCE else '&wait=20'}&after=" + state["cursor"])
        if status == 410:
            # The feed no longer goes on from there: what happened meanwhile is seen by listing everything.
            state = start()
            continue
        for change in body["data"]:
            apply(state["copy"], change)
        state["cursor"] = body["meta"]["next"]
        store(state)
        if ONCE and not body["meta"]["more"] and not body["data"]:
            return


main()
