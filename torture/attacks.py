"""Attacks on the server by one tenant or by a stranger, each with many connections at once."""

import http.client
import io
import json
import re
import secrets
import socket
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from urllib.parse import urlencode

from tests.support.running import Member, created

MIB = 1024 * 1024
TIMEOUT_S = 60
REFUSED_PAUSE_S = 0.05
"""After a refused request. A flood of requests as such is for the rate limit."""
ENDLESS_TEMPLATE = "#for a in range(100000) { for b in range(100000) { let c = a * b } }"
LARGE_TEMPLATE = "#let numbers = range(1000000000)"
SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>%s</sheetData></worksheet>'
FIRST_SHEET, OTHER_SHEET = "xl/worksheets/sheet1.xml", "xl/worksheets/sheet9.xml"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FORM_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]{64}_[0-9]+)"')
YEAR = {"start_date": "2026-01-01", "end_date": "2026-12-31"}
BODY_BYTES = 9 * MIB
LARGE_FILE = b"%PDF-1.4\n" + Random(1).randbytes(5 * MIB - 100) + b"\n%%EOF\n"


@dataclass
class Attacker:
    """A tenant with an API key, who is also the stranger, and the connections of the attack."""

    member: Member
    port: int
    client_id: int
    employee_id: int
    sent: int = 0
    """Requests, those without a response included."""
    statuses: Counter[int] = field(default_factory=Counter)
    stopping: threading.Event = field(default_factory=threading.Event)
    sockets: set[socket.socket] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def call(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """Send a request and count the status of its response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        with self._registered(connection):
            connection.request(method, path, body, {"Authorization": self.member.key, **(headers or {})})
            response = connection.getresponse()
            response.read()
        with self.lock:
            self.statuses[response.status] += 1
        if response.status >= http.client.TOO_MANY_REQUESTS:
            time.sleep(REFUSED_PAUSE_S)

    def read_repeatedly(self, path: str) -> None:
        """Read a record over and over on one connection, until the attack stops."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        with self._registered(connection):
            while not self.stopping.is_set():
                connection.request("GET", path, headers={"Authorization": self.member.key})
                response = connection.getresponse()
                response.read()
                with self.lock:
                    self.statuses[response.status] += 1

    def open(self, head: bytes, body: bytes = b"", receive_bytes: int | None = None) -> None:
        """Open a connection, send this, and hold it until the attack stops."""
        connection = socket.socket()
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        with self.lock:
            self.sockets.add(connection)
            self.sent += 1
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(head)
        connection.sendall(body)

    def reset(self) -> None:
        """Count from the start."""
        self.sent = 0
        self.statuses.clear()

    def disconnect(self) -> None:
        """Stop, and close all connections."""
        self.stopping.set()
        with self.lock:
            for connection in self.sockets:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()
            self.sockets.clear()

    @contextmanager
    def _registered(self, connection: http.client.HTTPConnection) -> Iterator[None]:
        connection.connect()
        with self.lock:
            self.sockets.add(connection.sock)
            self.sent += 1
        try:
            yield
        finally:
            with self.lock:
                self.sockets.discard(connection.sock)
            connection.close()

    @cached_property
    def empty_rows(self) -> bytes:
        """A small workbook with a million empty rows."""
        return self._workbook(FIRST_SHEET, SHEET % (b"<row/>" * 1_000_000))

    @cached_property
    def empty_cells(self) -> bytes:
        """A small workbook with almost as many empty cells as are allowed."""
        return self._workbook(FIRST_SHEET, SHEET % ((b"<row>" + b"<c/>" * 1000 + b"</row>") * 3_900))

    @cached_property
    def bomb(self) -> bytes:
        """A small workbook with a part that is just small enough to be unpacked."""
        return self._workbook(OTHER_SHEET, b" " * (250 * MIB))

    @cached_property
    def certificate_path(self) -> str:
        """The path of a large file."""
        member, employee = self.member, f"/employees/{self.employee_id}"
        type_id = created(member.post(f"/clients/{self.client_id}/leave_types", {"name": secrets.token_hex(4)}))
        member.call("PUT", f"/leave_types/{type_id}/policy", json={"accrual": "none"})
        granted = {"type_id": type_id, "date": "2026-01-05", "days": 20, "reason": "attack"}
        created(member.post(f"{employee}/leave_adjustments", granted))
        dates = {"dates": [{"date": "2026-12-15", "type_id": type_id}], "reason": "attack"}
        request_id = created(member.post(f"{employee}/leave_requests", dates))
        upload = f"/leave_requests/{request_id}/medical_certificates"
        headers = {"Content-Type": "application/pdf"}
        return f"/v1/medical_certificates/{created(member.call('POST', upload, content=LARGE_FILE, headers=headers))}"

    @cached_property
    def sign_in_form(self) -> tuple[str, str]:
        """The cookies and the token of the sign-in page."""
        page = self.member.service.http.get(f"http://127.0.0.1:{self.port}/sign-in", headers={"Accept": "text/html"})
        token = FORM_TOKEN.search(page.text)
        assert token, page.text[:500]
        return "; ".join(f"{name}={value}" for name, value in page.cookies.items()), token[1]

    def _workbook(self, name: str, part: bytes) -> bytes:
        exported = self.member.get(f"/clients/{self.client_id}/employees/export", headers={"Accept": XLSX})
        assert exported.status_code == 200, exported.text[:500]
        file = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(exported.content)) as old,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for part_name in {*old.namelist()} - {name}:
                new.writestr(part_name, old.read(part_name))
            new.writestr(name, part)
        return file.getvalue()


