import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { eventually, type OpenCluster, shownContainers } from '../../support/cluster.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { allEvents } from '../../support/event-reading.ts';
import { objectStore } from '../../support/services/provided.ts';

const s3Relay = () => {
  const { hostname, port } = new URL(objectStore().endpoint);
  return CuttableRelay.open({ host: hostname, port: Number(port) });
};

/** What conversations do when their object store fails them, on whatever place. */
export function objectStoreFails(open: OpenCluster): void {
  it.concurrent('is away: durable writes say so, executions end all the same, idle containers are kept', async () => {
    await using relay = await s3Relay();
    await using cluster = open({
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${relay.port}`,
      CONTAINER_TTL_SECONDS: '3',
    });
    const runtime = await cluster.start();
    expect(await runtime.exec('c', ['true'])).toMatchObject({ exit_code: 0 });
    relay.cut();
    const put = await runtime.fetch('/v1/conversations/c/files/f.txt?durable=true', {
      method: 'PUT',
      body: 'x',
    });
    expect(await put.json()).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE' });
    const body = { user_input: 'open("g.txt", "w").write("kept")' };
    const events = await allEvents(await runtime.post('/v1/conversations/c/execute', body));
    expect(events.at(-1)).toMatchObject({ type: 'done', data: { subtype: 'success' } });
    await eventually(() => {
      expect(runtime.output).toContain('files could not be saved: the container stays for now');
    });
    expect(await shownContainers(runtime)).toHaveLength(1);
    relay.restore();
    // Saved at last; then idle for long enough, it goes, and the files are there.
    await eventually(async () => expect(await shownContainers(runtime)).toHaveLength(0), 120);
    expect(await (await runtime.fetch('/v1/conversations/c/files/g.txt')).text()).toBe('kept');
    expect(await (await runtime.fetch('/v1/conversations/c/files/f.txt')).text()).toBe('x');
  });

  it.concurrent('is slow holds up the end of an execution for ten seconds at most', async () => {
    await using relay = await s3Relay();
    await using cluster = open({ AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${relay.port}` });
    const runtime = await cluster.start();
    await runtime.exec('c', ['true']);
    relay.freeze();
    const began = performance.now();
    const body = { user_input: 'open("g.txt", "w").write("kept")' };
    const events = await allEvents(await runtime.post('/v1/conversations/c/execute', body));
    expect(events.at(-1)).toMatchObject({ type: 'done' });
    expect(performance.now() - began).toBeLessThan(25_000);
    relay.restore();
    await eventually(async () => {
      const record = (await (await runtime.fetch('/v1/conversations/c')).json()) as {
        saved_version: string | null;
      };
      expect(record.saved_version).not.toBeNull();
    }, 90);
  });

  it.concurrent("has another container's newer version: the stale container is ended, and never saved from", async () => {
    await using cluster = open();
    const runtime = await cluster.start();
    await runtime.fetch('/v1/conversations/c/files/f.txt?durable=true', { method: 'PUT', body: 'old' });
    const { bucket, env } = objectStore();
    const client = new S3Client({
      endpoint: env.AWS_ENDPOINT_URL_S3 ?? '',
      region: env.AWS_REGION ?? '',
      forcePathStyle: true,
      credentials: {
        accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
        secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
      },
    });
    const Key = `${cluster.installation}/workspaces/dev/c/manifest.json`;
    const newer = {
      format: 1,
      container_id: 'ws-ffffffffffff',
      saved_at: new Date().toISOString(),
      truncated: false,
      files: {},
    };
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: JSON.stringify(newer) }));
    const put = await runtime.fetch('/v1/conversations/c/files/f.txt?durable=true', {
      method: 'PUT',
      body: 'mine',
    });
    expect(put.status).toBe(502);
    // The next use begins from what is saved: the other's version, which has no files.
    expect(await runtime.exec('c', ['ls'])).toMatchObject({ stdout: '' });
    client.destroy();
  });
}
