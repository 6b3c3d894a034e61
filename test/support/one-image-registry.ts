import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { tarFile } from '../../runtime/containers/tar-file.ts';

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

/** A registry of one image, whose only layer it keeps back until it is told to give it. */
export class OneImageRegistry implements AsyncDisposable {
  readonly #server: Server;
  readonly #blobs = new Map<string, Buffer>();
  readonly #manifest: Buffer;
  readonly #layer: string;
  readonly #given = Promise.withResolvers<void>();

  private constructor(cmd: string[]) {
    const tar = Buffer.concat([tarFile('./a-file', 'and nothing else'), Buffer.alloc(1024)]);
    const layer = gzipSync(tar);
    const config = Buffer.from(
      JSON.stringify({
        architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
        os: 'linux',
        config: { Cmd: cmd },
        rootfs: { type: 'layers', diff_ids: [digestOf(tar)] },
      }),
    );
    this.#layer = digestOf(layer);
    for (const blob of [layer, config]) this.#blobs.set(digestOf(blob), blob);
    const described = (mediaType: string, blob: Buffer) => ({
      mediaType,
      size: blob.length,
      digest: digestOf(blob),
    });
    this.#manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: MANIFEST,
        config: described('application/vnd.docker.container.image.v1+json', config),
        layers: [described('application/vnd.docker.image.rootfs.diff.tar.gzip', layer)],
      }),
    );
    this.#server = createServer((request, response) => {
      void this.#answer(request.method ?? '', request.url ?? '', response);
    });
  }

  static async open(cmd: string[]): Promise<OneImageRegistry> {
    const registry = new OneImageRegistry(cmd);
    registry.#server.listen(0, '127.0.0.1');
    await once(registry.#server, 'listening');
    return registry;
  }

  get repository(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}/one`; // a TCP server that listens has one
  }

  /** From now on the image can be had whole. */
  give(): void {
    this.#given.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(method: string, path: string, response: ServerResponse): Promise<void> {
    const digest = /^\/v2\/one\/blobs\/(sha256:\w+)$/.exec(path)?.[1];
    const isManifest = path.startsWith('/v2/one/manifests/');
    if (digest === this.#layer && method === 'GET') await this.#given.promise;
    const content = isManifest ? this.#manifest : digest && this.#blobs.get(digest);
    if (path !== '/v2/' && !content) return void response.writeHead(404).end();
    const body = content || Buffer.from('{}');
    response.writeHead(200, {
      'content-type': isManifest ? MANIFEST : 'application/octet-stream',
      'content-length': body.length,
      'docker-content-digest': digestOf(body),
      'docker-distribution-api-version': 'registry/2.0',
    });
    response.end(method === 'HEAD' ? undefined : body);
  }
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