@dataclass(frozen=True)
class Attack:
    """What each of some threads does over and over."""

    name: str
    threads: int
    act: Callable[[Attacker], None]
    max_ratio: float = 3.0
    """Of the p99 during the attack to the quiet one."""

    @contextmanager
    def run(self, attacker: Attacker) -> Iterator[None]:
        """Attack during the block."""
        attacker.stopping.clear()
        threads = [threading.Thread(target=self._repeat, args=(attacker,)) for _ in range(self.threads)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            attacker.disconnect()
            for thread in threads:
                thread.join()

    def _repeat(self, attacker: Attacker) -> None:
        while not attacker.stopping.is_set():
            with suppress(OSError, http.client.HTTPException, AttributeError):  # also when the attack stops
                self.act(attacker)


def _put_template(source: str) -> Callable[[Attacker], None]:
    def act(attacker: Attacker) -> None:
        body = json.dumps({"template": source}).encode()
        path = f"/v1/clients/{attacker.client_id}/payslip_template"
        attacker.call("PUT", path, body, {"Content-Type": "application/json"})

    return act


def _import_workbook(name: str) -> Callable[[Attacker], None]:
    def act(attacker: Attacker) -> None:
        path = f"/v1/clients/{attacker.client_id}/employees/import"
        attacker.call("POST", path, getattr(attacker, name), {"Content-Type": XLSX})

    return act


def _leave_body_unfinished(attacker: Attacker) -> None:
    head = (
        f"POST /v1/clients/{attacker.client_id}/employees HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: {attacker.member.key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {BODY_BYTES + 1}\r\n\r\n"
    )
    attacker.open(head.encode(), b" " * BODY_BYTES)
    attacker.stopping.wait()


def _read_nothing(attacker: Attacker) -> None:
    head = (
        f"GET {attacker.certificate_path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {attacker.member.key}\r\n\r\n"
    )
    attacker.open(head.encode(), receive_bytes=4096)
    attacker.stopping.wait()


def _sign_in(attacker: Attacker) -> None:
    cookies, token = attacker.sign_in_form
    form = {"email": f"{secrets.token_hex(6)}@example.com", "password": secrets.token_hex(8), "form_token": token}
    address = ".".join(str(secrets.randbelow(250) + 1) for _ in range(4))
    headers = {
        "Cookie": cookies,
        "Content-Type": "application/x-www-form-urlencoded",
        "Accept": "text/html",
        "X-Forwarded-For": address,
    }
    attacker.call("POST", "/sign-in", urlencode(form).encode(), headers)


def _build_report(attacker: Attacker) -> None:
    path = f"/v1/clients/{attacker.client_id}/reports/transaction_history"
    attacker.call("POST", path, json.dumps(YEAR).encode(), {"Content-Type": "application/json", "Accept": XLSX})


def _read_record(attacker: Attacker) -> None:
    attacker.read_repeatedly(f"/v1/employees/{attacker.employee_id}")


ATTACKS = (
    Attack("endless PDF template", 8, _put_template(ENDLESS_TEMPLATE)),
    Attack("PDF template that takes memory", 8, _put_template(LARGE_TEMPLATE)),
    Attack("workbook of empty rows", 8, _import_workbook("empty_rows")),
    Attack("workbook of empty cells", 8, _import_workbook("empty_cells")),
    Attack("decompression bombs", 8, _import_workbook("bomb")),
    Attack("unfinished bodies", 40, _leave_body_unfinished),
    Attack("slow readers", 40, _read_nothing),
    Attack("sign-in flood", 48, _sign_in),
    Attack("many reports", 24, _build_report),
    # Small reads take all of the processor, which the other tenant's reads share. Behind 1,000 requests, those would
    # take hundreds of times as long.
    Attack("reads on 1,000 connections", 1000, _read_record, max_ratio=10.0),
)
