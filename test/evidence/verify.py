#!/usr/bin/env python3
"""Verifies a Shoeprint evidence package: steps 1 to 6 of docs/evidence.md.

The second implementation, from the words of that page and of docs/decisions/0035 and not from the
code of `shoeprint verify`. It needs Python 3.9, and package_reading.py and proofs.py beside it. It
writes no file and opens no connection.
"""
import argparse, collections, contextlib, hashlib, itertools, json, operator, sys
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

sys.dont_write_bytecode = True  # Python would write what it compiles beside the two files.
from package_reading import (ABOUT, CHECKPOINT, DAMAGE, INFO, LAST, LEAVES, MANIFEST, NAMES, SINCE,
                             SITE, TAGS, Fault, MiB, Source, check_lines, name_line, read, read_key,
                             read_note, read_seal, require, whole)
from proofs import Frontier, check_consistent, climb, ed25519_verify, leaf_hash

EXITS = {"INTACT": 0, "INCOMPLETE": 2, "ALTERED": 1, "UNREADABLE": 3}

def signed(note, key):
    """Returns whether the key signed the note. If its signature fails, the note is altered."""
    signature, message = note.signatures.get((key.name, key.id)), note.text.encode()
    if signature and key.type == 4:
        message = b"cosignature/v1\ntime %d\n" % int.from_bytes(signature[:8], "big") + message
        signature = signature[8:]
    require(signature is None or ed25519_verify(key.public, message, signature),
            f"the signature of {key.vkey} is wrong")
    return signature is not None

class Keyring:
    """The keys that the statements add, and the sizes of the log that each may sign: from `since`
    on, below `ends`. A statement at index i is in logs of size i + 1, and needs a key that may
    sign that size. Revocations reach back: the statements are read again until they agree."""
    def __init__(self, origin, statements):
        self.statements, self.revoked, found = statements, None, {}
        for each in statements:
            each.adds = [read_key(line[4:]) for line in each.adds.splitlines()]
            each.added = [key.vkey for key in each.adds if key.name == origin]
            each.ends = [line.split(" ")[1:] for line in each.ends.splitlines()]
        self.keys = [key for each in statements for key in each.adds]
        require(statements and len({key.vkey for key in self.keys}) == len(self.keys) and all(
            key.name in (origin, origin + "/exports") and key.type == 1 for key in self.keys) and
            sum(len(each.signatures) for each in statements) < 999,
            "statements are missing, add a key twice or of another log, or have 999 signatures")
        for each in statements:
            each.signers = {key.vkey for key in self.keys
                            if key.name == origin and signed(each, key)}
        self.safe = statements[0].added[1:2]
        for _ in range(len(statements) + 2):
            if found != self.revoked:
                self.revoked, found = found, self.settle(found)
        require(found == self.revoked, "the revocations contradict each other")

    def settle(self, revoked):
        """Reads the statements as if these revocations held. Returns those that they make."""
        self.since, self.ends, found = {}, dict(revoked), {}
        for each in self.statements:
            each.grounds = {vkey for vkey in each.signers if self.counts(vkey, each.number + 1)}
            each.grounds = each.grounds if each.number else set(each.added)
            if not (each.grounds and each.signers.issuperset(each.added) and
                    all(vkey in self.since for vkey, *_ in each.ends)):
                each.grounds = set()
                continue
            for vkey, *size in each.ends:
                if vkey not in self.safe or vkey in each.signers:
                    ends, end = (found, whole(size[0])) if size else (self.ends, each.number + 2)
                    ends[vkey] = min(end, ends.get(vkey, LAST))
            self.since.update((key.vkey, each.number + 1) for key in each.adds)
        return found

    def counts(self, vkey, size):
        return self.since.get(vkey, LAST) <= size < self.ends.get(vkey, LAST)

    def signers(self, note, size, name):
        """Returns the keys of this name that signed the note and may sign this size."""
        return {key.vkey for key in self.keys if key.name == name and signed(note, key)
                and self.counts(key.vkey, size)}

