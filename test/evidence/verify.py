#!/usr/bin/env python3
"""Verifies a Shoeprint evidence package: steps 1 to 6 of docs/evidence.md, section 7.

This is the second implementation. It and formats.py follow the words of that page and of
docs/decisions/0035, not the code of `shoeprint verify`, so that two programs by two readers agree
on every package. It needs Python 3.9, writes no file and opens no connection.
"""
import argparse, base64, bisect, contextlib, hashlib, itertools, json, operator, sys
from urllib.parse import quote, unquote_to_bytes

from formats import (
    ABOUT, BAGIT, CHECKPOINT, FILES, GROWN, HEAD, LEAF, LEAVES, MANIFESTS, MOST_KEYS, NAMES, NUMBER,
    PACKAGE, PROVEN, RECORD, ROW, SCOPE, SINCE_FILE, SITE, SITE_PROOF, TABLE_FILES, Fault, Frontier,
    Keyring, MiB, Report, Source, Statement, Stop, check_consistent, climb, leaf_hash, matched,
    printed, read_checkpoint, read_json, read_note, read_seal, read_vkey, require, sha256, shaped,
    signed, table_of)

MOST_TABLES, MOST_SEALS, RECORD_LIMIT, JSON_LIMIT = 100_000, 50_000, MiB, 24 * MiB
EXITS = {"INTACT": 0, "ALTERED": 1, "INCOMPLETE": 2, "UNREADABLE": 3}

