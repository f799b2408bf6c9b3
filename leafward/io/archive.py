"""PyTorch's file: a zip archive of uncompressed records whose data begin at multiples of 64 bytes."""
import mmap
import os
import struct
import zipfile
import zlib

from leafward.arrays import cpu
from leafward.dtypes import uint8

from leafward.io.damage import damaged

ALIGNMENT = 64
#: The most that an element type asks for; another tool may have packed the records anew.
WORD = 16
#: A record's own header: signature, ..., length of the name, length of what stands between name and data.
HEADER = struct.Struct("<4s22xHH")
MAGIC = b"PK\x03\x04"


class options:
    """What :mod:`leafward.serialization` lets users choose, for all files."""

    crc32 = True
    mmap_flags = mmap.MAP_PRIVATE


class Outlet:
    """A file object that may have a ``write`` and nothing else."""

    def __init__(self, file):
        self.file = file

    def write(self, data):
        self.file.write(bytes(data))
        return len(data)

    def flush(self):
        getattr(self.file, "flush", bool)()


class Writer:
    """Writes records into ``file``, which needs a ``write`` and nothing else."""

    def __init__(self, file, name):
        seekable = getattr(file, "seekable", bool)()
        self.zip = zipfile.ZipFile(file if seekable else Outlet(file), "w", zipfile.ZIP_STORED)
        self.name = name

    def write(self, record, data):
        """Add ``data`` (bytes, or contiguous memory) as ``record``."""
        data = memoryview(data).cast("B") if len(data) else b""
        info = zipfile.ZipInfo(f"{self.name}/{record}")
        info.file_size = len(data)
        # zipfile itself appends 20 bytes to the header of a record that may need 64-bit sizes.
        wide = 20 if info.file_size * 1.05 > zipfile.ZIP64_LIMIT else 0
        start = self.zip.fp.tell() + HEADER.size + len(info.filename.encode()) + wide + 4
        padding = -start % ALIGNMENT
        info.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
        with self.zip.open(info, "w") as destination:
            destination.write(data)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.zip.close()
        else:
            self.zip.fp = None          # or its destructor would write the end of an archive that broke off


class Reader:
    """Reads the records of an archive that PyTorch or :class:`Writer` wrote; with ``mapped``, without copying them."""

    def __init__(self, file, mapped=False):
        self.file = file
        try:
            self.zip = zipfile.ZipFile(file)
            first = self.zip.infolist()[0].filename
        except (zipfile.BadZipFile, ValueError, IndexError, OverflowError, struct.error) as error:
            raise damaged("reading zip archive: failed finding central directory") from error
        if len(self.zip.NameToInfo) < len(self.zip.infolist()):
            raise damaged("reading zip archive: a record stands there twice")     # and tools differ in which one counts
        self.name = first.partition("/")[0]
        self.map = mmap.mmap(file.fileno(), 0, flags=options.mmap_flags,
                             prot=mmap.PROT_READ | mmap.PROT_WRITE) if mapped else None

    def has(self, record):
        return f"{self.name}/{record}" in self.zip.NameToInfo

    def info(self, record):
        try:
            return self.zip.getinfo(f"{self.name}/{record}")
        except KeyError:
            raise damaged(f"locating file {record}: file not found") from None

    def size(self, record):
        """How many bytes a record says to have."""
        return self.info(record).file_size

    def read(self, record):
        """The bytes of a small record."""
        return self.array(record).tobytes()

    def array(self, record):
        """The bytes of a record as an array of uint8, fresh or on the mapped file."""
        info = self.info(record)
        start = self.start_of(info, record)
        if info.compress_type != zipfile.ZIP_STORED:
            return cpu.copy(cpu.from_buffer(self.unpacked(info, record), uint8, -1, 0))
        if self.map is not None and info.file_size:
            array = cpu.from_buffer(self.map, uint8, info.file_size, start)
            return cpu.copy(array) if start % WORD else array
        array = cpu.empty((info.file_size,), uint8)
        self.file.seek(start)
        fill(self.file, memoryview(array), record)
        if options.crc32 and zlib.crc32(array) != info.CRC:
            raise damaged(f"reading file {record}: crc32 mismatch")
        return array

    def unpacked(self, info, record):
        if info.compress_type != zipfile.ZIP_DEFLATED:
            raise damaged(f"reading file {record}: unsupported method")
        try:
            with self.zip.open(info) as file:
                data = file.read(info.file_size)            # and not all: a megabyte may unpack to a gigabyte
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
            raise damaged(f"reading file {record}: {error}") from error
        if len(data) < info.file_size:
            raise damaged(f"reading file {record}: file read failed")
        return data

    def start_of(self, info, record):
        """Where the data of a record begin in the file."""
        if info.header_offset < 0:
            raise damaged(f"reading file {record}: invalid header")
        self.file.seek(info.header_offset)
        header = self.file.read(HEADER.size)
        if len(header) < HEADER.size or header[:4] != MAGIC:
            raise damaged(f"reading file {record}: invalid header")
        _, name, extra = HEADER.unpack(header)
        start = info.header_offset + HEADER.size + name + extra
        stored = info.compress_type == zipfile.ZIP_STORED
        if (stored and info.file_size != info.compress_size) or start + info.compress_size > self.zip.start_dir:
            raise damaged(f"reading file {record}: it reaches beyond the archive's data")
        return start


def fill(file, memory, record):
    """Read from ``file`` until ``memory`` is full."""
    readinto = getattr(file, "readinto", None)
    done = 0
    while done < len(memory):
        if readinto is not None:
            count = readinto(memory[done:])
        else:
            piece = file.read(len(memory) - done)
            count = len(piece)
            memory[done:done + count] = piece
        if not count:
            raise damaged(f"reading file {record}: file read failed")
        done += count


def is_archive(file):
    """Whether ``file``, from where it stands, looks like a zip archive; it stands there afterwards."""
    start = file.tell()
    magic = file.read(len(MAGIC))
    file.seek(start)
    return magic == MAGIC


class Replacement:
    """A file to write in the place of ``path``, which it takes only when all is written: before, ``path`` is as it was.

    In a ``with`` block; an exception in it leaves ``path`` alone and nothing behind.
    """

    def __init__(self, path):
        path = os.fspath(path)
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {os.path.dirname(path) or folder} does not exist.")
        self.path = os.path.realpath(path)             # through a symbolic link, to what it leads to
        self.temporary = None

    def __enter__(self):
        # Pipes and devices cannot be replaced: what is written there is gone at once anyway.
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            self.file = open(self.path, "wb")
            return self.file
        folder, name = os.path.split(self.path)
        self.temporary = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(4).hex()}.tmp"[-250:])
        descriptor = os.open(self.temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            if os.path.exists(self.path):
                os.fchmod(descriptor, os.stat(self.path).st_mode & 0o7777)
            self.file = open(descriptor, "wb")
        except BaseException:
            os.close(descriptor)
            os.unlink(self.temporary)
            raise
        return self.file

    def __exit__(self, kind, error, traceback):
        if self.temporary is None:
            self.file.close()
            return
        try:
            if kind is None:
                self.file.flush()
                os.fsync(self.file.fileno())           # else a power cut could leave the new name on an empty file
                self.file.close()
                os.replace(self.temporary, self.path)
        finally:
            # Closing flushes, which fails again on a full disk; what matters is the first error.
            try:
                self.file.close()
            except OSError:
                pass
            try:
                os.unlink(self.temporary)
            except FileNotFoundError:
                pass
