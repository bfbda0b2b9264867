# SPDX-License-Identifier: Apache-2.0
"""Certificates for localhost, made by openssl: each pair signs itself."""

import os
import pathlib
import ssl
import subprocess


def make(folder, name, *kind):
    """A new pair of files, with a key of P-256 or of another kind (`rsa:2048`); returns (certificate, key)."""
    certificate, key = pathlib.Path(folder, f"{name}.crt"), pathlib.Path(folder, f"{name}.key")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", *(kind or ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]), "-nodes",
         "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-out", certificate, "-keyout", key],
        check=True, capture_output=True)
    return certificate, key


def make_chain(folder):
    """A pair whose certificate another one has signed, which stands behind it in the file; and that other one."""
    root, root_key = make(folder, "root")
    request, key, leaf = (pathlib.Path(folder, f"leaf.{kind}") for kind in ("csr", "key", "crt"))
    subprocess.run(
        ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=leaf",
         "-out", request, "-keyout", key], check=True, capture_output=True)
    subprocess.run(
        ["openssl", "x509", "-req", "-in", request, "-CA", root, "-CAkey", root_key, "-CAcreateserial", "-days", "2",
         "-out", leaf], check=True, capture_output=True)
    leaf.write_bytes(leaf.read_bytes() + root.read_bytes())
    return leaf, key, root


def context():
    """A client's trust: everybody; the tests say whose certificate they got."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def context_for_threads():
    """For a client that reads on one thread while it writes on another, as the package websockets does.

    OpenSSL allows no two threads in one connection. With TLS 1.3 the tickets that follow the handshake are read while the
    request is written, and about one request in 250 stays in the client until it closes. TLS 1.2 sends nothing then.
    """
    threads = context()
    threads.maximum_version = ssl.TLSVersion.TLSv1_2
    return threads


def replace(path, text):
    """Writes a file as tools for certificates do: beside it, and then in its place."""
    beside = pathlib.Path(f"{path}.new")
    beside.write_bytes(text)
    os.replace(beside, path)
