"""Builds evidence packages for the tests of verify.py, from the words of docs/evidence.md.

Trees are plain recursions over lists of hashes (RFC 6962, section 2.1), unlike those of verify.py,
so that a mistake in one does not hide in the other.
"""
import base64
import datetime
import hashlib
import io
import json
import os
import urllib.parse
import zipfile

from proofs import BASE, L, P, multiply

ORIGIN = "shoeprint.example/harbour"
LOG = "5f0c2b1e-8d53-4a07-9a3c-6a1f0e7b2d94"


def b64(data):
    return base64.b64encode(data).decode()


def dumps(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def name_of(table):
    return urllib.parse.quote(table, safe="")


class Tree:
    """RFC 6962 by its definitions, over all leaves, with every subtree's root kept."""

    def __init__(self):
        self.leaves, self.roots = [], {}

    def add(self, data):
        self.leaves.append(hashlib.sha256(b"\0" + data).digest())

    def root(self, low, high):
        if high - low == 0:
            return hashlib.sha256(b"").digest()
        if high - low == 1:
            return self.leaves[low]
        if (low, high) not in self.roots:
            middle = low + self.split(high - low)
            self.roots[low, high] = hashlib.sha256(
                b"\1" + self.root(low, middle) + self.root(middle, high)).digest()
        return self.roots[low, high]

    @staticmethod
    def split(size):
        half = 1
        while half * 2 < size:
            half *= 2
        return half

    def inclusion(self, index, size, low=0):
        """PATH(m, D[n]) of section 2.1.1."""
        if size == 1:
            return []
        half = self.split(size)
        if index < half:
            return self.inclusion(index, half, low) + [self.root(low + half, low + size)]
        return self.inclusion(index - half, size - half, low + half) + [self.root(low, low + half)]

    def consistency(self, small, large):
        """PROOF(m, D[n]) of section 2.1.2. From size 0 it is empty."""
        return self.subproof(small, large, 0, True) if small else []

    def subproof(self, small, size, low, whole):
        if small == size:
            return [] if whole else [self.root(low, low + size)]
        half = self.split(size)
        if small <= half:
            return self.subproof(small, half, low, whole) + [self.root(low + half, low + size)]
        return self.subproof(small - half, size - half, low + half, False) + [
            self.root(low, low + half)]

    def frontier(self, size):
        hashes, low = [], 0
        for level in range(size.bit_length() - 1, -1, -1):
            if size >> level & 1:
                hashes.append(self.root(low, low + (1 << level)))
                low += 1 << level
        return hashes

    def rest(self, low, high):
        hashes = []
        while low < high:
            width = 1
            while low % (width * 2) == 0 and low + width * 2 <= high:
                width *= 2
            hashes.append(self.root(low, low + width))
            low += width
        return hashes


def encode_point(point):
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


class Key:
    """An Ed25519 key from a seed (RFC 8032, section 5.1.6), with a C2SP name."""

    signatures = {}

    def __init__(self, seed, name, algorithm=1):
        digest = hashlib.sha512(seed).digest()
        self.scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
        self.prefix, self.name, self.algorithm = digest[32:], name, algorithm
        self.public = encode_point(multiply(self.scalar, BASE))
        typed = bytes([algorithm]) + self.public
        self.id = hashlib.sha256(name.encode() + b"\n" + typed).digest()[:4]
        self.vkey = f"{name}+{self.id.hex()}+{b64(typed)}"

    def sign(self, message):
        cached = Key.signatures.get((self.public, message))
        if cached:
            return cached
        r = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little") % L
        point = encode_point(multiply(r, BASE))
        h = int.from_bytes(hashlib.sha512(point + self.public + message).digest(), "little") % L
        signature = point + ((r + h * self.scalar) % L).to_bytes(32, "little")
        Key.signatures[self.public, message] = signature
        return signature

    def line(self, text, time=None):
        """Returns the signature line of a note, or of a cosignature at a time."""
        if self.algorithm == 4:
            stamped = b"cosignature/v1\ntime %d\n" % time + text.encode()
            signature = time.to_bytes(8, "big") + self.sign(stamped)
        else:
            signature = self.sign(text.encode())
        return f"— {self.name} {b64(self.id + signature)}\n"


def note(text, *keys, time=1_795_521_666):
    return text + "\n" + "".join(key.line(text, time) for key in keys)


def seed(number):
    return bytes(range(number, number + 32))


class Site:
    """A house: its log of partitions, a tree for each table, and the site log over its seals."""

    def __init__(self, origin=ORIGIN, partitions=2, key=None, safe=None, exports=None):
        self.origin, self.next, self.tree, self.leaves = origin, [0] * partitions, Tree(), []
        self.key = key or Key(seed(0), origin)
        self.exports = exports or Key(seed(64), origin + "/exports")
        self.log_keys, self.safe = [self.key], safe
        self.tables, self.trees, self.pending, self.names = {}, {}, [], []
        self.seals, self.statements, self.time, self.unjudged = {}, [], 1_795_521_600, []
        adds = [self.key] + ([safe] if safe else []) + [self.exports]
        self.state(adds=adds, signers=[key for key in adds if key.name == origin])

    def push(self, text):
        self.leaves.append(text)
        self.tree.add(text.encode())

    def state(self, adds=(), retires=(), revokes=(), signers=None, change=lambda text: text):
        """Adds a key statement."""
        index = len(self.leaves)
        previous = self.statements[-1] if self.statements else "none"
        text = (f"shoeprint keys v1\n{self.origin}\n{index}\nprevious {previous}\n"
                + "".join(f"add {key.vkey}\n" for key in adds)
                + "".join(f"retire {key.vkey}\n" for key in retires)
                + "".join(f"revoke {key.vkey} {size}\n" for key, size in revokes))
        signers = self.log_keys + list(adds) if signers is None else signers
        self.push(note(change(text), *[key for key in signers if key.name == self.origin]))
        self.statements.append(index)
        return index

    def append(self, table, value, partition=None):
        """Appends a record to a table, in the table's partition."""
        if table not in self.tables:
            self.tables[table], self.trees[table] = [], Tree()
            self.pending.append(table)
        if partition is None:
            partition = sum(table.encode()) % len(self.next)
        self.tables[table].append((value, partition, self.next[partition]))
        self.trees[table].add(value)
        self.next[partition] += 1

    def head(self, number, size):
        table = self.names[number]
        root = b64(self.trees[table].root(0, size))
        return f"{self.origin}/table/{name_of(table)}\n{size}\n{root}\n"

    def heads(self, sizes):
        tree = Tree()
        for number, size in enumerate(sizes):
            tree.add(self.head(number, size).encode())
        return tree

    def seal(self, day=None, change=lambda text: text, sizes=None):
        """Seals what was appended. `change` and `sizes` let a test seal a lie."""
        self.names += sorted(self.pending, key=str.encode)
        self.pending = []
        index, self.time = len(self.leaves), self.time + 60
        sizes = sizes or [len(self.tables[table]) for table in self.names]
        names = "".join(name_of(table) + "\n" for table in self.names).encode()
        heads = self.heads(sizes)
        text = (f"shoeprint seal v1\n{self.origin}\n{index}\ntime {when(self.time)}\nlog {LOG}\n"
                f"next {' '.join(map(str, self.next))}\n"
                f"tables {len(sizes)} {b64(hashlib.sha256(names).digest())} "
                f"{b64(heads.root(0, len(sizes)))}\nkeys {self.statements[-1]}\n"
                + (f"day {day}\n" if day else ""))
        self.push(change(text))
        self.seals[index] = {"sizes": sizes, "heads": heads, "day": day}
        return index

    def checkpoint(self, size=None, keys=None, witnesses=()):
        size = len(self.leaves) if size is None else size
        text = f"{self.origin}\n{size}\n{b64(self.tree.root(0, size))}\n"
        return note(text, *(self.log_keys if keys is None else keys), *witnesses)


def when(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime(
        "%Y-%m-%dT%H:%M:%SZ")


def hashes(digests):
    return [b64(digest) for digest in digests]


class Package:
    """The files of a package. `bag` makes the manifests and the receipt again."""

    def __init__(self, site, kind, tables, after, to, witnesses=(), since=(), keys=None):
        self.site, self.all = site, tables is None
        self.size = len(site.leaves)
        self.to, self.after, self.files = to, after, {}
        tables = {number: (None, None) for number in range(len(site.names))} if self.all else tables
        self.id = f"harbour-{kind}-{after}-{to}"
        listed = [self.table(number, first, end, since) for number, (first, end) in tables.items()]
        first = listed[0]["table"]
        scope = {"kind": kind} if self.all else {"kind": kind, "table": first}
        scope.update({"shoe": {"shoe": "S1"}, "finding": {"finding": "F1"},
                      "day": {"day": site.seals[to]["day"] or "2026-11-20"}}.get(kind, {}))
        rule = b'{"id":"punto-banco","version":1}\n'
        self.files["data/rules/punto-banco@1.json"] = rule
        self.put("data/package.json", dumps({
            "format": "shoeprint package v1", "id": self.id, "origin": site.origin,
            "size": self.size, "scope": scope, "range": {"after": after, "to": to},
            "all": self.all, "tables": listed,
            "rules": [{"id": "punto-banco@1", "sha256": hashlib.sha256(rule).hexdigest()}],
            "gamingDays": [{"from": "2026-01-01", "zone": "Asia/Macau", "cutover": "06:00"}],
            "unjudged": site.unjudged,
            "software": {"name": "shoeprint", "version": "1.0.0", "commit": "0" * 40, "fold": 9},
            "warnings": []}))
        self.site_files(since, witnesses, keys)
        for name in ("findings.ndjson", "unjudgeable.ndjson", "commission.csv", "shoes.csv",
                     "days.csv"):
            self.put(f"data/{name}", "")
        self.put("data/reports/findings.csv", "code\n")
        self.put("bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
        self.put("VERIFY.txt", "node shoeprint-verify.mjs PACKAGE --key KEY\n")
        self.bag()

    def put(self, name, text):
        self.files[name] = text.encode() + (b"\n" if name.endswith(".json") else b"")

    def included(self, index):
        return {"index": index, "text": self.site.leaves[index],
                "proof": hashes(self.site.tree.inclusion(index, self.size))}

    def site_files(self, since, witnesses, keys):
        site, start, size = self.site, self.after or 0, self.size
        self.put("data/site/checkpoint", site.checkpoint(size, keys, witnesses))
        names = site.names[:len(site.seals[size - 1]["sizes"])]
        self.put("data/site/names", "".join(name_of(table) + "\n" for table in names))
        self.put("data/site/leaves.ndjson", "".join(
            dumps({"index": index, "text": site.leaves[index]}) + "\n"
            for index in range(start, self.to + 1)))
        self.put("data/site/proof.json", dumps({
            "frontier": hashes(site.tree.frontier(start)),
            "consistency": [{"from": old, "proof": hashes(site.tree.consistency(old, size))}
                            for old in sorted({self.to + 1, *since})],
            "keys": [self.included(index) for index in site.statements if index < size],
            "latest": self.included(size - 1)}))
        self.put("data/site/since.json", dumps([{
            "size": old, "seal": self.included(old - 1),
            "tables": [] if since[old] == "bare" else [
                self.head(old - 1, number, {"number": number}, self.grown(old - 1, number))
                for number in self.numbers if number < len(site.seals[old - 1]["sizes"])],
        } for old in since]))

    numbers = ()

    def head(self, index, number, before, after=None):
        """Returns a table's head at a seal, with its path if tables can be left out there."""
        seal = self.site.seals[index]
        size = seal["sizes"][number]
        path = {} if self.all and not after else {"path": hashes(
            seal["heads"].inclusion(number, len(seal["sizes"])))}
        root = self.site.trees[self.site.names[number]].root(0, size)
        return {**before, "size": size, "root": b64(root), **path, **(after or {})}

    def grown(self, index, number):
        """Returns the consistency proof of a table, from a seal to the latest."""
        tree = self.site.trees[self.site.names[number]]
        last = self.site.seals[self.size - 1]["sizes"][number]
        return {"consistency": hashes(tree.consistency(self.size_at(index, number), last))}

    def size_at(self, index, number):
        sizes = self.site.seals[index]["sizes"] if index is not None else []
        return sizes[number] if number < len(sizes) else 0

    def table(self, number, first, end, since):
        site, self.numbers = self.site, (*self.numbers, number)
        table, folder = site.names[number], f"data/tables/{number}/"
        tree, start, stop = site.trees[table], self.size_at(self.after, number), self.size_at(
            self.to, number)
        first = max(0, start - 2) if first is None else first
        end = stop if end is None else end
        rows, events, lines = ["n,bytes,lines,partition,offset,check"], [], 0
        for n in range(first, end):
            value, partition, offset = site.tables[table][n]
            count = value.count(b"\n") + 1 if value else 0
            rows.append(f"{n},{len(value)},{count},{partition},{offset},{tree.leaves[n][:4].hex()}")
            events.append(value + b"\n")
            lines += count
        self.files[folder + "events.ndjson"] = b"".join(events)
        self.put(folder + "records.csv", "\n".join(rows) + "\n")
        self.put(folder + "heads.ndjson", "".join(
            dumps(self.head(index, number, {"seal": index})) + "\n" for index in site.seals
            if (self.after or 0) <= index <= self.to and number < len(site.seals[index]["sizes"])))
        latest = self.head(self.size - 1, number, {}, self.grown(self.to, number))
        self.put(folder + "proof.json", dumps({
            "frontier": hashes(tree.frontier(first)),
            "before": hashes(tree.consistency(start, stop)) if 0 < start < first else [],
            "rest": hashes(tree.rest(end, stop)), "latest": latest}))
        self.put(folder + "context.ndjson", "".join(
            self.proven(tree, table, n, stop) for n in range(0, first, 3)))
        self.put(folder + "later.ndjson", "".join(
            self.proven(tree, table, n, latest["size"]) for n in range(end, latest["size"], 3)))
        return {"table": table, "name": name_of(table), "number": number, "first": first,
                "records": end - first, "events": lines, "shoes": []}

    def proven(self, tree, table, n, size):
        value = self.site.tables[table][n][0].decode()
        return dumps({"n": n, "value": value, "proof": hashes(tree.inclusion(n, size))}) + "\n"

    def bag(self, key=None, receipt=lambda text: text):
        """Hashes all files, and signs the receipt with the exports key or another."""
        for name in ("manifest-sha256.txt", "tagmanifest-sha256.txt", "bag-info.txt", "receipt"):
            self.files.pop(name, None)
        data = {name: data for name, data in self.files.items() if name.startswith("data/")}
        self.put("bag-info.txt", f"External-Identifier: {self.id}\nPayload-Oxum: "
                 f"{sum(map(len, data.values()))}.{len(data)}\n")
        self.put("manifest-sha256.txt", listing(data))
        tags = {name: data for name, data in self.files.items() if not name.startswith("data/")}
        self.put("tagmanifest-sha256.txt", listing(tags))
        digest = hashlib.sha256(self.files["tagmanifest-sha256.txt"]).hexdigest()
        text = f"shoeprint package v1\n{self.site.origin}\n{self.id}\n{digest}\n"
        self.put("receipt", note(receipt(text), key or self.site.exports))
        return self

    def copy(self):
        other = Package.__new__(Package)
        other.__dict__.update(self.__dict__, files=dict(self.files))
        return other

    def zip(self):
        return zip_of({f"{self.id}/{name}": data for name, data in self.files.items()})

    def write(self, folder):
        """Writes the files under a folder."""
        for name, data in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        return folder


def listing(files):
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))


def zip_of(files):
    """Zips files as section 6 says: sorted, of one time and mode, without extra fields."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files, key=str.encode):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    return out.getvalue()


TABLES = ["B07", "Bàn 1", "@house", "..", "b07", "CON", "a%b", "x\ny"]


def event(table, rng, number):
    data = {"card": rng.choice(["9S", "TD", None]), "note": "thẻ" * rng.randrange(3)}
    return dumps({"specversion": "1.0", "type": "shoeprint.card-drawn.v1",
                  "source": f"device/{table}", "id": f"{table}/{number}", "table": table,
                  "sequence": number, "data": data})


def random_site(rng, tables=None, seals=None, safe=True):
    """Returns a site with random tables, blocks, seals, days and key statements."""
    site = Site(partitions=rng.randrange(1, 4), safe=Key(seed(96), ORIGIN) if safe else None)
    tables = rng.sample(TABLES, rng.randrange(1, 6)) if tables is None else tables
    day, seals = 20, seals or rng.randrange(2, 12)
    for turn in range(seals):
        for _ in range(rng.randrange(8)):
            table = rng.choice(tables)
            count = rng.choice([1, 1, 1, 2, 5])
            lines = [event(table, rng, rng.randrange(10 ** 6)) for _ in range(count)]
            if rng.random() < 0.02:
                site.unjudged.append({"table": table, "record": len(site.tables.get(table, [])),
                                      "line": 1, "released": rng.random() < 0.5})
                lines[0] = '{"not an event":'
            site.append(table, "\n".join(lines).encode())
        if not site.tables:
            site.append(tables[0], event(tables[0], rng, 0).encode())
        if rng.random() < 0.15:
            rotate(site, rng)
        closes = rng.random() < 0.4 or turn == seals - 1
        site.seal(day=f"2026-11-{day}" if closes else None)
        day += closes
    return site


def rotate(site, rng):
    """Adds a new log key and retires the old one, in one statement or two, or revokes it."""
    new = Key(bytes([rng.randrange(256) for _ in range(32)]), site.origin)
    old = site.log_keys[0]
    if site.safe and rng.random() < 0.3:
        site.state(adds=[new], revokes=[(old, len(site.leaves) + 1)], signers=[site.safe, new])
        site.log_keys = [new]
    else:
        site.state(adds=[new], signers=[old, new])
        site.log_keys = [old, new]
        site.seal()
        site.state(retires=[old], signers=[new])
        site.log_keys = [new]


def random_package(rng, site=None, **options):
    """Returns a package of a random scope of a random site."""
    site = site or random_site(rng)
    days = [index for index, seal in site.seals.items() if seal["day"]]
    kind = rng.choice(["shoe", "finding", "table", "day", "day"])
    since = {size + 1: rng.choice(["heads", "bare"]) for size in rng.sample(
        list(site.seals), rng.randrange(min(3, len(site.seals)) + 1))}
    since.update(options.pop("since", {}))
    number = rng.randrange(len(site.names))
    table = site.names[number]
    if kind == "day":
        place = rng.randrange(len(days))
        after, to = days[place - 1] if place else None, days[place]
        if rng.random() < 0.5 and site.seals[to]["sizes"]:
            return Package(site, kind, None, after, to, since=since, **options)
        known = [n for n in range(len(site.seals[to]["sizes"]))]
        number = rng.choice(known)
        return Package(site, kind, {number: (None, None)}, after, to, since=since, **options)
    if kind == "table":
        last = max(site.seals)
        return Package(site, kind, {number: (0, None)}, None, last, since=since, **options)
    first = rng.randrange(len(site.tables[table]))
    end = rng.randrange(first + 1, len(site.tables[table]) + 1)
    sizes = {index: seal["sizes"][number] if number < len(seal["sizes"]) else 0
             for index, seal in site.seals.items()}
    after = max([index for index, size in sizes.items() if size <= first], default=None)
    to = min(index for index, size in sizes.items() if size >= end)
    return Package(site, kind, {number: (first, end)}, after, to, since=since, **options)