class Verifier:
    """Runs the steps. A fault ends the part in which it is found; the other parts go on."""
    def __init__(self, key=None, trusted=(), witnesses=(), quorum=None):
        self.key, self.trusted, self.witnesses = key, [*trusted], [*witnesses]
        self.quorum, self.faults, self.kinds, self.warnings = quorum, [], {"INTACT"}, []
        self.counts = dict.fromkeys(("tables", "records", "events", "seals", "faults"), 0)
        self.about = self.info = self.signer = self.last = None
        self.hashes, self.statements, self.roots, self.since, self.day = {}, {}, {}, {}, ""
        self.heads = collections.defaultdict(lambda: [Frontier(), 0])
        self.named, self.name_hash, self.excused = 0, hashlib.sha256(), collections.defaultdict(set)

    @contextlib.contextmanager
    def part(self, step, kind=None, **where):
        """Notes the fault that ends this part."""
        try:
            yield
        except (Fault, *DAMAGE) as error:
            message, own, at = error.args if isinstance(error, Fault) else (
                f"this cannot be read: {error}", "altered", {})
            self.kinds.add((kind or own).upper())
            self.counts["faults"] += 1
            if len(self.faults) < 100:
                self.faults.append({"step": step, "kind": kind or own, **where, **at,
                                    "message": message})

    def verdict(self):
        return max(self.kinds, key=list(EXITS).index)

    def verify(self, path):
        with self.part(1, "unreadable"):
            self.source = Source(path)
            with self.part(1, file=INFO):
                self.check_payload()
                with self.part(1, "unreadable", file=ABOUT):
                    self.about = self.source.json(ABOUT)
                self.check_files()
                with self.part(3, file=SITE):
                    if self.about:
                        self.check_site()

    # Steps 1 and 2: the payload is not larger than Payload-Oxum, and every file is as hashed
    def check_payload(self):
        sizes = [size for name, size in self.source.files.items() if name.startswith("data/")]
        self.payload = sum(sizes), len(sizes)
        if INFO in self.source.files:
            self.info = read(INFO, self.source.read(INFO).decode())
            require(sum(sizes) <= self.info.size and len(sizes) <= self.info.n,
                    "reading stops: the payload is larger than Payload-Oxum says")

    def check_files(self):
        files, listed, info = self.source.files, {}, self.info
        for manifest in (TAGS, MANIFEST):
            with self.part(2, file=manifest):
                for line in self.source.lines(manifest, "line of a manifest"):
                    require(line.file not in listed and
                            line.file.startswith("data/") == (manifest == MANIFEST),
                            f"{line.file} is listed twice, or in the wrong manifest")
                    listed[line.file] = line.sha
        for name in sorted({*files, *listed, INFO, "receipt", TAGS, MANIFEST}):
            with self.part(2, file=name), self.source.open(name) as file:
                digest = hashlib.sha256()
                for chunk in iter(lambda: file.read(MiB // 4), b""):
                    digest.update(chunk)
                self.hashes[name] = digest.hexdigest()
                manifest = MANIFEST if name.startswith("data/") else TAGS
                require(listed.get(name) == self.hashes[name] or name not in listed and
                        (name in ("receipt", TAGS) or manifest not in files),
                        "no manifest lists the file with this hash")
        with self.part(2, file=INFO):
            sizes = (info.size, info.n) if info and set(listed) <= set(files) else self.payload
            require(self.payload == sizes, "the payload is smaller than Payload-Oxum says")
            ids = {self.source.folder, info and info.id} - {None}
            require(not self.about or ids <= {self.about.id}, "package.json has another id")

    # Step 3: signatures
    def included(self, entry):
        """Checks that a leaf is in the log. Returns the root of the log that ends with it."""
        root, first = climb(entry.index, self.tip[0], leaf_hash(entry.text.encode()), entry.proof)
        require(root == self.tip[1], f"leaf {entry.index} is not proven to be in the log")
        return first

    def check_site(self):
        about, before = self.about, "none"
        self.point = read_note("checkpoint", self.source.read(CHECKPOINT))
        self.site, self.tip = self.source.json(SITE), (self.point.size, self.point.root)
        self.roots[self.point.size] = self.point.root
        for entry in self.site.keys:
            self.included(entry)
            each = self.statements[entry.index] = read_note("key statement", entry.text.encode())
            require((each.origin, each.number, each.previous) == (about.origin, entry.index, before)
                    and (before == "none") == (entry.index == 0),
                    f"statement {entry.index} does not follow {before}")
            before, each.entry = str(entry.index), entry.text
        self.included(self.site.latest)
        self.latest = read_seal(self.site.latest.text)
        require(self.latest.number + 1 == self.point.size, "the last leaf is not the latest seal")
        self.ring = Keyring(about.origin, list(self.statements.values()))
        self.check_signatures()
        with self.part(4, file=SINCE):
            self.read_since()
        with self.part(5, file=LEAVES):
            self.check_seals()
            self.check_tables()
        with self.part(3, file=CHECKPOINT):
            self.check_trust()

    def check_signatures(self):
        about, point, ring = self.about, self.point, self.ring
        for each in [each for each in ring.statements if not each.grounds]:
            with self.part(3, file=SITE):
                require(any(ring.revoked.get(vkey, LAST) <= each.number + 1 for vkey in
                            each.signers), f"no key in force signed key statement {each.number}")
                self.warnings.append(f"a revoked key signed key statement {each.number}")
        with self.part(2, file="receipt"):
            note = read_note("receipt", self.source.read("receipt"))
            require((note.origin, note.id, note.tags) == (about.origin, about.id, self.hashes.get(
                TAGS, note.tags)), "it is the receipt of another package")
            require(ring.signers(note, point.size, about.origin + "/exports"),
                    "no exports key in force signed it")

    def check_trust(self):
        """Trust goes from what the reader holds, over key statements, to the checkpoint."""
        about, point, known = self.about, self.point, {self.key.vkey} if self.key else set()
        for name, held in self.trusted:
            with self.part(4, file=name):
                known |= self.ring.signers(held, held.size, held.origin)
                self.check_trusted(held)
        require((about.origin, about.size) == (point.origin, point.size),
                "it is not that of package.json")
        signers = self.ring.signers(point, point.size, point.origin)
        require(signers, "no log key in force at its size signed it")
        witnesses = sum(signed(point, key) for key in self.witnesses)
        for each in self.ring.statements:
            known |= set(each.added) if each.grounds & known else set()
        self.signer = min(signers & known or signers)
        require(signers & known or not known,
                f"{self.signer} signed it, for which the key that you gave does not vouch")
        require(known, "who signed it is not known to you: ask the house by another way whether "
                f"its key is {self.signer}", "incomplete")
        require(witnesses >= (len(self.witnesses) if self.quorum is None else self.quorum),
                f"only {witnesses} of the witnesses that you named signed it", "incomplete")

    # Step 4: history
    def read_since(self):
        self.grown = {vars(entry)["from"]: entry.proof for entry in self.site.consistency}
        for entry in sorted(self.source.json(SINCE), key=lambda entry: entry.size):
            heads = {head.number: head for head in entry.tables}
            require(entry.seal.index + 1 == entry.size and len(heads) == len(entry.tables) and
                    set(heads) <= {table.number for table in self.about.tables}, f"size "
                    f"{entry.size} has another seal, or a table twice or of another package")
            root = self.roots[entry.size] = self.included(entry.seal)
            check_consistent("the site log", (entry.size, root), self.tip,
                             self.grown.get(entry.size, []))
            self.since[entry.size] = read_seal(entry.seal.text), heads
        require(sorted(vars(entry)["from"] for entry in self.site.consistency) == sorted(
            {self.about.range.to + 1, *self.since}), "a consistency proof is too many or missing")

    def check_trusted(self, held):
        size, root, span = held.size, self.roots.get(held.size), self.about.range
        ask = f"the package has no proof from size {size}: ask for an export with --since"
        require(held.origin == self.about.origin, f"it is one of {held.origin}")
        require(not root or root == held.root, f"history was rewritten: the first {size} leaves "
                "are others than in the checkpoint that you hold")
        require(self.ring.signers(held, size, held.origin), "no log key of this package signed it")
        require(root, ask, "incomplete")
        seal, heads = self.since.get(size, (self.latest, {}))
        for table in self.about.tables:
            require((span.after or 0) < size <= span.to + 1 or size == self.tip[0] or
                    table.number >= seal.tables or table.number in heads, ask, "incomplete",
                    table=table.table)

    # Step 5: seals
    def seals(self):
        """Yields the leaves of the range, each with its seal if it is not a key statement."""
        span, seal = self.about.range, None
        index = span.after or 0
        for leaf in self.source.lines(LEAVES, "leaf"):
            known = self.statements.get(index)
            require(leaf.index == index <= span.to and (not known or index != span.after and
                    leaf.text == known.entry), "this is not the next seal, or the proven statement",
                    seal=index)
            seal = None if known else read_seal(leaf.text)
            yield leaf, seal
            index += 1
        require(index == span.to + 1 and seal, "the range does not end with its seal")

    def check_seals(self):
        start, end = self.about.range.after or 0, self.about.range.to + 1
        names = self.source.read(NAMES)
        self.names = [unquote_to_bytes(line) for line in names.split(b"\n")[:-1]]
        require(len(set(self.names)) == len(self.names) < 100_000 and names == b"".join(
            map(name_line, self.names)), "a name is there twice, or has another form", file=NAMES)
        for size in [size for size in self.since if size <= start]:
            self.follow(self.since[size][0], size - 1)
        tree, proven = Frontier(start, self.site.frontier), {held.size for _, held in self.trusted}
        for leaf, seal in self.seals():
            tree.push(leaf_hash(leaf.text.encode()))
            if tree.size in proven | set(self.roots):
                require(self.roots.setdefault(tree.size, tree.root()) == tree.root(),
                        f"the first {tree.size} leaves are not the proven ones", seal=leaf.index)
            if seal:
                self.follow(seal, leaf.index, leaf.index > start or start == 0)
                self.counts["seals"] += 1
        check_consistent("the site log", (end, tree.root()), self.tip, self.grown.get(end, []))
        self.sealed_tables = seal.tables
        for size in [size for size in self.since if size > end]:
            self.follow(self.since[size][0], size - 1)
        self.follow(self.latest, self.latest.number)
        require(self.named == len(self.names), "it has more names", file=NAMES)

    def follow(self, seal, index, is_next=False):
        """Checks that a seal goes on from the last one. `is_next`: none lies between."""
        last, self.last, fresh = self.last or seal, seal, self.names[self.named:seal.tables]
        self.name_hash.update(b"".join(map(name_line, fresh)))
        keys = max((number for number in self.statements if number < index), default=None)
        falls = len(seal.next) != len(last.next) or any(map(operator.lt, seal.next, last.next))
        wrong = [what for what, is_wrong in {
            "it is of another site": seal.origin != self.about.origin,
            "it has another number than its leaf": seal.number != index,
            "it is of another log": seal.log != last.log,
            f"it does not name key statement {keys}": seal.keys != keys,
            f"its time goes back from {last.time}": seal.time < last.time,
            f"its day is not later than {self.day}":
                seal.number != last.number and seal.day and seal.day <= self.day,
            "its `next` falls, or has other partitions": falls,
            "it counts records of no table": self.about.all and not seal.tables and (
                seal.heads, sum(seal.next)) != (Frontier().root(), 0),
            "its number of tables falls": not last.tables <= seal.tables <= len(self.names),
            "it has other names": self.name_hash.digest() != seal.names,
            "its new names are out of order": is_next and fresh != sorted(fresh),
        }.items() if is_wrong]
        require(not wrong, "the seal does not go on from the last one: " + ", ".join(wrong),
                seal=index)
        self.day, self.named = seal.day or self.day, max(self.named, seal.tables)

    # Step 6: records
    def check_tables(self):
        numbers = [table.number for table in self.about.tables]
        for each in self.about.unjudged:
            self.excused[each.table, each.record].add(each.line)
        with self.part(6, file=ABOUT):
            every = range(max(len(numbers), self.sealed_tables))
            require(numbers == (list(every) if self.about.all else sorted(set(numbers))),
                    "a table is missing, there twice, or out of order")
        for table in self.about.tables:
            self.counts["tables"] += 1
            with self.part(6, table=table.table):
                self.check_table(table)

    def check_table(self, table):
        span, folder, what = self.about.range, f"data/tables/{table.number}/", f"table {table.name}"
        require([table.table.encode()] == self.names[table.number:][:1] and
                table.name == quote(table.table, safe=""), "it has another number", file=ABOUT)
        proof, records = self.source.json(folder + "proof.json"), self.records(table, folder)
        heads = self.source.lines(folder + "heads.ndjson", "head")
        tree, end = Frontier(table.first, proof.frontier), table.first + table.records
        last, early, start, low = (0, Frontier().root()), None, table.first, []
        others = "the records from {} on are not the ones that are sealed"
        for leaf, seal in self.seals():
            if seal and table.number < seal.tables:
                here = {"file": folder + "heads.ndjson", "seal": leaf.index}
                head = next(heads, None)
                require(head and head.seal == leaf.index and head.size >= max(last[0], 1),
                        "the head is missing, or smaller than the one before", **here)
                last, start = self.check_head(table, seal, head), tree.size
                for row, digest in itertools.islice(records, max(0, min(head.size, end) - start)):
                    tree.push(digest)
                    part, low = row.partition, low or [0] * len(seal.next)
                    require(part < len(low) and low[part] <= row.offset < seal.next[part],
                            "the offset is outside the reach of the seal", **here, record=row.n)
                early = last if head.size < table.first else early
                require(early != last or leaf.index == span.after, "its size is below `first`",
                        **here)
                require((tree.size, tree.root()) == last or last == early or leaf.index == span.to,
                        others.format(start), **here, record=start)
            low = seal.next if seal else low
        tree.complete(last[0], proof.rest)
        require((tree.size, tree.root()) == last and next(records, next(heads, None)) is None,
                others.format(start), file=folder + "events.ndjson", seal=span.to, record=start)
        latest = self.check_head(table, self.latest, proof.latest)
        check_consistent(what, early or last, last, proof.before)
        check_consistent(what, last, latest, proof.latest.consistency)
        for seal, head in [(seal, heads.get(table.number)) for seal, heads in self.since.values()]:
            with self.part(4, table=table.table, file=SINCE, seal=seal.number):
                if head:
                    old = self.check_head(table, seal, head)
                    check_consistent(what, old, latest, head.consistency)
        for file, (size, root), low, high in (("context.ndjson", last, 0, table.first),
                                              ("later.ndjson", latest, end, latest[0])):
            with self.part(6, table=table.table, file=folder + file):
                for record in self.source.lines(folder + file, "record"):
                    n, value = record.n, record.value.encode()
                    sealed, _ = climb(n, size, leaf_hash(value), record.proof)
                    require(low <= n < high and sealed == root,
                            "the record is not one that is sealed and due here", record=n)
                    check_lines(value, table.table, self.excused[table.table, n], record=n)
                    low = n + 1

    def check_head(self, table, seal, head):
        """Checks that a head is in its seal, by its path or together with those of all tables."""
        root, path = b64encode(head.root).decode(), vars(head).get("path")
        leaf = leaf_hash(f"{seal.origin}/table/{table.name}\n{head.size}\n{root}\n".encode())
        if hasattr(head, "seal") and self.about.all:
            together = self.heads[seal.number]
            together[0].push(leaf)
            together[1] += head.size
            require(path is None and (together[0].size < seal.tables or (
                together[0].root(), together[1]) == (seal.heads, sum(seal.next))),
                "the heads of all tables, or the sum of `next`, are not those of the seal")
        else:
            require(path is not None and head.size > 0 and
                    climb(table.number, seal.tables, leaf, path)[0] == seal.heads,
                    "the head of the table is not in the seal's heads root")
        return head.size, head.root

    def records(self, table, folder):
        """Yields the row and the leaf of each record, and checks its lines."""
        rows, events, last = self.source.lines(folder + "records.csv"), 0, None
        require(next(rows, b"") == b"n,bytes,lines,partition,offset,check", "it has other columns",
                file=folder + "records.csv")
        with self.source.open(folder + "events.ndjson") as file:
            for n in range(table.first, table.first + table.records):
                row = read("row", next(rows, b"").decode())
                here = {"file": folder + "events.ndjson", "record": n, "partition": row.partition,
                        "offset": row.offset}
                require(row.n == n and row.size <= MiB and (not last or row.offset > last.offset
                        and row.partition == last.partition), "its row is not the next", **here)
                value, end, last = file.read(row.size), file.read(1), row
                leaf, excused = leaf_hash(value), self.excused[table.table, n]
                require((len(value), end, leaf.hex()[:8]) == (row.size, b"\n", row.check),
                        "records.csv has others", **here)
                require(row.lines == check_lines(value, table.table, excused, **here),
                        "records.csv has another number of lines", **here)
                events += row.lines
                self.counts["records"] += 1
                self.counts["events"] += row.lines
                yield row, leaf
            require(file.read(1) == b"" and next(rows, None) is None and events == table.events,
                    "there are more records, or other events than package.json says")

def main(arguments):
    parser, verifier = argparse.ArgumentParser(description=__doc__.split("\n")[0]), Verifier()
    parser.error = lambda message: require(False, message)
    parser.add_argument("package", metavar="PACKAGE|FOLDER")
    parser.add_argument("--key", metavar="VKEY|FILE", help="the log key of the house", type=lambda
                        key: read_key(Path(key).read_text().strip() if Path(key).exists() else key))
    parser.add_argument("--trusted", metavar="CHECKPOINT", action="append", type=lambda name:
                        (name, read_note("checkpoint", Path(name).read_bytes())))
    parser.add_argument("--witness", metavar="VKEY", action="append", type=read_key,
                        dest="witnesses")
    parser.add_argument("--quorum", metavar="N", type=int, help="all, if it is not given")
    parser.add_argument("--json", action="store_true")
    with verifier.part(1, "unreadable"):
        parser.parse_args(arguments, verifier)
        named = len({key.vkey for key in verifier.witnesses if key.type == 4})
        require(not verifier.key or verifier.key.type == 1, "--key is not the key of a log")
        require(named == len(verifier.witnesses) and 0 <= (verifier.quorum or 0) <= named,
                "--quorum is at most the number of --witness, each a key of its own")
        verifier.verify(verifier.package)
    warnings = [*(verifier.about.warnings if verifier.about else []), *verifier.warnings]
    report = {"verdict": verifier.verdict(), "faults": verifier.faults, "warnings": warnings,
              "counts": verifier.counts, "key": verifier.signer}
    if "--json" in arguments:
        print(json.dumps(report))
    else:
        print(f"{verifier.verdict()}  steps 1 to 6 of 8, signed by {ascii(verifier.signer)}")
        for name in ("counts", "warnings", "faults"):
            print(f"  {name}: {json.dumps(report[name])}")
    return EXITS[verifier.verdict()]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
