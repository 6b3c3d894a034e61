import type { RequestListener } from 'node:http';

// Packages and a repository for programs to fetch: made in a container, by what it has, and served from here.

/** Prints a wheel of `probe` in base64. */
export const MAKE_WHEEL = `python3 -c "
import base64, io, zipfile
made = io.BytesIO()
with zipfile.ZipFile(made, 'w') as wheel:
    wheel.writestr('probe.py', 'SAYS = \\'from a wheel\\'')
    wheel.writestr('probe-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: probe\\nVersion: 1.0\\n')
    wheel.writestr('probe-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('probe-1.0.dist-info/RECORD', '')
print(base64.b64encode(made.getvalue()).decode())
"`;

/** Prints an npm package `probe` in base64. */
export const MAKE_TARBALL = `
mkdir -p /tmp/made/package && cd /tmp/made
echo '{"name":"probe","version":"1.0.0"}' > package/package.json
echo 'module.exports = "from a tarball";' > package/index.js
tar -cz package | base64 -w0`;

/** Prints the files of a repository as git serves them without a program: each a path and base64. */
export const MAKE_REPOSITORY = `
rm -rf /tmp/origin /tmp/bare && git init -q -b main /tmp/origin && cd /tmp/origin
echo 'from a repository' > hello.txt && git add . && git -c user.name=a -c user.email=a@a commit -qm first
git clone -q --bare /tmp/origin /tmp/bare && cd /tmp/bare && git update-server-info
find . -type f ! -path './hooks/*' | while read -r file; do echo "$file $(base64 -w0 "$file")"; done`;

/** Files by their paths, and what they are fetched as. */
export class PackageServer {
  readonly files = new Map<string, Buffer>();

  /** An index for pip at `/simple/`. */
  addWheel(wheel: string): void {
    this.files.set('/simple/probe/', Buffer.from('<a href="/files/probe-1.0-py3-none-any.whl">probe</a>'));
    this.files.set('/files/probe-1.0-py3-none-any.whl', Buffer.from(wheel, 'base64'));
  }

  /** A registry for npm at `/` of an origin such as `http://host:port`. */
  addTarball(origin: string, archive: string): void {
    const tarball = `${origin}/probe/-/probe-1.0.0.tgz`;
    const version = { name: 'probe', version: '1.0.0', dist: { tarball } };
    const document = { name: 'probe', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } };
    this.files.set('/probe', Buffer.from(JSON.stringify(document)));
    this.files.set('/probe/-/probe-1.0.0.tgz', Buffer.from(archive, 'base64'));
  }

  /** For git, at `/repo.git`. */
  addRepository(listing: string): void {
    for (const line of listing.trim().split('\n')) {
      const [path = '', content = ''] = line.split(' ');
      this.files.set(path.replace(/^\./, '/repo.git'), Buffer.from(content, 'base64'));
    }
  }

  readonly listener: RequestListener = (request, response) => {
    request.resume();
    const path = new URL(request.url ?? '', 'http://here').pathname;
    const file = this.files.get(path);
    const type = path.startsWith('/simple/') ? 'text/html' : 'text/plain';
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': type });
    response.end(file);
  };
}
