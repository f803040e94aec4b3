"""Connections that can be cut and slowed: a network between processes of one machine.

A wire listens on a port of 127.0.0.1 and passes bytes on to where it points. A wire that is silent looks to both ends like
a broken network: the connections stay, nothing arrives, and when it is healed everything arrives in order.
"""

import asyncio
import contextlib
import multiprocessing
import signal
import socket
import struct

THERE, BACK = "there", "back"
BOTH = (THERE, BACK)
CHUNK_BYTES = 1 << 16
# Seconds within which the other process does as it is told.
ANSWERS_WITHIN = 30
# The connection is reset when it is closed, instead of ended in good order.
RESETS = struct.pack("ii", 1, 0)


class Wire:
    """What the test does to one wire."""

    def __init__(self, network, name, port):
        self.network, self.name, self.port = network, name, port

    def point(self, target):
        """New connections go to this port of 127.0.0.1, or to the Unix socket of this path."""
        self.network.tell(self.name, "point", target)

    def silence(self, directions=BOTH):
        """Nothing passes in these directions, also on connections that are made from now on."""
        self.network.tell(self.name, "silence", directions)

    def hang(self):
        """Nothing passes on the connections of now; new ones work."""
        self.network.tell(self.name, "hang")

    def refuse(self):
        """Every connection is reset, also those that are made from now on."""
        self.network.tell(self.name, "refuse")

    def reset(self):
        """The connections of now are reset."""
        self.network.tell(self.name, "reset")

    def slow(self, seconds):
        """Everything arrives later by this time."""
        self.network.tell(self.name, "slow", seconds)

    def heal(self):
        self.network.tell(self.name, "heal")


class Network:
    """A process with all wires, so that their speed does not depend on what the test does."""

    def __init__(self, names):
        self.listeners = {name: listening() for name in names}
        self.control, theirs = multiprocessing.Pipe()
        arguments = (self.listeners, self.control, theirs)
        self.process = multiprocessing.get_context("fork").Process(target=serve, args=arguments, daemon=True)
        self.wires = {name: Wire(self, name, one.getsockname()[1]) for name, one in self.listeners.items()}

    def __enter__(self):
        self.process.start()
        return self

    def __getitem__(self, name):
        return self.wires[name]

    def tell(self, *words):
        """Returns when it is done."""
        self.control.send(words)
        if not self.control.poll(ANSWERS_WITHIN):
            raise TimeoutError(f"the network does not do {words}")
        if wrong := self.control.recv():
            raise RuntimeError(f"the network cannot do {words}: {wrong}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.join()


def listening():
    # With its protocol named, asyncio sends what is small at once.
    listener = socket.socket(proto=socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    return listener


def serve(listeners, not_ours, control):
    # Otherwise the end of the test would not be seen here.
    not_ours.close()
    # What the test does when it is told to end is not to be done here.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(forward(listeners, control))


async def forward(listeners, control):
    ends = {name: FarEnd() for name in listeners}
    servers = [await asyncio.start_server(ends[name].accept, sock=listener) for name, listener in listeners.items()]
    over = asyncio.Event()

    def obey():
        try:
            name, what, *arguments = control.recv()
        except EOFError:
            over.set()
            return
        wrong = None
        try:
            getattr(ends[name], what)(*arguments)
        except Exception as error:  # noqa: BLE001, because whoever asked must hear of any
            wrong = repr(error)
        control.send(wrong)

    asyncio.get_running_loop().add_reader(control.fileno(), obey)
    await over.wait()
    for server in servers:
        server.close()


class Gate:
    """Holds what would pass while it is closed."""

    def __init__(self):
        self.open = {direction: asyncio.Event() for direction in BOTH}
        self.set(BOTH)

    def set(self, directions):
        for direction, event in self.open.items():
            if direction in directions:
                event.set()
            else:
                event.clear()


class FarEnd:
    """One wire, in the process that forwards."""

    def __init__(self):
        self.target, self.refuses, self.delay = None, False, 0
        # The last one is that of new connections.
        self.gates = [Gate()]
        self.transports = set()

    def point(self, target):
        self.target = target

    def silence(self, directions):
        for gate in self.gates:
            gate.set([direction for direction in BOTH if direction not in directions])

    def hang(self):
        self.silence(BOTH)
        self.gates.append(Gate())

    def refuse(self):
        self.refuses = True
        self.reset()

    def reset(self):
        for transport in self.transports:
            reset(transport)

    def slow(self, seconds):
        self.delay = seconds

    def heal(self):
        self.refuses, self.delay = False, 0
        self.silence(())

    async def accept(self, reader, writer):
        gate, ours = self.gates[-1], {writer.transport}
        if self.refuses:
            reset(writer.transport)
            return
        self.transports |= ours
        try:
            # A connection over a silent network is not made before it is healed.
            for event in gate.open.values():
                await event.wait()
            there, onwards = await connected(self.target)
            ours.add(onwards.transport)
            self.transports |= ours
            await asyncio.gather(
                self.pass_on(reader, onwards, gate.open[THERE]), self.pass_on(there, writer, gate.open[BACK])
            )
        except OSError:
            pass
        finally:
            self.transports -= ours
            for transport in ours:
                reset(transport)

    async def pass_on(self, reader, writer, opened):
        while True:
            data = await reader.read(CHUNK_BYTES)
            if self.delay:
                await asyncio.sleep(self.delay)
            await opened.wait()
            if not data:
                break
            writer.write(data)
            await writer.drain()
        if not writer.is_closing():
            writer.write_eof()


async def connected(target):
    if isinstance(target, str):
        return await asyncio.open_unix_connection(target)
    return await asyncio.open_connection("127.0.0.1", target)


def reset(transport):
    ends = transport.get_extra_info("socket")
    if not transport.is_closing() and ends.family != socket.AF_UNIX:
        ends.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
    transport.abort()
