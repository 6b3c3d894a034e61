import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { FunctionCalls } from '../support/function-calls.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith, docker, workspaceImage } from '../support/services/provided.ts';
import { TINY_IMAGE, tinyImage } from '../support/tiny-image.ts';

const INVOCATIONS = '/2015-03-31/functions/function/invocations';

/**
 * What AWS's emulator of Lambda's runtime, which its images start with, is to whoever calls it: on 8080, whatever
 * it is told; there for its one path and 404 for any other; one call at a time, a second of which is a 400; always a
 * 200 in text, though it is JSON. Its function tells what it got.
 */
const EMULATOR = `
  let busy = false;
  let calls = 0;
  require('node:http').createServer((request, response) => {
    const end = (status, text) => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    };
    if (request.url !== ${JSON.stringify(INVOCATIONS)}) return end(404, '404 page not found\\n');
    if (busy) return end(400, '');
    busy = true;
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      const event = JSON.parse(Buffer.concat(pieces));
      calls += 1;
      setTimeout(() => {
        busy = false;
        end(200, JSON.stringify({ method: request.method, hello: event.name, port: process.env.PORT, calls }));
      }, 20);
    });
  }).listen(8080, '0.0.0.0');`;

describeWith(['docker', 'workspace-base-image'], 'an image for AWS Lambda', () => {
  it('runs unchanged: its path is all that is said of it', async () => {
    const image = await tinyImage(EMULATOR);
    await using runtime = await RuntimeProcess.start({
      env: {
        CONTAINER_MANAGER_TYPE: 'docker',
        DOCKER_HOST: docker().host,
        WORKSPACE_IMAGE: workspaceImage(),
        ALLOWED_IMAGES: TINY_IMAGE,
      },
    });
    const lambda = new FunctionCalls(runtime, `lambda-${randomBytes(4).toString('hex')}`);
    const scaling = { max_capacity: 2 };
    expect((await lambda.put({ image, path: INVOCATIONS, scaling })).status).toBe(201);
    const first = await lambda.call({ name: 'Ada' });
    expect(first).toMatchObject({
      status: 200,
      json: { method: 'POST', hello: 'Ada', calls: 1 },
      cold: true,
    });
    const second = await lambda.call({ name: 'Grace' });
    expect(second).toMatchObject({ status: 200, json: { hello: 'Grace', calls: 2 }, worker: first.worker });

    // More callers than workers: none of them meets another at the emulator.
    const names = Array.from({ length: 12 }, (_, index) => `caller ${index}`);
    const answers = await Promise.all(names.map((name) => lambda.call({ name })));
    expect(answers.map(({ status, json }) => [status, json?.hello])).toEqual(
      names.map((name) => [200, name]),
    );
    expect(new Set(answers.map(({ worker }) => worker)).size).toBeLessThanOrEqual(2);
  });
});
