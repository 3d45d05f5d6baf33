"""The same as sync.ts, with Python's standard library alone:

PLUMBLINE_URL=... PLUMBLINE_TOKEN=... python3 sync.py payroll.json state.json
"""
import hashlib
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone

if not os.environ.get("PLUMBLINE_URL") or not os.environ.get("PLUMBLINE_TOKEN"):
    sys.exit("Set PLUMBLINE_URL and PLUMBLINE_TOKEN.")
BASE = os.environ["PLUMBLINE_URL"].rstrip("/")
TOKEN = os.environ["PLUMBLINE_TOKEN"]
# In each key, since the service remembers a key for a day.
RUN = datetime.now(timezone.utc).strftime("%Y-%m-%d")


class Refused(Exception):
    """An answer that repeating does not change."""


def ask(method, path, headers=None, body=None, statuses=()):
    """One call: status, headers, value. What may be repeated is, with the same key."""
    sent = {"Authorization": "Bearer " + TOKEN, **(headers or {})}
    data = None
    if body is not None:
        sent["Content-Type"] = "application/json"
        data = json.dumps(body).encode()
    for attempt in range(1, 7):
        request = urllib.request.Request(BASE + path, data=data, headers=sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as answer:
            if answer.code in statuses:
                return answer.code, answer.headers, None
            problem = json.loads(answer.read())
            what = "%s %s: %s, %s" % (method, path, problem["code"], problem["detail"])
            if answer.code not in (429, 503) and problem["code"] != "idempotency_in_progress":
                raise Refused(what) from None
            wait = float(answer.headers.get("Retry-After") or 0)
        except (OSError, ValueError) as error:
            # The answer got lost; what it answered may have been done.
            what, wait = "%s %s: %s" % (method, path, error), 0
        if attempt == 1:
            # The program ends after six attempts, in less than a minute unless the service asks for more.
            print("%s does not answer %s %s; trying again." % (BASE, method, path), file=sys.stderr)
        if attempt < 6:
            time.sleep(wait or 0.1 * 2**attempt)
    raise Refused(what)


def key_of(action, row):
    """The same row has the same key for the whole night, however often this is started: it is done once."""
    digest = hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()
    return {"Idempotency-Key": "%s-%s-%s" % (action, RUN, digest)}


def read_page(state, counts, path):
    kept = state["pages"].get(path)
    condition = {"If-None-Match": kept["etag"]} if kept else {}
    status, headers, answer = ask("GET", path, condition, statuses=(304,))
    if status == 304:
        counts["pages_kept"] += 1
        return kept
    counts["pages_read"] += 1
    following = re.search(r'<(?:https?://[^/]+)?([^>]+)>; rel="next"', headers.get("Link") or "")
    page = {
        "etag": headers["ETag"],
        "next": following.group(1) if following else None,
        "total": answer["meta"]["total"],
        "data": answer["data"],
    }
    state["pages"][path] = page
    return page


def read_all(state, counts, first):
    """All pages. One that has not changed since the last night is not transferred again (304)."""
    for _ in range(3):
        rows, path = [], first
        while path:
            page = read_page(state, counts, path)
            rows += page["data"]
            path = page["next"]
        # A record that goes while pages are read moves the others up, and one of them is between two pages.
        if len({row["id"] for row in rows}) == page["total"]:
            break
    return rows


def update(path, row):
    """Changes the worker as it is now: where somebody else was faster (412), it is read again, once."""
    for statuses in ((412,), ()):
        etag = ask("GET", path)[1]["ETag"]
        status, _, _ = ask("PATCH", path, {**key_of("update", row), "If-Match": etag}, row, statuses)
        if status != 412:
            return


def send_workers(state, counts, rows):
    known = {worker["employee_no"]: worker for worker in read_all(state, counts, "/v1/workers?sort=id&limit=100")}
    for row in rows:
        worker = known.get(row["employee_no"])
        if worker is None:
            ask("POST", "/v1/workers", key_of("create", row), row)
            counts["created"] += 1
        elif all(worker.get(field) == value for field, value in row.items()):
            counts["unchanged"] += 1
        else:
            update("/v1/workers/%d" % worker["id"], row)
            counts["updated"] += 1


def main(payroll_file="payroll.json", state_file="state.json"):
    with open(payroll_file, encoding="utf-8") as file:
        payroll = json.load(file)
    state = {"pages": {}}
    if os.path.exists(state_file):
        with open(state_file, encoding="utf-8") as file:
            state = json.load(file)
    counts = {"created": 0, "updated": 0, "unchanged": 0, "pages_read": 0, "pages_kept": 0}
    send_workers(state, counts, payroll)
    projects = read_all(state, counts, "/v1/projects?sort=id&limit=100")
    # Whole or not at all.
    half = "%s.%d" % (state_file, os.getpid())
    with open(half, "w", encoding="utf-8") as file:
        json.dump(state, file)
    os.replace(half, state_file)
    print(json.dumps({**counts, "projects": len(projects)}))


main(*sys.argv[1:])
