"""The sample requests of the API reference, as they are shown on its pages."""

import html
import re
import shlex
from dataclasses import dataclass, replace

import httpx

from tests.support.running import Service

ARTICLE = re.compile(r'<article class="operation" id="(\w+)".*?<pre[^>]*>(.*?)</pre>', re.DOTALL)
TAG = re.compile(r"</?\w+[^>]*>")


@dataclass(frozen=True)
class Sample:
    """A curl command, taken apart."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    file_name: str | None = None
    """The file that is sent."""

    def send(self, http: httpx.Client, key: str, files: dict[str, bytes]) -> httpx.Response:
        """Make the request with a key, which replaces the variable of the shell."""
        headers = {name: value.replace("$GAJI_KEY", key) for name, value in self.headers}
        content = files[self.file_name] if self.file_name else self.body
        return http.request(self.method, self.url, headers=headers, content=content)


def load_samples(service: Service) -> dict[str, Sample]:
    """Return the samples on all pages of the reference of a running server, by operation."""
    start = service.http.get(f"{service.url}/docs").text
    pages = sorted(set(re.findall(r'href="(/docs/[\w-]+)#', start)))
    texts = "".join(service.http.get(service.url + page).text for page in pages)
    return {name: parse_curl(html.unescape(TAG.sub("", command))) for name, command in ARTICLE.findall(texts)}


def parse_curl(command: str) -> Sample:
    """Return the request of a command. Raises ValueError if it has an argument that samples do not use.

    >>> parse_curl("curl -X POST 'http://127.0.0.1:8000/v1/clients' -d '{}'")
    Sample(url='http://127.0.0.1:8000/v1/clients', method='POST', headers=(), body='{}', file_name=None)
    """
    sample = Sample("")
    words = iter(shlex.split(command.replace("\\\n", ""))[1:])
    for word in words:
        if word.startswith("http"):
            sample = replace(sample, url=word)
        elif word == "-X":
            sample = replace(sample, method=next(words))
        elif word == "-H":
            name, _, value = next(words).partition(": ")
            sample = replace(sample, headers=(*sample.headers, (name, value)))
        elif word == "-d":
            sample = replace(sample, body=next(words))
        elif word == "--data-binary":
            sample = replace(sample, file_name=next(words).removeprefix("@"))
        elif word != "-OJ":
            raise ValueError(f"unknown argument of curl: {word}")
    return sample
