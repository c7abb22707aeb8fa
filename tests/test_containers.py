"""The container files in deploy/. `make check-container` builds and starts the image."""

import re
from pathlib import Path

import yaml

from gaji.core.settings import Settings
from gaji.documents.fonts import PACKAGES

ROOT = Path(__file__).parents[1]
CONTAINERFILE = (ROOT / "deploy" / "Containerfile").read_text().replace("\\\n", " ")
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
STAGES = CONTAINERFILE.split("\nFROM ")[1:]
SETTINGS = set(re.findall(r"`(GAJI_[A-Z_]+)`", (ROOT / "docs" / "operating.md").read_text()))


def instructions(stage: str, name: str) -> list[str]:
    return re.findall(rf"^{name} (.+)$", stage, re.MULTILINE)


def test_the_image_does_not_run_as_root() -> None:
    assert instructions(STAGES[-1], "USER") == ["gaji"]


def test_the_image_has_a_health_check_and_a_volume() -> None:
    assert "/healthz" in instructions(STAGES[-1], "HEALTHCHECK")[0]
    assert instructions(STAGES[-1], "VOLUME") == ["/var/lib/gaji"]


def test_copied_files_exist() -> None:
    copied = [line.split()[:-1] for line in instructions(STAGES[0], "COPY")]
    assert copied
    assert [source for sources in copied for source in sources if not (ROOT / source).exists()] == []


def test_the_image_has_the_fonts_of_documents() -> None:
    for package in PACKAGES.values():
        assert package in instructions(STAGES[-1], "RUN")[0]


def test_settings_in_container_files_are_documented() -> None:
    image = set(re.findall(r"GAJI_[A-Z_]+", STAGES[-1]))
    services = {name for service in COMPOSE["services"].values() for name in service["environment"]}
    assert image | {name for name in services if name.startswith("GAJI_")} <= SETTINGS


def test_services_use_the_image_of_this_repository() -> None:
    for name in ("server", "worker"):
        build = COMPOSE["services"][name]["build"]
        assert (ROOT / "deploy" / build["context"] / build["dockerfile"]).is_file()


def test_ports_are_published_to_this_machine_only() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", [])]
    assert ports == ["127.0.0.1:8000:8000"]


def test_the_server_trusts_a_proxy_on_this_machine() -> None:
    [network] = COMPOSE["networks"]["default"]["ipam"]["config"]
    for name in ("server", "worker"):
        trusted = Settings.from_environment(
            {"GAJI_TRUSTED_PROXIES": COMPOSE["services"][name]["environment"]["GAJI_TRUSTED_PROXIES"]}
        ).trusted_proxies
        assert [str(address) for address in trusted] == [network["subnet"]]


def test_proxies_do_not_publish_metrics() -> None:
    assert "location = /metrics {\n        return 404;" in (ROOT / "deploy/proxy/nginx.conf").read_text()
    assert "respond /metrics 404\n" in (ROOT / "deploy/proxy/Caddyfile").read_text()
