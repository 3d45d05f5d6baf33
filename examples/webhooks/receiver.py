"""Receives webhooks and keeps a copy of the records in a SQLite file.

A message that comes twice changes nothing the second time, and one is answered with success only when what it says is
kept. Nothing but Python 3.9 or newer is needed.

    WEBHOOK_SECRET=whsec_... python3 receiver.py copy.sqlite 8788
"""

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

TOLERANCE_SECONDS = 300

file, port = (sys.argv[1:] + ["copy.sqlite", "8788"][len(sys.argv) - 1 :])[:2]
key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
database = sqlite3.connect(file)
database.execute(
    """create table if not exists copies (
    records text, record_id integer, version integer, is_gone integer, record text,
    primary key (records, record_id))"""
)


def is_ours(headers, body):
    """By the Standard Webhooks: one of the signatures is right, and the message is not an old one."""
    message_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{sent_at}.".encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    shown = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), wanted.encode()) for one in shown)


def take(change):
    """Only what is newer counts. What was deleted stays as a version, so that nothing older brings it back."""
    is_gone = change["action"] in ("deleted", "erased")
    with database:
        database.execute(
            """insert into copies values (?, ?, ?, ?, ?)
            on conflict do update set version = excluded.version, is_gone = excluded.is_gone, record = excluded.record
            where excluded.version > copies.version""",
            (change["records"], change["record_id"], change["version"], is_gone, json.dumps(change["record"])),
        )


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_ours(self.headers, body):
            return self.answer(401)
        message = json.loads(body)
        if message["type"] != "webhooks.test":
            take(message["data"])
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(port)), Receiver)
print(f"receiving at {server.server_address}", flush=True)
server.serve_forever()
