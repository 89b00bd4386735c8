#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
tools/gslot-stream: it prints the streams of selftests/stream as their texts say, finds what is
wrong with others, knows the structs of the format, and refuses what the module's reader refuses
(STREAM_VERDICT is the program of stream_verdict.c).
"""
import errno
import glob
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import re
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
TOOL = os.path.join(TOP, "tools/gslot-stream")
FORMAT = os.path.join(TOP, "include/uapi/gslot_migration.h")
SEED = int(os.environ.get("SEED", "1"), 0)
MUTANTS = (2000 if os.environ.get("ALL") else 500) * int(os.environ.get("ROUNDS", "1"), 0)
results = []


def result(passed, name):
    results.append(bool(passed))
    print(f"{'ok' if passed else 'not ok'} {len(results)} - {name}", flush=True)
    return results[-1]


def diag(text):
    for line in str(text).splitlines():
        print(f"# {line}")


def equal(got, want, name):
    if got != want:
        diag(f"it is {got!r}\nand should be {want!r}")
    result(got == want, name)


def load_tool():
    """The tool as a module: a process for each stream would take long."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("gslot_stream", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


tool = load_tool()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run(*arguments, data=b""):
    """The tool's exit status, output and errors."""
    process = subprocess.run([TOOL, *arguments], input=data, capture_output=True, check=False)
    return process.returncode, process.stdout.decode(), process.stderr.decode()


def parts(stream):
    """What it reads of a stream, and what is wrong; None: nothing."""
    found = []
    try:
        for part in tool.Reader(io.BytesIO(stream)).read():
            found.append(part)
            list(tool.lines(part.get("payload", part)))
            json.dumps(part)
    except tool.Refused as refused:
        return found, refused
    return found, None


def refusal(stream):
    return parts(stream)[1]


def records(stream):
    """Offset and size of each record, with its frame."""
    return [(part["offset"], tool.FRAME.size + part["length"]) for part in parts(stream)[0][1:]]


# What it prints


def check_texts(path):
    name = os.path.basename(path)
    base = os.path.splitext(path)[0]
    code, text, error = run(path)
    equal((code, error), (0, ""), f"{name}: it is accepted")
    result(text == read(base + ".txt").decode(), f"{name}: its text")
    code, text, error = run("--json", "-", data=read(path))
    equal((code, error), (0, ""), f"{name}: it is accepted from standard input")
    result(json.loads(text) == json.loads(read(base + ".json")), f"{name}: its JSON")


def check_usage(stream):
    code, text, _ = run("--help")
    result(code == 0 and text.startswith("NAME\n    gslot-stream - "), "--help")
    code, text, error = run()
    result(code == 2 and not text and "usage: gslot-stream [--json] FILE" in error, "no file")
    code, _, error = run("/nonexistent")
    result(code == 2 and error.startswith("gslot-stream: ") and "/nonexistent" in error,
           "a file that does not exist")
    code, _, error = run(HERE)
    result(code == 2 and "Traceback" not in error, "a folder")
    code, text, error = run(__file__)
    equal((code, text, error), (1, "", f"gslot-stream: {__file__}: at 0x0: this is no stream "
                                "of gslot\n"), "a file that is no stream")
    code, text, error = run("-", data=stream[:1000])
    result(code == 1 and text.startswith("header at 0x0") and
           error.startswith("gslot-stream: -: at 0x3e8: record ") and error.count("\n") == 1,
           "one that is cut: what there is, and one error")
    code, text, error = run("-J", "-", data=stream[:1000])
    shown = json.loads(text)
    result(code == 1 and shown["error"]["offset"] == 1000 and shown["header"]["gen"] and
           shown["records"] and "cut" in error, "the same as JSON")
    code, text, error = run("-J", "-", data=stream[:100])
    result(code == 1 and json.loads(text)["header"] is None, "one without a header, as JSON")


# What is wrong with a stream


def check_cut(stream, name):
    bad = 0
    for size in range(len(stream)):
        refused = refusal(stream[:size])
        if not refused or "the stream is cut" not in refused.reason or refused.offset != size:
            diag(f"{size} bytes: {refused}")
            bad += 1
    equal(bad, 0, f"{name}: every part of it is cut")
    refused = refusal(stream + b"\0")
    result(refused and refused.offset == len(stream), f"{name}: a byte too many")


