"""What verify.py says of changed packages and of bad input: python3 -m unittest test_mutants.

Every field of every file is changed by its type, so that a new field is covered without being
remembered. SHOEPRINT_TEST_LONG runs all mutants; without it a part runs, chosen by the seed in
SHOEPRINT_TEST_SEED (1 if it is not set).
"""
import contextlib
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import make_package as make
import verify
from make_package import Key, Package, Site, dumps, seed, zip_of
from test_verify import HERE, LONG, SEED, Case, check, key_of, trusted

# What no hash, seal or signature of the log covers, if the exports key signs again: what steps 7
# and 8 judge, and what the house says about the export.
UNCOVERED = re.compile(
    r"data/package.json /(scope|gamingDays|software|warnings|unjudged|tables/\d+/shoes)"
    r"|data/package.json /(rules/\d+/id|id\b)"
    r"|data/(findings.ndjson|unjudgeable.ndjson|commission.csv|shoes.csv|days.csv|reports/.*)$"
    r"|VERIFY.txt|bagit.txt|data/rules/|data/package.json /rules|data/site/since.json (.*/tables)?$"
    r"|data/site/proof.json /consistency$"
    r"|(context|later).ndjson dropped line|data/site/checkpoint (swapped|doubled|dropped) line")


def changes(value):
    """Yields other values for a field, by its type."""
    yield None
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, str(value), 2 ** 60)
    elif isinstance(value, str):
        yield from (value + "A", value[:-1], "", 7)
        if value:
            place = len(value) // 2
            yield value[:place] + ("B" if value[place] == "A" else "A") + value[place + 1:]
    elif isinstance(value, list):
        yield [*value, value[-1] if value else "A" * 43 + "="]
        if value:
            yield from (value[1:], value[:-1], [])
        if len(value) > 1 and value[0] != value[1]:
            yield [value[1], value[0], *value[2:]]
    elif isinstance(value, dict):
        yield {**value, "more": 1}
        yield []


def json_mutants(value, path=""):
    """Yields (path, another value of the whole), each with one field changed, absent or doubled."""
    for other in changes(value):
        if other != value or type(other) is not type(value):
            yield path, other
    if isinstance(value, dict):
        for key, item in value.items():
            yield f"{path}/{key}", {name: each for name, each in value.items() if name != key}
            yield f"{path}/{key}", Doubled(value, key)
            for where, other in json_mutants(item, f"{path}/{key}"):
                yield where, {**value, key: other}
    if isinstance(value, list):
        for place, item in enumerate(value[:3]):
            for where, other in json_mutants(item, f"{path}/{place}"):
                yield where, [*value[:place], other, *value[place + 1:]]


class Doubled(dict):
    """An object that has one field twice."""

    def __init__(self, value, key):
        super().__init__(value)
        self.key = key

    def items(self):
        return [*super().items(), (self.key, self[self.key])]


