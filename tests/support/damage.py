"""Damage to the files of a directory, drawn at random: what disks, copies and mistakes do to them."""

import re
import shutil


def files_of(directory):
    return sorted(path for path in directory.rglob("*") if path.is_file())


def flip_a_bit(rng, path, _):
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def flip_a_bit_of_the_footer(rng, path, other):
    """Of a Parquet file: the part without checksums of the format's own."""
    data = bytearray(path.read_bytes())
    if path.suffix != ".parquet":
        flip_a_bit(rng, path, other)
        return
    length = int.from_bytes(data[-8:-4], "little") + 8
    data[-1 - rng.randrange(length)] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def change_a_digit(rng, path, other):
    """Of a JSON file."""
    text = path.read_bytes()
    digits = [place.start() for place in re.finditer(rb"[0-9]", text)]
    if path.suffix != ".json" or not digits:
        flip_a_bit(rng, path, other)
        return
    at = rng.choice(digits)
    path.write_bytes(text[:at] + rng.choice(sorted({*b"0123456789"} - {text[at]})).to_bytes() + text[at + 1 :])


def cut_short(rng, path, _):
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))])


def write_zeros(rng, path, _):
    """Over some bytes, as a block that never reached the disk."""
    data = path.read_bytes()
    low = rng.randrange(len(data))
    high = min(len(data), low + rng.choice((8, 64, 512)))
    if any(data[low:high]):
        path.write_bytes(data[:low] + bytes(high - low) + data[high:])
    else:
        path.write_bytes(data[:low] + b"\1" + data[low + 1 :])


def lose(rng, path, _):
    path.unlink()


def take_from_another(rng, path, other):
    """The file of the same kind of another solution, or of another tier of this one."""
    mates = [each for each in files_of(path.parent) if each.suffix == path.suffix]
    mates += [each for each in files_of(other) if each.suffix == path.suffix]
    mates = [each for each in mates if each.read_bytes() != path.read_bytes()]
    if mates:
        shutil.copyfile(rng.choice(mates), path)
    else:
        path.unlink()


DAMAGES = (
    flip_a_bit,
    flip_a_bit,
    flip_a_bit_of_the_footer,
    change_a_digit,
    cut_short,
    write_zeros,
    lose,
    take_from_another,
)


def damage(rng, directory, other):
    """One damage to a file of ``directory``; ``other`` is another solution. Returns what was done."""
    path = rng.choice(files_of(directory) + 2 * [directory / "manifest.json"])
    done = rng.choice(DAMAGES)
    done(rng, path, other)
    return f"{done.__name__}({path.relative_to(directory)})"
