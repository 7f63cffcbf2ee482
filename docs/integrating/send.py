"""Sends a whole coup to a table, its first card by itself.

SHOEPRINT_URL and SHOEPRINT_KEY name the server and the key.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone

URL = os.environ["SHOEPRINT_URL"]
KEY = os.environ["SHOEPRINT_KEY"]
TABLE = sys.argv[1] if len(sys.argv) > 1 else "X01"
SESSION = uuid.uuid4().hex  # another one after every start of the device
SEND_AGAIN = (408, 429, 502, 503, 504)

sequence = 0


def event(kind, data):
    """Returns the next event of this session."""
    global sequence
    sequence += 1
    return {
        "specversion": "1.0",
        "type": f"shoeprint.{kind}.v1",
        "source": f"device/{TABLE}-gateway",
        "id": f"{SESSION}/{sequence}",
        "time": datetime.now(timezone.utc).isoformat(),
        "table": TABLE,
        "shoe": f"{TABLE}-{SESSION}",
        "session": SESSION,
        "sequence": sequence,
        "data": data,
    }


def send(media_type, body):
    """Sends the same bytes again until all events in them are durable."""
    headers = {"authorization": f"Bearer {KEY}", "content-type": media_type}
    request = urllib.request.Request(f"{URL}/v1/events", json.dumps(body).encode(), headers)
    pause = 0.25
    while True:
        asked = 0.0
        try:
            urllib.request.urlopen(request, timeout=60).read()
            return
        except urllib.error.HTTPError as refusal:
            if refusal.code not in SEND_AGAIN:
                sys.exit(f"refused: {refusal.code} {refusal.read().decode()}")
            asked = float(refusal.headers.get("retry-after", 0))
        except (OSError, http.client.HTTPException) as broken:
            print(f"the connection broke: {broken}", file=sys.stderr)
        time.sleep(max(pause, asked))
        pause = min(5, pause * 2)


def send_one(one):
    send("application/cloudevents+json", one)


def send_many(*many):
    send("application/cloudevents-batch+json", many)


send_many(
    event("shoe-opened", {
        "rules": "punto-banco-no-burn@1",
        "decks": 8,
        "kind": "physical",
        "currency": "USD",
        "reports": ["outcomes", "dealers"],
    }),
    event("dealer-signed-on", {"dealer": "dora", "role": "dealer"}),
    event("coup-opened", {"coup": 1}),
    event("betting-closed", {}),
)
send_one(event("card-drawn", {"card": "9S", "to": "player"}))
send_many(
    event("card-drawn", {"card": "5C", "to": "banker"}),
    event("card-drawn", {"card": "KH", "to": "player"}),
    event("card-drawn", {"card": "3D", "to": "banker"}),
    event("outcome-declared", {"outcome": "player", "by": "dealer"}),
    event("coup-closed", {}),
    event("shoe-closed", {"reason": "end"}),
)
print(f"recorded {sequence} events of table {TABLE}")
