"""Makes the ids of findings as docs/contract.md says, with nothing but Python's standard library.

Reads one JSON object from standard input: the page docs/findings.md, and a list of {"events", "findings"}. Prints the ids
that it makes, as a JSON array with one array for each item. Ends with an error where a reference names no opening.
"""

import hashlib
import json
import re
import sys


def tails_of(page):
    entries = re.findall(r"^### (\S+):.*?^\*Id\.\* (.*?)$", page, re.M | re.S)
    return {code: re.findall(r"`([^`]+)`", tail) for code, tail in entries}


def text_at(finding, path):
    value = finding
    for name in path.split("."):
        value = value.get(name, "") if isinstance(value, dict) else ""
    return str(value)


def check_openings(finding, events):
    """Checks that the references are those of the openings of the finding's shoe and coup."""
    types = {f"{event['source']}#{event['id']}": event for event in events}
    for field, kind in (("shoeRef", "shoe-opened"), ("coupRef", "coup-opened")):
        if field in finding:
            opening = types[finding[field]]
            assert opening["type"] == f"shoeprint.{kind}.v1" and opening["shoe"] == finding["shoe"]
            if kind == "coup-opened":
                assert opening["data"]["coup"] == finding["coup"]


def id_of(finding, tails):
    code = finding["code"]
    openings = [finding.get("shoeRef", ""), finding.get("coupRef", "")]
    parts = [code, finding["table"], *([] if code in DEVICE_CODES else openings)]
    parts += [text_at(finding, path) for path in tails[code]]
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


DEVICE_CODES = {"DV-01", "DV-04", "DV-06", "DV-11", "DV-15"}


def main():
    given = json.load(sys.stdin)
    tails = tails_of(given["page"])
    made = []
    for story in given["stories"]:
        for finding in story["findings"]:
            check_openings(finding, story["events"])
        made.append([id_of(finding, tails) for finding in story["findings"]])
    json.dump(made, sys.stdout)


main()