class Verifier(Report):
    """Runs the steps. A fault ends the part in which it is found; the other parts go on."""

    def __init__(self, key=None, trusted=(), witnesses=(), quorum=0):
        super().__init__()
        self.key, self.trusted, self.witnesses, self.quorum = key, [*trusted], witnesses, quorum
        self.package = self.last = self.day = self.signer = self.cached = None
        self.surplus = self.name = None
        self.roots, self.heads, self.since, self.hashes, self.names = {}, {}, {}, {}, {}
        self.sealed, self.witnessed, self.name_hash = {}, [], hashlib.sha256()

    def json(self, name, form):
        data = self.source.read(name, JSON_LIMIT)
        return read_json(data[:-1] if data.endswith(b"\n") else b"", form)

    def verify(self, path):
        with contextlib.suppress(Stop):
            with self.part(1, "unreadable", fatal=True):
                self.source = Source(path)
            self.check_payload()
            with self.part(1, "unreadable", file=ABOUT):
                self.read_package()
            self.check_files()
            if not self.package:
                return
            with self.part(3, fatal=True, file=SITE_PROOF):
                self.read_site()
            self.check_signatures()
            with self.part(4, file=SINCE_FILE):
                self.read_since()
            with self.part(5, file=LEAVES):
                self.check_seals()
            for table in self.package.tables:
                self.check_table(table)
            self.check_heads()
            for name, trusted in self.trusted:
                with self.part(4, file=name):
                    self.check_trusted(trusted)

    # Step 1: read
    def check_payload(self):
        """Compares the payload with Payload-Oxum before anything is inflated."""
        sizes = [size for name, size in self.source.files.items() if name.startswith("data/")]
        if "bag-info.txt" in self.source.files:
            with self.part(1, fatal=True, file="bag-info.txt"):
                self.name, octets, count = matched(
                    rf"External-Identifier: ([^\n]+)\nPayload-Oxum: ({NUMBER})\.({NUMBER})\n",
                    self.source.read("bag-info.txt").decode(), "bag-info.txt")
                octets, count = int(octets), int(count)
                self.surplus = (octets, count) != (sum(sizes), len(sizes))
                require(sum(sizes) <= octets and len(sizes) <= count, "reading stops: the payload "
                        f"is {sum(sizes)} bytes in {len(sizes)} files, more than Payload-Oxum says")

    def read_package(self):
        package = self.json(ABOUT, PACKAGE)
        after, to = package.range.after, package.range.to
        require(package.format == "shoeprint package v1", "this is not `shoeprint package v1`")
        require(list(package.scope) == [name for name in SCOPE if name in package.scope] and
                package.scope.get("kind") in ("shoe", "finding", "table", "day"), "unknown scope")
        require(after is None or shaped(after, int, "after") > 0, "`after` is the index of a seal")
        rules = {rule.id for rule in package.rules}
        require(len(rules) == len(package.rules), "`rules` has a document twice")
        numbers = [table.number for table in package.tables]
        require(numbers, "`tables` is empty")
        if numbers != sorted(set(numbers)):
            self.add(6, "`tables` has a number twice or out of order", file=ABOUT)
        package.after, package.to, package.numbers, self.package = after, to, set(numbers), package

    # Step 2: files
    def check_files(self):
        files, listed, named, rules = self.source.files, {}, set(FILES), {}
        if self.package:
            rules = {f"data/rules/{rule.id}.json": rule.sha256 for rule in self.package.rules}
            named.update(rules, (f"data/tables/{table.number}/{name}"
                                 for table in self.package.tables for name in TABLE_FILES))
            if {self.source.folder, self.name} - {None} - {self.package.id}:
                self.add(2, "the zip's folder and bag-info.txt do not name the id in package.json")
        for manifest in MANIFESTS:
            with self.part(2, file=manifest):
                for line in self.source.lines(manifest, 1024):
                    sha, name = matched("([0-9a-f]{64})  ([^\n]+)", line.decode(), "a line")
                    require(name not in listed and MANIFESTS[name.startswith("data/")] == manifest,
                            f"{name} is listed twice, or in the wrong manifest")
                    listed[name] = sha
        self.missing = sorted((named | set(listed)) - set(files))
        for name in self.missing:
            self.add(2, "the file is not there", "incomplete", file=name)
        if self.surplus and not self.missing:
            self.add(1, "Payload-Oxum is not that of the payload", file="bag-info.txt")
        for name in sorted(files):
            with self.part(2, file=name), self.source.open(name) as file:
                sha, manifest = hashlib.sha256(), MANIFESTS[name.startswith("data/")]
                for chunk in iter(lambda: file.read(MiB // 4), b""):
                    sha.update(chunk)
                sha = self.hashes[name] = sha.hexdigest()
                require(listed.get(name, sha) == sha, "the file is not as hashed in the manifest")
                require(name in {*listed, "receipt", MANIFESTS[0]} or manifest not in files,
                        "no manifest lists the file")
                require(name in named or name.startswith("data/reports/") or not self.package,
                        "the format has no such file")
                require(rules.get(name, sha) == sha, "the file is not as hashed in package.json")
        with self.part(2, file="bagit.txt"):
            require(self.source.read("bagit.txt") == BAGIT, "this is not BagIt 1.0 in UTF-8")

    # Step 3: signatures
    def included(self, entry):
        """Checks that a leaf is in the log. Returns the root of the log that ends with it."""
        root, first = climb(entry.index, self.tip[0], leaf_hash(entry.text.encode()), entry.proof)
        require(root == self.tip[1], f"leaf {entry.index} is not proven to be in the log")
        return first

    def read_site(self):
        with self.part(3, fatal=True, file=CHECKPOINT):
            self.checkpoint = read_checkpoint(self.source.read(CHECKPOINT))
        self.site, self.tip = self.json(SITE_PROOF, SITE), self.checkpoint[2:]
        self.roots[self.tip[0]], keys, before = self.tip[1], self.site.keys, "none"
        self.consistency = {vars(entry)["from"]: entry.proof for entry in self.site.consistency}
        self.statements, self.name_lines = {}, self.source.lines(NAMES, 64 * 1024)
        require(1 <= len(keys) <= MOST_KEYS and keys[0].index == 0, "`keys` do not begin at leaf 0")
        for entry in [*keys, self.site.latest]:
            self.included(entry)
        for entry in keys:
            statement = self.statements[entry.index] = Statement(entry.text)
            require((statement.origin, statement.index, statement.previous) ==
                    (self.package.origin, entry.index, before),
                    f"the statement at leaf {entry.index} does not follow that at leaf {before}")
            before = str(entry.index)
        self.latest = read_seal(self.site.latest.text)
        require(self.latest.number + 1 == self.tip[0], "the last leaf is not the latest seal")
        self.ring = Keyring(self.package.origin, list(self.statements.values()))

    def check_signatures(self):
        point, ring, origin, signers = self.checkpoint, self.ring, self.package.origin, set()
        for index, revoked in ring.uncounted():
            self.warnings += [f"only revoked keys signed key statement {index}"] * revoked
            if not revoked:
                self.add(3, f"key statement {index} lacks the signature of a log key in force, of "
                         "one that it adds, or of the safe's key if it ends that", file=SITE_PROOF)
        with self.part(3, file=CHECKPOINT):
            require((origin, self.package.size) == point[1:3], "it is not that of package.json")
            signers = ring.signed_by(point.note, point.size, origin)
            require(signers, "no log key in force at its size signed it")
        with self.part(2, file="receipt"):
            note, tags = read_note(self.source.read("receipt")), self.hashes.get(MANIFESTS[0])
            require(ring.signed_by(note, point.size, origin + "/exports"),
                    "no exports key in force signed it")
            require(note.text == f"shoeprint package v1\n{origin}\n{self.package.id}\n{tags}\n" or
                    not tags, "it is not the receipt of this package")
        for witness in self.witnesses:
            with self.part(3, file=CHECKPOINT):
                self.witnessed += [witness.name] if signed(point.note, witness) else []
        if len(self.witnessed) < self.quorum:
            self.add(3, f"{len(self.witnessed)} of the witnesses that you named signed it, and "
                     f"{self.quorum} have to", "incomplete", file=CHECKPOINT)
        self.check_trust(signers)

    def check_trust(self, signers):
        """Trust goes from what the reader holds, over key statements, to the checkpoint."""
        given = {self.key.vkey} if self.key else set()
        for name, trusted in self.trusted:
            with self.part(4, file=name):
                require(trusted.origin == self.package.origin, f"it is one of {trusted.origin}")
                old = self.ring.signed_by(trusted.note, trusted.size, trusted.origin)
                require(old, "no log key of this package signed the checkpoint that you hold")
                given |= old
        known = sorted(signers & self.ring.reached_from(given))
        self.signer = (known or sorted(signers) or [None])[0]
        if signers and not known and given:
            self.add(3, f"signed by {self.signer}, for which the key that you gave does not vouch")
        elif signers and not known:
            self.add(3, "who signed it is not known to you: ask the house by another way whether "
                     f"its key is {self.signer}", "incomplete")

    # Step 4: history
    def read_since(self):
        table = {"number": int, **HEAD, **GROWN}
        form = [{"size": int, "seal": PROVEN, "tables": [table]}]
        for entry in sorted(self.json(SINCE_FILE, form), key=lambda entry: entry.size):
            require(entry.seal.index + 1 == entry.size, f"leaf {entry.size - 1} is not its seal")
            root = self.roots[entry.size] = self.included(entry.seal)
            check_consistent("the site log", (entry.size, root), self.tip,
                             self.consistency.get(entry.size, []))
            heads = {head.number: head for head in entry.tables}
            require(len(heads) == len(entry.tables) and set(heads) <= self.package.numbers,
                    f"size {entry.size} has a table twice, or one that is not in the package")
            self.since[entry.size] = read_seal(entry.seal.text), heads
        require(sorted(vars(entry)["from"] for entry in self.site.consistency) == sorted(
            {self.package.to + 1, *self.since}), "there is a consistency proof too many or too few",
            file=SITE_PROOF)

    def check_trusted(self, trusted):
        size, root = trusted.size, self.roots.get(trusted.size)
        ask = f"ask for an export with --since and your checkpoint of size {size}"
        require(root, f"the package has no proof from size {size}: {ask}", "incomplete")
        require(root == trusted.root, f"history was rewritten: the first {size} leaves are others "
                "than in the checkpoint that you hold")
        seal, heads = self.since.get(size, (None, {}))
        beyond = size <= (self.package.after or 0) or self.package.to + 1 < size < self.tip[0]
        for table in self.package.tables:
            require(not (seal and beyond) or table.number >= seal.tables or table.number in heads,
                    f"there is no proof from size {size}: {ask}", "incomplete", table=table.table)

    # Step 5: seals
    def leaves(self):
        index = self.package.after or 0
        for line in self.source.lines(LEAVES):
            leaf = read_json(line, LEAF)
            require(leaf.index == index <= self.package.to, f"leaf {index} is not next")
            yield index, leaf.text
            index += 1
        require(index == self.package.to + 1, f"leaf {index} is not there")

    def seals(self):
        """Returns the seals of the range, from memory if they are few."""
        return iter(self.cached) if self.cached else (
            read_seal(text) for index, text in self.leaves() if index not in self.statements)

    def check_seals(self):
        start, to, kept, room = self.package.after or 0, self.package.to, [], 16 * MiB
        require(start <= to < self.tip[0], "the range is empty, or ends after the log", file=ABOUT)
        tree, held = Frontier(start, self.site.frontier), {held.size for _, held in self.trusted}
        for size in [size for size in self.since if size <= start]:
            self.follow(self.since[size][0], size - 1)
        for index, text in self.leaves():
            tree.push(leaf_hash(text.encode()))
            if tree.size in held or tree.size in self.roots:
                require(self.roots.setdefault(tree.size, tree.root()) == tree.root(),
                        f"the first {tree.size} leaves are not those that are proven", seal=index)
            if index in self.statements:
                require(text == self.statements[index].text and
                        index not in (self.package.after, to),
                        "this leaf has to be a seal, or the proven key statement", seal=index)
                continue
            seal, room = read_seal(text), room - len(text)
            self.follow(seal, index, index > start or start == 0)
            self.counts["seals"] += 1
            kept.append(seal) if room > 0 else kept.clear()
            self.sealed["after"] = seal.time if index == start else self.sealed.get("after")
        self.cached, time = kept, self.last.time
        check_consistent("the site log", (to + 1, tree.root()), self.tip,
                         self.consistency.get(to + 1, []))
        for size in [size for size in self.since if size > to + 1]:
            self.follow(self.since[size][0], size - 1)
        self.follow(self.latest, self.latest.number)
        require(next(self.name_lines, None) is None, "it has more names", file=NAMES)
        self.sealed["to"] = time

    def follow(self, seal, index, adjacent=False):
        """Reports where a seal does not go on from the last one. `adjacent`: none lies between."""
        last, self.last, leaves = self.last or seal, seal, list(self.statements)
        before = leaves[bisect.bisect_left(leaves, index) - 1]
        with self.part(5, file=NAMES, seal=index):
            require(self.read_names(seal.tables, adjacent) == seal.names,
                    "the names at this seal are not the first of this list")
        for holds, message in (
                (seal.origin == self.package.origin, "the seal is of another site"),
                (seal.number == index, "the seal has another number than its leaf"),
                (seal.keys == before, f"the seal does not name key statement {before}"),
                (seal.time >= last.time, f"the seal's time goes back from {last.time}"),
                (seal.log == last.log, f"the seal is of another log than {last.log}"),
                (len(seal.next) == len(last.next) and all(map(operator.ge, seal.next, last.next)),
                 "`next` falls, or has other partitions"),
                (seal.number == last.number or not seal.day or not self.day or seal.day > self.day,
                 f"the seal's day is not later than {self.day}")):
            if not holds:
                self.add(5, message, file=LEAVES, seal=index)
        self.day = seal.day or self.day

    def read_names(self, count, adjacent):
        """Reads the names list up to `count` names. Returns the hash of what was read."""
        require(NAMES in self.source.files, "the file is not there", "absent")
        require(len(self.names) <= count <= MOST_TABLES, "the number of tables falls, or is large")
        before = b""
        for line in itertools.islice(self.name_lines, count - len(self.names)):
            table = unquote_to_bytes(line)
            require(quote(table, safe="").encode() == line and sha256(line) not in self.names and
                    (before <= table or not adjacent), f"name {len(self.names)} has another form, "
                    "or is there twice, or is out of order")
            self.name_hash.update(line + b"\n")
            self.names[sha256(line)], before = len(self.names), table
        require(len(self.names) == count, f"the list has no name {count - 1}")
        return self.name_hash.digest()

    # Step 6: records
    def check_table(self, table):
        folder, table.tip, end = f"data/tables/{table.number}/", None, table.first + table.records
        grows, here = f"table {table.name}", {"table": table.table, "file": folder + "proof.json"}
        self.counts["tables"] += 1
        with self.part(6, **here):
            name = quote(table.table, safe="")
            number = self.names.get(sha256(name.encode()))
            require(table.name == name and (number == table.number or "to" not in self.sealed),
                    f"{name} has another name or number in {NAMES}", file=ABOUT)
            proof = self.json(folder + "proof.json", {
                "frontier": [bytes], "before": [bytes], "rest": [bytes],
                "latest": {**HEAD, **GROWN}})
            last = (proof.latest.size, proof.latest.root)
            early, table.tip = self.check_records(table, folder, proof)
            check_consistent(grows, early or table.tip, table.tip, proof.before)
        if table.tip is None:
            return
        with self.part(6, **here):
            self.check_head(table, self.latest, proof.latest, "latest")
            check_consistent(grows, table.tip, last, proof.latest.consistency)
        for seal, heads in self.since.values():
            with self.part(4, table=table.table, file=SINCE_FILE, seal=seal.number):
                for head in [heads[table.number]] if table.number in heads else []:
                    self.check_head(table, seal, head, "since")
                    check_consistent(grows, (head.size, head.root), last, head.consistency)
        for file, (size, root), low, high in (("context.ndjson", table.tip, 0, table.first),
                                              ("later.ndjson", last, end, last[0])):
            with self.part(6, table=table.table, file=folder + file):
                for line in self.source.lines(folder + file):
                    record = read_json(line, RECORD)
                    require(low <= record.n < high, f"record {record.n} has no place here")
                    leaf = leaf_hash(record.value.encode())
                    require(climb(record.n, size, leaf, record.proof)[0] == root,
                            "the record is not the one that is sealed", record=record.n)
                    low = record.n + 1

    def check_head(self, table, seal, head, where):
        """Checks that a head is in its seal: by its path, or later with those of all tables."""
        require(head.size > 0, "a table of size 0 has no head")
        root = base64.b64encode(head.root).decode()
        text = f"{self.package.origin}/table/{table.name}\n{head.size}\n{root}\n"
        if self.package.all and not hasattr(head, "path"):
            heads = self.heads.setdefault((where, seal.number), [seal, Frontier(), 0])
            require(len(self.heads) <= MOST_SEALS, f"there are more than {MOST_SEALS} seals")
            heads[1].push(leaf_hash(text.encode()))
            heads[2] += head.size
        else:
            leaf, path = leaf_hash(text.encode()), getattr(head, "path", [b""])
            require(climb(table.number, seal.tables, leaf, path)[0] == seal.heads,
                    "the head of the table is not in the seal's heads root")

    def check_heads(self):
        for seal, tree, records in self.heads.values():
            if tree.size == seal.tables or not self.missing:
                with self.part(6, seal=seal.number):
                    require((tree.size, tree.root()) == (seal.tables, seal.heads),
                            "the heads of all tables do not make the seal's heads root")
                    require(records == sum(seal.next), "the sizes of all tables are not the sum of "
                            f"`next`: {records} and {sum(seal.next)}")

    def check_records(self, table, folder, proof):
        """Grows the table record by record, and compares its root at every seal of the range.
        Returns a head from before the range, and the head at the range's last seal."""
        tree, end = Frontier(table.first, proof.frontier), table.first + table.records
        records, heads = self.records(table, folder), self.source.lines(folder + "heads.ndjson")
        tip, form = (0, sha256(b"")), {"seal": int, **HEAD}
        early, last, sound = None, None, True
        for seal in self.seals():
            before, last = last, seal
            if table.number >= seal.tables:
                continue
            here = {"file": folder + "heads.ndjson", "seal": seal.number}
            head, low = read_json(next(heads, b"null"), form), tree.size
            require(head.seal == seal.number and head.size >= tip[0] and
                    hasattr(head, "path") != self.package.all, "the head at this seal is missing, "
                    "smaller than the one before, or has a path though all tables are here", **here)
            with self.part(6, table=table.table, **here):
                self.check_head(table, seal, head, "range")
            tip = (head.size, head.root)
            if head.size < table.first:
                require(seal.number == self.package.after, "the range begins after it", **here)
                early = tip
                continue
            for n, leaf, part, offset in itertools.islice(records, min(head.size, end) - low):
                tree.push(leaf)
                require(part < len(seal.next) and
                        (before.next[part] if before else 0) <= offset < seal.next[part],
                        "the offset is outside the reach of the seal", seal=seal.number,
                        file=folder + "records.csv", record=n, partition=part, offset=offset)
            if seal.number == self.package.to:
                tree.complete(head.size, proof.rest)
            require(tree.size == head.size, "the range ends before this seal", **here)
            if sound and tree.root() != head.root:
                sound = self.add(6, f"between records {low} and {head.size - 1}: they are not the "
                                 "ones that are sealed", table=table.table, **here, record=low)
        require(next(heads, None) is None and next(records, None) is None and tip[0] >= end,
                "there are heads after the last seal, or records that no seal holds")
        return early, tip

    def records(self, table, folder):
        """Yields index, leaf, partition and offset of each record, and judges its lines."""
        unjudged = {(each.record, each.line) for each in self.package.unjudged
                    if each.table == table.table}
        rows, events, last = self.source.lines(folder + "records.csv", 1024), 0, None
        require(next(rows, b"") == b"n,bytes,lines,partition,offset,check",
                "it does not begin with the names of its columns", file=folder + "records.csv")
        with self.source.open(folder + "events.ndjson") as file:
            for n in range(table.first, table.first + table.records):
                *row, check = matched(ROW, next(rows, b"").decode(), f"the row of record {n}")
                index, size, lines, partition, offset = map(int, row)
                here = {"file": folder + "events.ndjson", "record": n, "partition": partition,
                        "offset": offset}
                require(index == n and size <= RECORD_LIMIT and
                        (not last or partition == last[0] and offset > last[1]),
                        f"the row of record {n} does not follow the one before", **here)
                value, last = file.read(size), (partition, offset)
                leaf, texts = leaf_hash(value), value.split(b"\n") if value else []
                require(len(value) == size and file.read(1) == b"\n" and len(texts) == lines,
                        "the record has other bytes or lines than records.csv says", **here)
                if leaf.hex()[:8] != check:
                    self.add(6, "the record has another hash than records.csv says",
                             table=table.table, **here)
                for line, text in enumerate(texts, 1):
                    if (n, line) not in unjudged and table_of(text) != table.table:
                        self.add(6, "the line does not name this table", table=table.table,
                                 **here, line=line)
                events += lines
                self.counts["records"] += 1
                self.counts["events"] += lines
                yield n, leaf, partition, offset
            require(file.read(1) == b"" and next(rows, None) is None and events == table.events,
                    "there are more records, or other events than package.json says")

# --- The command line ------------------------------------------------------------------------
def show(verifier, path):
    counts, sealed, package = verifier.counts, verifier.sealed, verifier.package
    print(f"{verifier.verdict()}  {printed(package.id if package else path)}: " + ", ".join(
        f"{count:,} {name}" for name, count in counts.items()))
    print(f"  signed     {printed(verifier.signer)}"
          f"\n  cosigned   {printed(', '.join(verifier.witnessed) or 'no witness was named')}"
          f"\n  history    {len(verifier.trusted) or 'no'} earlier checkpoints were given"
          f"\n  sealed     {sealed.get('after')} to {sealed.get('to')} by the house's clock"
          "\n  steps      1 to 6 of 8: findings and completeness are not judged here")
    for warning in [*map(str, package.warnings if package else []), *verifier.warnings]:
        print(f"  warning    {printed(warning)}")
    for fault in verifier.faults:
        where = ", ".join(f"{key} {value}" for key, value in fault.items()
                          if key not in ("step", "kind", "message"))
        print(f"  step {fault['step']}     {fault['kind']}: {printed(where)}: "
              f"{printed(fault['message'])}")

def take_trust(verifier, options):
    """Reads what the reader trusts."""
    try:
        verifier.key = read_vkey(options.key) if options.key else None
    except Fault:
        with open(options.key, "rb") as file:
            verifier.key = read_vkey(file.read(MiB).decode().strip())
    for name in options.trusted:
        with open(name, "rb") as file:
            verifier.trusted.append((name, read_checkpoint(file.read(MiB + 1))))
    verifier.witnesses = [read_vkey(vkey) for vkey in options.witness]
    require(not verifier.key or verifier.key.algorithm == 1, "--key is not the key of a log")
    require(all(key.algorithm == 4 for key in verifier.witnesses), "--witness is not one's key")
    named = len({key.vkey for key in verifier.witnesses})
    verifier.quorum = named if options.quorum is None else options.quorum
    require(named == len(verifier.witnesses) and 0 <= verifier.quorum <= named,
            "--quorum is at most the number of --witness, each named once")

def main(arguments):
    parser, verifier = argparse.ArgumentParser(description=__doc__.split("\n")[0]), Verifier()
    parser.error = lambda message: require(False, message)
    parser.add_argument("package", metavar="PACKAGE|FOLDER")
    parser.add_argument("--key", metavar="VKEY|FILE", help="the log key of the house")
    parser.add_argument("--trusted", metavar="CHECKPOINT", action="append", default=[])
    parser.add_argument("--witness", metavar="VKEY", action="append", default=[])
    parser.add_argument("--quorum", metavar="N", type=int, help="all, if it is not given")
    parser.add_argument("--json", action="store_true")
    options = argparse.Namespace(package="", json="--json" in arguments)
    with contextlib.suppress(Stop):
        with verifier.part(1, "unreadable", fatal=True):
            parser.parse_args(arguments, options)
            take_trust(verifier, options)
        verifier.verify(options.package)
    sys.stdout.reconfigure(errors="backslashreplace")
    if options.json:
        warnings = [*(verifier.package.warnings if verifier.package else []), *verifier.warnings]
        print(json.dumps({"verdict": verifier.verdict(), "faults": verifier.faults,
                          "warnings": warnings, "counts": verifier.counts, "key": verifier.signer,
                          "sealed": {"after": None, "to": None, **verifier.sealed}}))
    else:
        show(verifier, options.package)
    return EXITS[verifier.verdict()]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
