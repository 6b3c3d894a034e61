"""moto's S3, made strict where moto is lenient and our tests look:

- the check of a condition and the write it guards are one step (moto's threads can pass the check together);
- a body that is cut off, or not the one that was signed, changes nothing;
- deleting many objects wants Content-MD5, and checksums in trailers are refused, as by stores that know no newer ones;
- an upload in parts is known under its own key alone and no longer than until its end, takes its parts in order only, and
  completes on a version only where that is there.

Usage: strict-s3.py PORT [SECONDS between switches of threads]
"""

import base64
import hashlib
import io
import sys
import threading
from urllib.parse import parse_qs
from xml.dom import minidom

from moto.core import DEFAULT_ACCOUNT_ID
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import run_simple


class Strict:
    def __init__(self, app):
        self.app = app
        self.writing = threading.Lock()

    def __call__(self, environ, start_response):
        if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            return self.app(environ, start_response)
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        refusal = self.refusal(environ, body)
        if refusal is not None:
            return refuse(start_response, *refusal)
        environ["wsgi.input"] = io.BytesIO(body)
        with self.writing:
            refusal = upload_refusal(environ, body)
            if refusal is not None:
                return refuse(start_response, *refusal)
            return [b"".join(self.app(environ, start_response))]

    @staticmethod
    def refusal(environ, body):
        if len(body) < int(environ.get("CONTENT_LENGTH") or 0):
            return "400 Bad Request", "IncompleteBody"
        signed = environ.get("HTTP_X_AMZ_CONTENT_SHA256", "UNSIGNED-PAYLOAD")
        if signed.startswith("STREAMING-"):
            return "501 Not Implemented", "NotImplemented"
        if signed != "UNSIGNED-PAYLOAD" and signed != hashlib.sha256(body).hexdigest():
            return "400 Bad Request", "XAmzContentSHA256Mismatch"
        digest = environ.get("HTTP_CONTENT_MD5")
        if digest is not None and digest != base64.b64encode(hashlib.md5(body).digest()).decode():
            return "400 Bad Request", "BadDigest"
        if environ["REQUEST_METHOD"] == "POST" and "delete" in environ["QUERY_STRING"] and digest is None:
            return "400 Bad Request", "MissingContentMD5"
        return None


def upload_refusal(environ, body):
    upload = parse_qs(environ["QUERY_STRING"]).get("uploadId")
    if upload is None:
        return None
    _, bucket, key = environ["PATH_INFO"].encode("latin1").decode().split("/", 2)
    s3 = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    if bucket not in s3.buckets:
        return None
    known = s3.buckets[bucket].multiparts.get(upload[0])
    if known is None or known.key_name != key:
        return "404 Not Found", "NoSuchUpload"
    if environ["REQUEST_METHOD"] != "POST":
        return None
    numbers = [int(each.firstChild.data) for each in minidom.parseString(body).getElementsByTagName("PartNumber")]
    if numbers != sorted(set(numbers)):
        return "400 Bad Request", "InvalidPartOrder"
    version = environ.get("HTTP_IF_MATCH")
    if version is not None:
        found = s3.get_object(bucket, key)
        if found is None:
            return "404 Not Found", "NoSuchKey"
        if found.etag.strip('"') != version.strip('"'):
            return "412 Precondition Failed", "PreconditionFailed"
    return None


def refuse(start_response, status, code):
    body = f"<Error><Code>{code}</Code><Message>{status}</Message></Error>".encode()
    start_response(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
    return [body]


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.setswitchinterval(float(sys.argv[2]))
    app = Strict(DomainDispatcherApplication(create_backend_app))
    run_simple("127.0.0.1", int(sys.argv[1]), app, threaded=True, request_handler=MotoRequestHandler)
