"""Tests of verify.py: python3 -m unittest test_verify (in this folder).

SHOEPRINT_TEST_LONG runs all mutants and 10,000 random files. Without it a tenth of them runs,
which is chosen by the seed in SHOEPRINT_TEST_SEED (1 if it is not set).
"""
import ast
import functools
import hashlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
import zipfile

import make_package as make
import proofs
import verify
from make_package import Key, Package, Site, seed

HERE = os.path.dirname(os.path.abspath(__file__))
LONG = "SHOEPRINT_TEST_LONG" in os.environ
SEED = int(os.environ.get("SHOEPRINT_TEST_SEED", "1"))
VECTOR = os.path.join(HERE, "../fixtures/evidence-vector.json")

warnings.simplefilter("ignore", ResourceWarning)
# Pure and slow, and asked the same thousands of times here.
verify.ed25519_verify = functools.lru_cache(None)(verify.ed25519_verify)


def check(package, path=None, **trust):
    """Verifies a package or the bytes of a zip, and returns the verifier."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "package.zip")
        with open(path, "wb") as file:
            file.write(package if isinstance(package, bytes) else package.zip())
        verifier = verify.Verifier(**trust)
        verifier.verify(path)
        return verifier


def key_of(site):
    return verify.read_key(site.key.vkey)


def trusted(text, name="held"):
    return name, verify.read_note("checkpoint", text.encode())


class Case(unittest.TestCase):
    def verdict(self, expected, package, message="", step=None, **trust):
        found = check(package, **trust)
        self.assertEqual(found.verdict(), expected, found.faults[:3])
        if message:
            self.assertIn(message, " ".join(fault["message"] for fault in found.faults))
        if step:
            self.assertIn(step, [fault["step"] for fault in found.faults])
        return found


class Program(unittest.TestCase):
    """A reader has to be able to read all of it, and to run it without installing anything."""

    LINES_MAX = {"verify.py": 500, "package_reading.py": 250, "proofs.py": 100}

    def test_no_file_is_longer_than_its_limit(self):
        for name, most in self.LINES_MAX.items():
            with open(os.path.join(HERE, name), encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertLessEqual(len(lines), most, name)
            self.assertEqual([line for line in lines if len(line) > 100], [], name)

    @unittest.skipUnless(hasattr(sys, "stdlib_module_names"), "needs Python 3.10")
    def test_imports_the_standard_library_and_nothing_else(self):
        own = {name.removesuffix(".py") for name in self.LINES_MAX}
        for name in self.LINES_MAX:
            with open(os.path.join(HERE, name), encoding="utf-8") as file:
                nodes = [*ast.walk(ast.parse(file.read()))]
            found = [each.name for node in nodes if isinstance(node, ast.Import)
                     for each in node.names]
            found += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
            self.assertGreater(len(found), 1)
            self.assertEqual({each.split(".")[0] for each in found} - sys.stdlib_module_names - own,
                             set(), name)

    def test_leaves_no_file_beside_it(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in self.LINES_MAX:
                shutil.copy(os.path.join(HERE, name), folder)
            environment = {name: text for name, text in os.environ.items()
                           if name != "PYTHONDONTWRITEBYTECODE"}
            program = os.path.join(folder, "verify.py")
            done = subprocess.run([sys.executable, program, "absent"], env=environment, cwd=folder,
                                  capture_output=True, encoding="utf-8", timeout=60, check=False)
            self.assertEqual((done.stdout.split()[0], done.stderr), ("UNREADABLE", ""))
            self.assertEqual(sorted(os.listdir(folder)), sorted(self.LINES_MAX))


class Vector(unittest.TestCase):
    """The worked example of docs/evidence.md, section 4."""

    @classmethod
    def setUpClass(cls):
        with open(VECTOR, encoding="utf-8") as file:
            cls.vector = json.load(file)
        seeds = {name: bytes.fromhex(text) for name, text in cls.vector["seeds"].items()}
        origin = cls.vector["origin"]
        cls.site = Site(origin, key=Key(seeds["log"], origin),
                        exports=Key(seeds["exports"], origin + "/exports"))
        cls.witness = Key(seeds["witness"], "witness.example/w1", 4)
        cls.fill(cls.site, cls.vector)

    @staticmethod
    def fill(site, vector):
        first, second = [[record.encode() for record in table["records"]]
                         for table in vector["tables"]]
        for value in first[:3]:
            site.append("B07", value, 0)
        site.append("Bàn 1", second[0], 1)
        site.time = 1_795_176_004 - 60
        site.seal()
        for value in first[3:]:
            site.append("B07", value, 0)
        site.seal(day="2026-11-20")

    def test_keys_have_the_published_ids(self):
        for name, key in (("log", self.site.key), ("witness", self.witness),
                          ("exports", self.site.exports)):
            self.assertEqual(key.vkey, self.vector["keys"][name])
            self.assertEqual(verify.read_key(key.vkey).public, key.public)

    def test_leaves_roots_and_frontiers_of_tables(self):
        for table in self.vector["tables"]:
            frontier = verify.Frontier()
            self.assertEqual(frontier.root().hex(), table["rootsBySize"][0])
            for size, (record, leaf) in enumerate(zip(table["records"], table["leaves"]), 1):
                self.assertEqual(verify.leaf_hash(record.encode()).hex(), leaf)
                frontier.push(bytes.fromhex(leaf))
                self.assertEqual(frontier.root().hex(), table["rootsBySize"][size])
                self.assertEqual(self.site.trees[table["table"]].root(0, size), frontier.root())
                if "frontiers" in table:
                    hashes = [digest.hex() for digest in frontier.hashes]
                    self.assertEqual(hashes, table["frontiers"][size])

    def test_inclusion_and_consistency_of_a_table(self):
        table, tree = self.vector["tables"][0], self.site.trees["B07"]
        roots = [bytes.fromhex(root) for root in table["rootsBySize"]]
        for each in table["inclusion"]:
            proof = [bytes.fromhex(digest) for digest in each["proof"]]
            self.assertEqual(tree.inclusion(each["index"], each["size"]), proof)
            leaf = bytes.fromhex(table["leaves"][each["index"]])
            self.assertEqual(verify.climb(each["index"], each["size"], leaf, proof),
                             (roots[each["size"]], roots[each["index"] + 1]))
        for each in table["consistency"]:
            proof = [bytes.fromhex(digest) for digest in each["proof"]]
            small, large = each["from"], each["to"]
            self.assertEqual(tree.consistency(small, large), proof)
            verify.check_consistent("it", (small, roots[small]), (large, roots[large]), proof)

    def test_the_site_log_byte_for_byte(self):
        site, vector = self.site, self.vector["site"]
        self.assertEqual(site.leaves, vector["leaves"])
        self.assertEqual([leaf.hex() for leaf in site.tree.leaves], vector["hashes"])
        proofs = {"consistency": site.tree.consistency(2, 3),
                  "inclusion": site.tree.inclusion(2, 3)}
        for name, proof in proofs.items():
            self.assertEqual([digest.hex() for digest in proof], vector[name]["proof"])
        for seal in self.vector["seals"]:
            read = verify.read_seal(seal["text"])
            self.assertEqual(read.names, hashlib.sha256(seal["names"].encode()).digest())
            for number, (head, path) in enumerate(zip(seal["heads"], seal["paths"])):
                root, _ = verify.climb(number, read.tables, verify.leaf_hash(head.encode()),
                                       [bytes.fromhex(digest) for digest in path])
                self.assertEqual(root, read.heads)
                size = site.seals[seal["number"]]["sizes"][number]
                self.assertEqual(site.head(number, size), head)

    def test_checkpoints_and_the_cosignature(self):
        for name, text in self.vector["checkpoints"].items():
            witnesses = [self.witness] if "cosigned" in name else []
            size = int(name.split()[0])
            text_only = self.site.checkpoint(size).split("\n\n")[0] + "\n"
            line = self.witness.line(text_only, 1_795_176_066)
            body = self.site.checkpoint(size) + (line if witnesses else "")
            self.assertEqual(body, text)
            checkpoint = verify.read_note("checkpoint", text.encode())
            self.assertTrue(verify.signed(checkpoint, key_of(self.site)))
            for witness in witnesses:
                self.assertTrue(verify.signed(checkpoint, verify.read_key(witness.vkey)))

    def test_a_package_of_the_example_is_intact(self):
        package = Package(self.site, "table", {0: (0, None)}, None, 2, witnesses=[self.witness])
        found = check(package, key=key_of(self.site),
                      witnesses=[verify.read_key(self.witness.vkey)], quorum=1)
        self.assertEqual((found.verdict(), found.faults), ("INTACT", []))
        self.assertEqual(found.counts, {"tables": 1, "records": 5, "events": 6, "seals": 2,
                                        "faults": 0})


class Ed25519(unittest.TestCase):
    """RFC 8032, section 7.1."""

    VECTORS = [
        ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
         "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
        ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
         "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
        ("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
         "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
         "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
    ]

    def test_published_signatures_hold_and_no_changed_bit_does(self):
        for public, message, signature in self.VECTORS:
            public, message, signature = map(bytes.fromhex, (public, message, signature))
            self.assertTrue(verify.ed25519_verify(public, message, signature))
            for place in range(0, 64, 7):
                changed = bytearray(signature)
                changed[place] ^= 4
                self.assertFalse(verify.ed25519_verify(public, message, bytes(changed)))
            self.assertFalse(verify.ed25519_verify(public, message + b"x", signature))

    def test_a_signature_whose_s_is_not_below_the_order_fails(self):
        public, message, signature = map(bytes.fromhex, self.VECTORS[0])
        s = int.from_bytes(signature[32:], "little") + proofs.L
        high = signature[:32] + s.to_bytes(32, "little")
        self.assertFalse(verify.ed25519_verify(public, message, high))


class Trees(unittest.TestCase):
    """The trees of verify.py against the recursive definitions of RFC 6962."""

    def test_every_proof_of_small_trees_holds_and_no_other_does(self):
        tree = make.Tree()
        for size in range(1, 18):
            tree.add(b"%d" % size)
            frontier = verify.Frontier()
            for index in range(size):
                frontier.push(tree.leaves[index])
                self.assertEqual(frontier.hashes, tree.frontier(index + 1))
                proof, leaf = tree.inclusion(index, size), tree.leaves[index]
                self.assertEqual(verify.climb(index, size, leaf, proof),
                                 (tree.root(0, size), tree.root(0, index + 1)))
                for wrong in (proof + [leaf], proof[1:], proof[:-1]):
                    if wrong != proof:
                        with self.assertRaises(verify.Fault):
                            verify.climb(index, size, leaf, wrong)
            self.assertEqual(frontier.root(), tree.root(0, size))
            for small in range(size + 1):
                old, new = (small, tree.root(0, small)), (size, tree.root(0, size))
                proof = tree.consistency(small, size)
                verify.check_consistent("it", old, new, proof)
                for wrong in (proof + [b"0" * 32], proof[1:], proof[:-1]):
                    if wrong != proof:
                        with self.assertRaises(verify.Fault):
                            verify.check_consistent("it", old, new, wrong)
                if small:
                    with self.assertRaises(verify.Fault):
                        verify.check_consistent("it", (small, b"0" * 32), new, proof)
                frontier = verify.Frontier(small, tree.frontier(small))
                frontier.complete(size, tree.rest(small, size))
                self.assertEqual(frontier.root(), tree.root(0, size))


class Intact(Case):
    def test_random_packages_of_every_scope_are_intact(self):
        kinds = set()
        for number in range(500 if LONG else 40):
            rng = random.Random(f"{SEED} {number}")
            package = make.random_package(rng)
            kinds.add((package.id.split("-")[1], package.all))
            with self.subTest(package=package.id, number=number):
                found = self.verdict("INTACT", package, key=key_of(package.site))
                self.assertEqual(found.counts["tables"], len(package.numbers))
        self.assertEqual(len(kinds), 5)

    def test_a_folder_is_read_like_a_zip(self):
        package = make.random_package(random.Random(5))
        with tempfile.TemporaryDirectory() as folder:
            package.write(folder)
            verifier = verify.Verifier(key=key_of(package.site))
            verifier.verify(folder)
            self.assertEqual((verifier.verdict(), verifier.faults), ("INTACT", []))

    def test_a_zip_packed_again_by_other_software_is_intact(self):
        package, out = make.random_package(random.Random(6)), io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(f"{package.id}/", b"")
            for name in sorted(package.files, reverse=True):
                archive.writestr(f"{package.id}/{name}", package.files[name])
            archive.comment = b"packed again"
        self.verdict("INTACT", out.getvalue(), key=key_of(package.site))


class Trust(Case):
    """Keys, witnesses, and checkpoints that the reader holds."""

    def setUp(self):
        self.site = make.random_site(random.Random(11), tables=["B07", "b07"], seals=6)
        self.last = max(self.site.seals)
        self.package = Package(self.site, "table", {0: (0, None)}, None, self.last)

    def test_without_a_key_or_a_checkpoint_no_package_is_intact(self):
        found = self.verdict("INCOMPLETE", self.package, "not known to you")
        self.assertIn(found.signer, [key.vkey for key in self.site.log_keys])

    def test_another_key_is_not_one_that_signed(self):
        other = verify.read_key(Key(seed(128), make.ORIGIN).vkey)
        self.verdict("ALTERED", self.package, "does not vouch", step=3, key=other)

    def test_a_package_signed_by_a_stranger_is_altered(self):
        stranger = Site(key=Key(seed(128), make.ORIGIN))
        stranger.append("B07", make.event("B07", random.Random(1), 1).encode())
        to = stranger.seal()
        package = Package(stranger, "table", {0: (0, None)}, None, to)
        self.verdict("ALTERED", package, "does not vouch", key=key_of(self.site))

    def test_a_checkpoint_held_is_as_good_as_the_key(self):
        for size in [index + 1 for index in self.site.seals]:
            point = trusted(self.site.checkpoint(size, [self.site.key]))
            if self.site.log_keys == [self.site.key]:
                self.verdict("INTACT", self.package, trusted=[point])

    def test_a_fork_contradicts_every_checkpoint_from_after_it(self):
        for place, index in enumerate(self.site.seals):
            fork = make.random_site(random.Random(11), tables=["B07", "b07"], seals=6)
            self.assertEqual(fork.leaves, self.site.leaves)
            held = trusted(self.site.checkpoint(index + 1, [self.site.key]))
            value, partition, offset = fork.tables["B07"][0]
            fork = resealed(fork, "B07", 0, value.replace(b"B07", b"B07", 1) + b" ")
            package = Package(fork, "table", {0: (0, None)}, None, self.last)
            self.verdict("INTACT", package, key=key_of(fork))
            self.verdict("ALTERED", package, "history was rewritten", step=4, key=key_of(fork),
                         trusted=[held])

    def test_a_checkpoint_without_a_proof_is_incomplete(self):
        days = [index for index, seal in self.site.seals.items() if seal["day"]]
        package = Package(self.site, "day", {0: (None, None)}, days[-2], days[-1])
        size = min(self.site.seals) + 1
        trust = {"key": key_of(self.site),
                 "trusted": [trusted(self.site.checkpoint(size, [self.site.key]))]}
        self.verdict("INCOMPLETE", package, "--since", step=4, **trust)
        for heads, expected in (("bare", "INCOMPLETE"), ("heads", "INTACT")):
            package = Package(self.site, "day", {0: (None, None)}, days[-2], days[-1],
                              since={size: heads})
            self.verdict(expected, package, "--since" if heads == "bare" else "", **trust)

    def test_a_quorum_counts_the_witnesses_that_the_reader_names(self):
        keys = [Key(seed(140 + n), f"witness.example/w{n}", 4) for n in range(3)]
        named = [verify.read_key(key.vkey) for key in keys]
        package = Package(self.site, "table", {0: (0, None)}, None, self.last, witnesses=keys[:2])
        for quorum, expected in ((1, "INTACT"), (2, "INTACT"), (3, "INCOMPLETE")):
            self.verdict(expected, package, key=key_of(self.site), witnesses=named, quorum=quorum)
        forged = package.copy()
        name = "data/site/checkpoint"
        lines = forged.files[name].decode().splitlines(True)
        wrong = keys[1].line("another text\n", 7)
        forged.files[name] = "".join(lines[:-1] + [wrong]).encode()
        self.verdict("ALTERED", forged.bag(), "is wrong", step=3, key=key_of(self.site),
                     witnesses=named, quorum=1)
        self.verdict("INTACT", forged, key=key_of(self.site))

    def test_a_state_that_was_rolled_back_contradicts_a_checkpoint_from_between(self):
        site, other = Site(), Site()
        for number in range(6):
            value = make.event("B07", random.Random(number), number).encode()
            site.append("B07", value)
            if number < 4:
                other.append("B07", value)
        first, back = site.seal(), other.seal()
        self.assertEqual(first, back)
        held = [trusted(site.checkpoint(first + 1))]
        for number in range(3):
            other.append("B07", make.event("B07", random.Random(9), number).encode())
        last = other.seal()
        package = Package(other, "table", {0: (0, None)}, None, last)
        self.verdict("INTACT", package, key=key_of(site))
        self.verdict("ALTERED", package, "history was rewritten", step=4, key=key_of(site),
                     trusted=held)

    def test_a_table_that_shrinks_and_grows_again_contradicts_a_checkpoint_from_between(self):
        site = Site()
        for number in range(6):
            site.append("B07", make.event("B07", random.Random(number), number).encode())
        first = site.seal()
        site.tables["B07"], site.trees["B07"] = [], make.Tree()
        for number in range(7):
            site.append("B07", make.event("B07", random.Random(number + 20), number).encode())
        site.seal(day="2026-11-20")
        last = site.seal(day="2026-11-21")
        held = [trusted(site.checkpoint(first + 1))]
        package = Package(site, "day", {0: (None, None)}, last - 1, last)
        self.verdict("INTACT", package, key=key_of(site))
        self.verdict("INCOMPLETE", package, "--since", key=key_of(site), trusted=held)
        package = Package(site, "day", {0: (None, None)}, last - 1, last,
                          since={first + 1: "heads"})
        self.verdict("ALTERED", package, step=4, key=key_of(site), trusted=held)


def resealed(site, table, record, value):
    """Returns the site as it would be if a record had had another value from the start."""
    other = Site(site.origin, len(site.next), site.key, site.safe, site.exports)
    other.unjudged, pending = site.unjudged, {name: 0 for name in site.tables}
    for index in range(1, len(site.leaves)):
        if index in site.statements:
            other.push(site.leaves[index])
            other.statements.append(index)
            continue
        for name, size in zip(site.names, site.seals[index]["sizes"]):
            for n in range(pending[name], size):
                old, partition, _ = site.tables[name][n]
                other.append(name, value if (name, n) == (table, record) else old, partition)
            pending[name] = size
        other.seal(site.seals[index]["day"])
    other.log_keys = site.log_keys
    return other


if __name__ == "__main__":
    unittest.main()