def text_of(value):
    if isinstance(value, Doubled):
        return "{" + ",".join(f"{dumps(key)}:{dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{dumps(key)}:{text_of(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    return dumps(value)


def file_mutants(name, data):
    """Yields (where, other bytes): each field, line and cell of a file changed."""
    if name.endswith(".json"):
        for path, other in json_mutants(json.loads(data)):
            yield f"{name} {path}", text_of(other).encode() + b"\n"
        yield f"{name} space", data.replace(b":", b": ", 1)
    lines = data.splitlines(True)
    for place, line in enumerate(lines):
        rest = lines[:place], lines[place + 1:]
        if name.endswith(".ndjson"):
            value = json.loads(line) if b'"not an' not in line else None
            for path, other in list(json_mutants(value))[place % 3::3]:
                changed = text_of(other).encode() + b"\n"
                yield f"{name} {path}", b"".join([*rest[0], changed, *rest[1]])
        elif name.endswith(".csv"):
            cells = line[:-1].split(b",")
            for column, cell in enumerate(cells):
                for other in (cell + b"1", cell[1:], b"", b"0" + cell):
                    row = b",".join([*cells[:column], other, *cells[column + 1:]])
                    yield f"{name} {column}", b"".join([*rest[0], row + b"\n", *rest[1]])
        elif line.strip():
            middle = len(line) // 2
            for changed in (line[:middle] + b"x" + line[middle:], line[:-1] + b" \n"):
                yield f"{name} line", b"".join([*rest[0], changed, *rest[1]])
        yield f"{name} dropped line", b"".join([*rest[0], *rest[1]])
        yield f"{name} doubled line", b"".join([*rest[0], line, line, *rest[1]])
        if rest[1] and rest[1][0] != line:
            yield f"{name} swapped lines", b"".join([*rest[0], rest[1][0], line, *rest[1][1:]])


def samples():
    """Packages of every scope with everything in them."""
    rng = random.Random(f"mutants {SEED}")
    kinds = {}
    while len(kinds) < 5:
        site = make.random_site(rng, tables=["B07", "Bàn 1", "@house"], seals=5)
        package = make.random_package(rng, site, since={max(site.seals) + 1: "heads"},
                                      witnesses=[Key(seed(32), "witness.example/w1", 4)])
        kind = (package.id.split("-")[1], package.all)
        full = kind[0] in ("table", "day") or all(
            data for name, data in package.files.items() if "/tables/" in name)
        if full and 7 <= len(site.leaves) <= 9:
            kinds.setdefault(kind, package)
    return list(kinds.values())


class Mutants(Case):
    packages = None

    def setUp(self):
        Mutants.packages = Mutants.packages or samples()

    def run_mutants(self, mutants, limit):
        """Makes mutants, verifies them, and fails with those that are called intact."""
        mutants = list(mutants)
        rng = random.Random(SEED)
        missed, tried = [], mutants if LONG else rng.sample(mutants, min(limit, len(mutants)))
        for where, package, name, data in tried:
            other = package.copy()
            other.files[name] = data
            if where.endswith(" renamed"):
                other.files[name + "x"] = other.files.pop(name)
            if where.startswith("again "):
                other.bag()
            if check(other, key=key_of(package.site)).verdict() == "INTACT":
                missed.append(where)
        self.assertEqual(missed, [], f"{len(tried)} mutants")
        return len(tried)

    def test_every_file_cut_emptied_doubled_renamed_removed_or_flipped_is_found(self):
        def mutants():
            for package in self.packages:
                for name, data in package.files.items():
                    flipped = data[:1] + (data[1:2].swapcase() if data[1:2].isalpha() else b"\xff")
                    for how, changed in (
                            ("cut", data[:-1]), ("cut in half", data[:len(data) // 2]),
                            ("empty", b""), ("doubled", data * 2), ("longer", data + b"\n"),
                            ("other end", data[:-1] + b" "), ("changed", flipped + data[2:])):
                        if changed != data:
                            yield f"{name} {how}", package, name, changed
                    for place in range(7, len(data), max(len(data) // 4, 1)):
                        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1:]
                        yield f"{name} bit {place}", package, name, changed
                    yield f"{name} renamed", package, name, data
                    yield f"{name} copied", package, f"data/{name.split('/')[-1]}x", data
        self.run_mutants(mutants(), 250)

    def test_a_removed_file_is_incomplete_and_a_record_file_changed_is_altered(self):
        for package in self.packages[:2]:
            for name in package.files:
                other = package.copy()
                del other.files[name]
                self.verdict("UNREADABLE" if name == "data/package.json" else "INCOMPLETE", other,
                             key=key_of(package.site))

    def test_every_field_changed_hashed_and_signed_again_is_found(self):
        def mutants():
            for package in self.packages:
                for name in package.files:
                    if name.startswith("data/"):
                        for where, data in file_mutants(name, package.files[name]):
                            if not UNCOVERED.search(where):
                                yield f"again {where}", package, name, data
        tried = self.run_mutants(mutants(), 400)
        self.assertGreater(tried, 5_000 if LONG else 350)

    def test_records_dropped_swapped_doubled_or_moved_name_the_first_bad_record(self):
        for package in self.packages:
            for number in package.numbers:
                folder = f"data/tables/{number}/"
                rows = package.files[folder + "records.csv"].decode().splitlines()[1:]
                if len(rows) < 3:
                    continue
                data, values = package.files[folder + "events.ndjson"], []
                for row in rows:
                    size = int(row.split(",")[1])
                    values, data = values + [data[:size]], data[size + 1:]
                first, middle = int(rows[0].split(",")[0]), len(rows) // 2
                for how, changed in (
                        ("dropped", values[:middle] + values[middle + 1:]),
                        ("swapped", [*values[:middle - 1], values[middle], values[middle - 1],
                                     *values[middle + 1:]]),
                        ("doubled", [*values[:middle], values[middle - 1], *values[middle:]]),
                        ("edited", [*values[:middle], values[middle].replace(b"0", b"1", 1)
                                    + b" ", *values[middle + 1:]])):
                    if changed == values:
                        continue
                    other = package.copy()
                    rewrite(other, number, first, changed, rows)
                    found = self.verdict("ALTERED", other, step=6, key=key_of(package.site))
                    bad = next(fault for fault in found.faults if "record" in fault)
                    changed_at = next(place for place, pair in enumerate(zip(changed, values))
                                      if pair[0] != pair[1])
                    self.assertLessEqual(bad["record"], first + changed_at, how)

    def test_a_key_statement_or_a_seal_left_out_is_found(self):
        for package in self.packages:
            proof = json.loads(package.files["data/site/proof.json"])
            for place in range(len(proof["keys"])):
                other = package.copy()
                keys = proof["keys"][:place] + proof["keys"][place + 1:]
                other.put("data/site/proof.json", dumps({**proof, "keys": keys}))
                self.verdict("ALTERED", other.bag(), key=key_of(package.site))

    def test_a_receipt_of_another_key_or_package_is_found(self):
        package = self.packages[0]
        for other in (package.copy().bag(key=Key(seed(130), package.site.origin + "/exports")),
                      package.copy().bag(key=package.site.key),
                      package.copy().bag(receipt=lambda text: text.replace("harbour-", "harbor-"))):
            self.verdict("ALTERED", other, step=2, key=key_of(package.site))


def rewrite(package, number, first, values, rows):
    """Writes the records of a table, with rows that agree with them, and bags the package."""
    places = [row.split(",")[3:5] for row in rows]
    while len(places) < len(values):
        places.append([places[-1][0], str(int(places[-1][1]) + 1)])
    text = "n,bytes,lines,partition,offset,check\n"
    for place, value in enumerate(values):
        lines = value.count(b"\n") + 1 if value else 0
        text += (f"{first + place},{len(value)},{lines},{','.join(places[place])},"
                 f"{verify.leaf_hash(value).hex()[:8]}\n")
    folder = f"data/tables/{number}/"
    package.put(folder + "records.csv", text)
    package.files[folder + "events.ndjson"] = b"".join(value + b"\n" for value in values)
    about = json.loads(package.files["data/package.json"])
    for table in about["tables"]:
        if table["number"] == number:
            table["records"] = len(values)
            table["events"] = sum(value.count(b"\n") + 1 if value else 0 for value in values)
    package.put("data/package.json", dumps(about))
    package.bag()


class Keys(Case):
    """Key statements: rotation, retirement, theft."""

    def site(self, safe=True):
        site = Site(safe=Key(seed(96), make.ORIGIN) if safe else None)
        site.append("B07", make.event("B07", random.Random(1), 1).encode())
        site.seal()
        return site

    def package(self, site, **options):
        site.append("B07", make.event("B07", random.Random(2), 2).encode())
        return Package(site, "table", {0: (0, None)}, None, site.seal(), **options)

    def test_trust_goes_from_the_first_key_to_the_next_and_not_back(self):
        site, new = self.site(), Key(seed(150), make.ORIGIN)
        site.state(adds=[new], signers=[site.key, new])
        both = self.package(site, keys=[site.key, new])
        only_new = self.package(site, keys=[new])
        only_old = self.package(site, keys=[site.key])
        for package, key, expected in ((both, site.key, "INTACT"), (both, new, "INTACT"),
                                       (only_new, site.key, "INTACT"), (only_new, new, "INTACT"),
                                       (only_old, site.key, "INTACT"), (only_old, new, "ALTERED"),
                                       (only_new, site.safe, "INTACT")):
            self.verdict(expected, package, key=verify.read_key(key.vkey))

    def test_a_retired_key_signs_its_retirement_and_nothing_larger(self):
        site, new = self.site(), Key(seed(150), make.ORIGIN)
        site.state(adds=[new], signers=[site.key, new])
        site.state(retires=[site.key], signers=[site.key])
        self.verdict("ALTERED", self.package(site, keys=[site.key]), "no log key in force",
                     key=key_of(site))
        self.verdict("INTACT", self.package(site, keys=[new]), key=key_of(site))

    def test_a_second_retirement_does_not_bring_a_key_back(self):
        site, new = self.site(), Key(seed(150), make.ORIGIN)
        site.state(adds=[new], signers=[site.key, new])
        site.state(retires=[site.key], signers=[new])
        size = site.seal() + 1
        site.state(retires=[site.key], signers=[new])
        package = self.package(site, keys=[new], since={size: "heads"})
        held = [trusted(site.checkpoint(size, [site.key]))]
        self.verdict("ALTERED", package, "no log key", step=4, key=key_of(site), trusted=held)

    def test_a_key_that_no_valid_key_adds_does_not_count(self):
        site, thief = self.site(), Key(seed(160), make.ORIGIN)
        site.state(adds=[thief], signers=[thief])
        self.verdict("ALTERED", self.package(site, keys=[thief]), step=3, key=key_of(site))
        self.verdict("ALTERED", self.package(site, keys=[site.key]), step=3, key=key_of(site))

    def test_a_key_that_does_not_sign_its_own_addition_does_not_count(self):
        site, new = self.site(), Key(seed(150), make.ORIGIN)
        site.state(adds=[new], signers=[site.key])
        self.verdict("ALTERED", self.package(site, keys=[site.key, new]), step=3, key=key_of(site))

    def test_only_the_safe_key_ends_the_safe_key(self):
        site = self.site()
        site.state(retires=[site.safe], signers=[site.key])
        self.verdict("INTACT", self.package(site, keys=[site.safe]), key=key_of(site))
        site = self.site()
        site.state(retires=[site.safe], signers=[site.safe])
        self.verdict("INTACT", self.package(site), key=key_of(site))
        self.verdict("ALTERED", self.package(site, keys=[site.safe]), step=3, key=key_of(site))

    def test_after_a_theft_the_safe_key_revokes_what_the_thief_signed(self):
        site, thief, new = self.site(), Key(seed(160), make.ORIGIN), Key(seed(150), make.ORIGIN)
        size = len(site.leaves)
        site.state(adds=[thief], signers=[site.key, thief])
        site.state(retires=[site.safe], signers=[site.key, thief])
        site.state(adds=[new], revokes=[(site.key, size + 1)], signers=[site.safe, new])
        key = verify.read_key(site.safe.vkey)
        found = self.verdict("INTACT", self.package(site, keys=[new]), key=key)
        self.assertEqual(len(found.warnings), 2)
        for stolen in (site.key, thief):
            self.verdict("ALTERED", self.package(site, keys=[stolen]), key=key)

    def test_a_key_does_not_revoke_its_own_past(self):
        site = self.site(safe=False)
        site.state(revokes=[(site.key, 2)], signers=[site.key])
        self.verdict("ALTERED", self.package(site), step=3, key=key_of(site))


class Seals(Case):
    """What a house seals that does not go on from the seal before."""

    def altered(self, change, message, sizes=None):
        site = Site()
        for number in range(3):
            site.append("B07", make.event("B07", random.Random(number), number).encode(), 0)
        site.append("b08", make.event("b08", random.Random(7), 7).encode(), 1)
        site.seal(day="2026-11-20")
        site.seal(change=change, sizes=sizes)
        last = site.seal(day="2026-11-21")
        package = Package(site, "day", None, None, last)
        self.verdict("ALTERED", package, message, key=key_of(site))

    def test_each_line_of_a_seal_goes_on(self):
        for pattern, other, message in (
                (r"time .*", "time 2025-11-20T12:00:04Z", "time goes back"),
                (r"time .*", "time 2026-11-31T12:00:04Z", "cannot be read"),
                (r"log .*", "log another", "another log"), (r"next .*", "next 3 0", "`next` falls"),
                (r"next .*", "next 3 1 0", "other partitions"), (r"next .*", "next 4 1", "falls"),
                (r"keys 0", "keys 1", "key statement"),
                (r"keys 0", "keys 0\nday 2026-11-20", "day"), (r"tables 2", "tables 1", "falls"),
                (r"(tables \d) \S+", r"\1 " + "A" * 43 + "=", "names"),
                (r"seal v1", "seal v2", "not of its format"), (r"\n2\n", "\n3\n", "number"),
                (r"harbour", "harbor", "another site"), (r"keys 0", "keys 00", "format")):
            with self.subTest(other):
                self.altered(lambda text: re.sub(pattern, other, text, count=1), message)

    def test_the_sizes_of_all_tables_add_up_to_next(self):
        site, more = Site(partitions=1), lambda text: text.replace("next 1\n", "next 2\n")
        site.append("B07", make.event("B07", random.Random(1), 1).encode())
        site.seal(change=more)
        package = Package(site, "day", None, None, site.seal(day="2026-11-20", change=more))
        self.verdict("ALTERED", package, "the sum of `next`", step=6, key=key_of(site))

    def test_a_table_that_shrinks_is_found(self):
        self.altered(lambda text: text, "smaller than the one before", sizes=[2, 1])


    def test_names_of_one_seal_stand_in_the_order_of_their_ids(self):
        site = Site(partitions=1)
        for table in ("B07", "Bàn 1"):
            site.append(table, make.event(table, random.Random(1), 1).encode())
        site.names, site.pending = ["Bàn 1", "B07"], []
        package = Package(site, "table", {0: (0, None)}, None, site.seal())
        self.verdict("ALTERED", package, "out of order", step=5, key=key_of(site))


class BadInput(Case):
    """Nothing but a verdict comes out: no traceback, no hang, no file, no memory."""

    package = None

    def setUp(self):
        if BadInput.package is None:
            BadInput.package = make.random_package(random.Random(21))
        self.key = key_of(self.package.site)

    def judged(self, data, *verdicts):
        data = data if isinstance(data, bytes) else data.zip()
        start = time.monotonic()
        found = check(data, key=self.key)
        self.assertLess(time.monotonic() - start, 10)
        self.assertIn(found.verdict(), verdicts, found.faults)
        return found

    def test_unsafe_names_links_and_doubled_or_encrypted_entries_are_unreadable(self):
        plain = {f"{self.package.id}/{name}": data for name, data in self.package.files.items()}
        for name in ("../x", "/x", "p/../../x", "p//x", "p/./x", "C:/x", "p\\..\\x", "p/a\nb",
                     "other/x", "p/" + "x" * 600, f"{self.package.id}/data/../../x"):
            self.judged(zip_of({**plain, name: b"x"}), "UNREADABLE")
        for change in ("link", "twice", "encrypted", "method", "overlap", "local name"):
            self.judged(odd_zip(plain, change), "UNREADABLE")
        whole = zip_of(plain)
        for data in (whole + b"x", b"x" + whole, whole[:-1], b"", b"PK\5\6" + bytes(18)):
            self.judged(data, "UNREADABLE")

    def test_bombs_and_false_sizes_end_soon(self):
        plain = {f"{self.package.id}/{name}": data for name, data in self.package.files.items()}
        events = next(name for name in plain if name.endswith("events.ndjson"))
        bomb = zip_of({**plain, events: b"0" * (100 * verify.MiB)})
        self.judged(bomb, "UNREADABLE")
        self.judged(zip_of({**plain, events: b"0" * (15 * verify.MiB)}), "ALTERED")
        for size in (1, 2 ** 32 - 2):
            self.judged(odd_zip(plain, "size", size), "ALTERED", "UNREADABLE")

    def test_a_long_line_and_deep_json_are_altered(self):
        deep = b"[" * 100_000 + b"]" * 100_000
        names = [name for name in self.package.files
                 if name.endswith("json") and not UNCOVERED.search(name)]
        for place, name in enumerate(names):
            if LONG or (place + SEED) % 3 == 0:
                for data in (deep + b"\n", b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n",
                             b"9" * 2_000_000 + b"\n", b'"\\ud800"\n', b"\xff\n", b"NaN\n", b"\0\n",
                             b"[" + b"[]," * 900_000 + b"1]\n"):
                    other = self.package.copy()
                    other.files[name] = data
                    self.judged(other.bag(), "ALTERED", "UNREADABLE")
        names = ("data/site/leaves.ndjson", "data/site/names", "data/site/since.json")
        for name in names[:3 if LONG else 1]:
            other = self.package.copy()
            other.files[name] = random.Random(1).randbytes(verify.MiB).hex().encode() * 50
            self.judged(other.bag(), "ALTERED", "UNREADABLE")

    def test_random_and_mutated_files_get_a_verdict(self):
        rng, data = random.Random(SEED), self.package.zip()
        for number in range(10_000 if LONG else 300):
            if number % 4 == 0:
                changed = rng.randbytes(rng.randrange(2000))
            elif number % 4 == 1:
                changed = b"PK\3\4" + rng.randbytes(rng.randrange(200)) + data[-rng.randrange(300):]
            else:
                changed = bytearray(data)
                for _ in range(rng.choice([1, 1, 2, 8])):
                    place = rng.randrange(len(changed) if number % 4 == 2 else 400)
                    changed[-place - 1] = rng.randrange(256)
            self.judged(bytes(changed), *verify.EXITS)

    def test_random_bytes_in_every_file_get_a_verdict(self):
        rng, names = random.Random(SEED), sorted(self.package.files)
        for _ in range(5_000 if LONG else 150):
            other, name = self.package.copy(), rng.choice(names)
            changed = bytearray(other.files[name] or b"\n")
            for _ in range(rng.choice([1, 2, 20])):
                place = rng.randrange(len(changed))
                how = rng.randrange(3)
                changed[place:place + how] = rng.randbytes(1) if how else rng.choice(
                    [b"", b"\n", b'"', b"[", b"{", b"\xf0", b"0", b"-", changed[:40]])
                changed = changed or bytearray(b"\n")
            other.files[name] = bytes(changed)
            self.judged(other.bag(), *verify.EXITS)

    def test_an_entry_that_does_not_end_in_the_folder_is_unreadable(self):
        with tempfile.TemporaryDirectory() as folder:
            self.package.write(folder)
            os.symlink("/etc/passwd", os.path.join(folder, "data", "link"))
            verifier = verify.Verifier(key=self.key)
            verifier.verify(folder)
            self.assertEqual(verifier.verdict(), "UNREADABLE")


def odd_zip(files, change, size=None):
    """Returns a zip that is wrong in one way, in one entry."""
    data = bytearray(zip_of(files))
    directory = data.index(b"PK\1\2")
    last = data.rindex(b"PK\1\2")
    local = struct.unpack_from("<L", data, last + 42)[0]
    if change == "link":
        struct.pack_into("<L", data, last + 38, 0o120777 << 16)
    elif change == "twice":
        out = io.BytesIO(bytes(data))
        with contextlib.suppress(UserWarning), zipfile.ZipFile(out, "a") as archive:
            archive.writestr(next(iter(files)), b"again")
        return out.getvalue()
    elif change == "encrypted":
        for place in (last + 8, local + 6):
            struct.pack_into("<H", data, place, 1)
    elif change == "method":
        for place in (last + 10, local + 8):
            struct.pack_into("<H", data, place, 12)
    elif change == "overlap":
        struct.pack_into("<L", data, last + 42, struct.unpack_from("<L", data, directory + 42)[0])
    elif change == "local name":
        data[local + 30] ^= 1
    elif change == "size":
        struct.pack_into("<L", data, last + 24, size)
        struct.pack_into("<L", data, local + 22, size)
    return bytes(data)


class CommandLine(unittest.TestCase):
    def run_verify(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(HERE, "verify.py"), *arguments],
                              capture_output=True, encoding="utf-8", timeout=60, check=False)

    def test_prints_the_verdict_and_exits_by_it(self):
        site = Site()
        for number in range(4):
            site.append("B07", make.event("B07", random.Random(number), number).encode())
            site.seal(day=f"2026-11-2{number}")
        package = Package(site, "day", {0: (None, None)}, 2, 3)
        with tempfile.TemporaryDirectory() as folder:
            path, key, held = (os.path.join(folder, name) for name in ("p.zip", "key", "held"))
            with open(path, "wb") as file:
                file.write(package.zip())
            with open(key, "w", encoding="utf-8") as file:
                file.write(package.site.key.vkey + "\n")
            with open(held, "w", encoding="utf-8") as file:
                file.write(package.site.checkpoint(package.to + 1))
            done = self.run_verify(path, "--key", key, "--trusted", held)
            self.assertEqual((done.stdout.split()[0], done.returncode, done.stderr),
                             ("INTACT", 0, ""))
            done = self.run_verify(path, "--json")
            report = json.loads(done.stdout)
            self.assertEqual((report["verdict"], done.returncode), ("INCOMPLETE", 2))
            self.assertEqual(list(report),
                             ["verdict", "faults", "warnings", "counts", "key"])
            for wrong in (["--key", "nothing"], ["--quorum", "1"], ["--unknown"],
                          ["--witness", package.site.key.vkey], ["--trusted", path]):
                done = self.run_verify(path, *wrong)
                self.assertEqual((done.stdout.split()[0], done.returncode, done.stderr),
                                 ("UNREADABLE", 3, ""), wrong)
            done = self.run_verify(os.path.join(folder, "absent"))
            self.assertEqual(done.returncode, 3)

    @unittest.skipUnless(os.path.exists("/proc/self/status"), "needs /proc of Linux")
    def test_takes_little_memory_for_a_large_package(self):
        site = Site(partitions=1)
        rng = random.Random(1)
        for _ in range(3000):
            site.append("B07", b"\n".join(
                make.event("B07", rng, rng.getrandbits(64)).encode() for _ in range(100)))
        package = Package(site, "table", {0: (0, None)}, None, site.seal())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.zip")
            with open(path, "wb") as file:
                file.write(package.zip())
            program = ("import sys, verify; verify.main(sys.argv[1:]); "
                       "print(*[line for line in open('/proc/self/status') if 'VmHWM' in line])")
            done = subprocess.run([sys.executable, "-c", program, path, "--key", site.key.vkey],
                                  cwd=HERE, capture_output=True, encoding="utf-8", check=True)
        peak = int(done.stdout.split("VmHWM:")[1].split()[0])
        self.assertEqual(done.stdout.split()[0], "INTACT")
        self.assertLess(peak, 100 * 1024, "kilobytes")


if __name__ == "__main__":
    unittest.main()