def flipped(stream, at, rnd):
    return stream[:at] + bytes([stream[at] ^ rnd.randrange(1, 256)]) + stream[at + 1:]


def check_flipped(stream, name, rnd):
    bad = 0
    for offset, size in records(stream):
        for at in range(offset + tool.FRAME.size, offset + size):
            refused = refusal(flipped(stream, at, rnd))
            if not refused or "CRC32C" not in refused.reason or refused.offset != offset:
                diag(f"byte {at:#x}: {refused}")
                bad += 1
    equal(bad, 0, f"{name}: each byte of a payload changed: a wrong checksum")
    frames = [at for offset, _ in records(stream) for at in range(offset, offset + 16)]
    bad = [at for at in [*range(tool.HEADER.size), *frames]
           if not refusal(flipped(stream, at, rnd))]
    equal(bad, [], f"{name}: each byte of the header and of a frame changed: refused")


def fixed(stream):
    """With checksums that are right, as far as records are complete."""
    data = bytearray(stream)
    at = 0
    size = tool.HEADER.size
    kind = tool.HEADER
    while at + size <= len(data):
        crc = at + kind.at("crc")
        data[crc:crc + 4] = bytes(4)
        data[crc:crc + 4] = tool.crc32c(data[at:at + size]).to_bytes(4, "little")
        at += size
        kind = tool.FRAME
        length = data[at + kind.at("length"):at + kind.at("length") + 4]
        size = kind.size + int.from_bytes(length, "little")
    return bytes(data)


def renumbered(pieces):
    """A stream of a header and records."""
    out = bytearray(pieces[0])
    for index, piece in enumerate(pieces[1:]):
        at = tool.FRAME.at("index")
        out += piece[:at] + struct.pack("<I", index) + piece[at + 4:]
    return fixed(bytes(out))


def pieces_of(stream):
    return [stream[:tool.HEADER.size]] + [stream[at:at + size] for at, size in records(stream)]


def with_record(stream, kind, flags, payload):
    """With one more record, in its place and counted by the last one."""
    pieces = pieces_of(stream)
    frame = struct.pack("<HBBIII", kind, 1, flags, len(payload), 0, 0)
    after = [i for i, piece in enumerate(pieces[1:], 1) if piece[0] | piece[1] << 8 > kind][0]
    pieces.insert(after, frame + payload)
    pieces[-1] = pieces[-1][:16] + struct.pack("<II", len(pieces) - 2, 0)
    return renumbered(pieces)


def check_unknown(stream):
    found, refused = parts(with_record(stream, 0x91, 0, b"\x12\x34\x56"))
    shown = [part for part in found[1:] if part["type"] == "0x91"]
    result(refused is None and len(shown) == 1 and shown[0]["name"] is None and
           shown[0]["length"] == 3 and shown[0]["payload"] == {"bytes": "123456"},
           "an optional record that is unknown: as bytes")
    code, text, _ = run("-", data=with_record(stream, 0x91, 0, b"\x12\x34\x56"))
    result(code == 0 and re.search(r": unknown, type 0x91, version 1, optional, 3 bytes\n"
                                   r" +0000: 12 34 56\n", text), "the same as text")
    refused = refusal(with_record(stream, 0x91, 1, b"\x12"))
    result(refused and "unknown, and mandatory" in refused.reason,
           "a mandatory one that is unknown: refused")


EARLY_RUNS = [struct.pack("<IIQ", 0x100, 2, 0x1001),
              struct.pack("<IIQ", 0x200, 3 | tool.RUN_ASCENDING, 0x5001)]


def with_early(stream, flags=tool.MANDATORY, runs=tuple(EARLY_RUNS)):
    return with_record(stream, 8, flags, b"".join(runs))


def check_early(stream):
    """What was saved while the vGPU ran comes first."""
    found, refused = parts(with_early(stream))
    result(refused is None and found[1]["name"] == "GGTT_EARLY" and
           [value["pages"] for value in found[1]["payload"]] == [2, 3],
           "an early record: its runs")
    refused = refusal(with_early(stream, flags=0))
    result(refused and "flags" in refused.reason, "an early record that is optional: refused")
    refused = refusal(with_early(stream, runs=EARLY_RUNS[::-1]))
    result(refused and "ascending" in refused.reason, "early runs out of order: refused")


def with_payload(stream, name, at, change):
    """With other bytes in the payload of the last record of a type."""
    part = [part for part in parts(stream)[0][1:] if part["name"] == name][-1]
    at += part["offset"] + tool.FRAME.size
    return fixed(stream[:at] + change + stream[at + len(change):])


def u32(value):
    return struct.pack("<I", value)


def check_values(stream):
    """What the destination's vGPU checks of a payload."""
    first = int([part for part in parts(stream)[0][1:] if part["name"] == "REGS"][0]
                ["payload"][0]["offset"], 16)
    pte = tool.RUN.at("pte")
    for what, name, at, change, reason in (
            ("a register twice", "REGS", tool.REG.size, u32(first), "ascending"),
            ("half a register", "REGS", 0, u32(first + 2), "ascending"),
            ("an interrupt enable", "IRQ", tool.IRQ.at("master"), u32(2), "master is 2"),
            ("a run in the one before", "GGTT", 0, u32(31), "ascending"),
            ("no entries", "GGTT", 4, u32(0), "without entries"),
            ("entries behind the GGTT", "GGTT", 4, u32(0x7fffffff), "beyond"),
            ("entries that overflow", "GGTT", pte, b"\0\xf0" + b"\xff" * 6, "overflow")):
        refused = refusal(with_payload(stream, name, at, change))
        if not result(refused and reason in refused.reason, f"{what}: refused"):
            diag(refused)


# As the module has it


def c_structs(text):
    """The structs of the format, as Struct has them: "u32 name[2]"."""
    constants = {name: int(value, 0) for name, value in
                 re.findall(r"#define\s+(GSLOT_MIG_\w+)\s+(0x[0-9a-f]+|\d+)\b", text)}
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    structs = {}
    for name, body in re.findall(r"struct gslot_mig_(\w+) \{(.*?)\n\};", text, re.S):
        fields = []
        for kind, field in re.findall(r"\s*([^;]+?)\s+(\S+);", body):
            kind = re.sub(r"^struct gslot_mig_|^__", "", kind).replace("char", "u8")
            sizes = [int(constants.get(size, size)) for size in re.findall(r"\[(\w+)\]", field)]
            fields.append((field.split("[")[0], kind, sizes))
        structs[name] = fields
    return structs


def check_format():
    text = read(FORMAT).decode()
    want = c_structs(text)
    got = {name: [(field, value.kind, value.sizes) for field, value in kind.fields.items()]
           for name, kind in tool.STRUCTS.items()}
    equal(sorted(got), sorted(want), "it has the structs of uapi/gslot_migration.h")
    for name, fields in want.items():
        equal(got.get(name), fields, f"it has the fields of {name}")
    sizes = dict(re.findall(r"GSLOT_MIG_SIZE_IS\(gslot_mig_(\w+), (\d+)\)", text))
    equal({name: kind.size for name, kind in tool.STRUCTS.items()},
          {name: int(size) for name, size in sizes.items()}, "the structs have their sizes")
    enum = re.search(r"enum gslot_mig_type \{(.*?)\n\};", text, re.S).group(1)
    types = {int(value, 16): name for name, value in
             re.findall(r"GSLOT_MIG_(\w+) = (0x[0-9a-f]+)", enum)}
    equal({number: kind.name for number, kind in tool.KINDS.items()}, types,
          "it has the types of records, with their names")


# Of payloads the tool checks some that the module's reader leaves to the vGPU.
VALUES = ("registers are not", "a run ", "runs are not", "master is", "msi_pending is")


def mutate_field(pieces, rnd):
    """A field of a frame."""
    i = rnd.randrange(1, len(pieces))
    at = rnd.choice((0, 2, 3, 4, 8))
    value = rnd.choice((0, 1, 2, 8, 16, 0x60, 0x91, 0xff, pieces[i][at] ^ 1))
    pieces[i] = pieces[i][:at] + bytes([value]) + pieces[i][at + 1:]
    return fixed(b"".join(pieces))


def mutate_byte(pieces, rnd):
    """A byte of a payload or of the header."""
    stream = b"".join(pieces)
    for _ in range(rnd.randrange(1, 4)):
        at = rnd.randrange(12, len(stream))
        stream = stream[:at] + bytes([rnd.choice((0, 1, 2, 3, 4, 5, 0x7f, 0xff))]) + stream[at + 1:]
    return fixed(stream)


def mutate_order(pieces, rnd):
    """Records twice, left out, or exchanged."""
    i, k = rnd.randrange(1, len(pieces)), rnd.randrange(1, len(pieces))
    rnd.choice((lambda: pieces.insert(i, pieces[k]), lambda: pieces.pop(i),
                lambda: pieces.insert(k, pieces.pop(i))))()
    if len(pieces) > 1 and rnd.randrange(2):
        pieces[-1] = pieces[-1][:16] + struct.pack("<I", len(pieces) - 2) + pieces[-1][20:]
    return renumbered(pieces)


def mutate_length(pieces, rnd):
    """A payload that is longer or shorter."""
    i = rnd.randrange(1, len(pieces))
    size = max(0, len(pieces[i]) - 16 + rnd.choice((-256, -128, -16, -8, -4, -1, 1, 4, 8, 16, 128)))
    payload = (pieces[i][16:] + bytes(size))[:size]
    pieces[i] = pieces[i][:4] + struct.pack("<I", size) + pieces[i][8:16] + payload
    return fixed(b"".join(pieces))


def mutate_checksum(pieces, rnd):
    stream = b"".join(pieces)
    return flipped(stream, rnd.randrange(len(stream)), rnd)


def mutant(stream, rnd):
    change = rnd.choice((mutate_field, mutate_byte, mutate_byte, mutate_order, mutate_length,
                         mutate_checksum))
    stream = change(pieces_of(stream), rnd)
    return stream[:rnd.randrange(len(stream))] if rnd.randrange(20) == 0 else stream


def verdicts(streams):
    data = b"".join(struct.pack("=I", len(stream)) + stream for stream in streams)
    output = subprocess.run(os.environ["STREAM_VERDICT"], input=data, capture_output=True,
                            check=True).stdout
    return output.decode().split()


REASONS = {
    str(-errno.EBADMSG): "CRC32C",
    str(-errno.EMSGSIZE): "too long",
    str(-errno.EOPNOTSUPP): "known",
    "cut": "cut",
}


def agrees(verdict, refused):
    if refused is None:
        return verdict == "ok"
    if any(text in refused.reason for text in VALUES):
        return True
    return verdict != "ok" and REASONS.get(verdict, "") in refused.reason


def check_verdicts(streams, rnd):
    mutants = [mutant(rnd.choice(streams), rnd) for _ in range(MUTANTS)]
    counts = {}
    bad = 0
    for stream, verdict in zip(mutants, verdicts(mutants)):
        refused = refusal(stream)
        counts[verdict] = counts.get(verdict, 0) + 1
        if not agrees(verdict, refused):
            diag(f"the module says {verdict}, the tool {refused}: {stream.hex()}")
            bad += 1
    diag(f"the module's reader: {counts}")
    equal(bad, 0, f"{MUTANTS} changed streams: the tool says what the module's reader says")
    result(len(counts) == 6, "all kinds of errors are among them")


def first_release():
    """The stream of stream_v1.h."""
    text = read(os.path.join(HERE, "stream_v1.h")).decode()
    return bytes(int(byte, 16) for byte in re.findall(r"0x([0-9a-f]{2})\b", text.split("{")[1]))


def main():
    rnd = random.Random(SEED)
    diag(f"SEED={SEED}")
    paths = sorted(glob.glob(os.path.join(TOP, "selftests/stream/*.stream")))
    result(paths, "there are streams")
    for path in paths:
        check_texts(path)
        check_cut(read(path), os.path.basename(path))
        check_flipped(read(path), os.path.basename(path), rnd)
    streams = [read(path) for path in paths] + [first_release()]
    plain = read(os.path.join(TOP, "selftests/stream/v1-gen9.stream"))
    streams.append(with_early(plain))
    equal([refusal(stream) for stream in streams], [None] * len(streams), "all are accepted")
    check_usage(plain)
    check_unknown(plain)
    check_early(plain)
    check_values(plain)
    check_format()
    check_verdicts(streams, rnd)
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
