import { describe, expect, it } from 'vitest';
import {
  callFailure,
  createFailure,
  EngineRefusal,
  engineError,
} from '../../../../runtime/containers/docker/engine-errors.ts';

const asError = (fields: object) => Object.assign(new Error('the message of the client'), fields);
const refused = (status: number) => new EngineRefusal(status, 'the words of the engine', undefined);

describe('what goes wrong with the engine', () => {
  it.each([
    ['is refused a connection', { code: 'ECONNREFUSED' }],
    ['finds no socket', { code: 'ENOENT' }],
    ['is cut off', { code: 'ECONNRESET' }],
    ['meets a gateway without an engine', { statusCode: 502 }],
  ])('is BACKEND_UNAVAILABLE when a call %s', (_, fields) => {
    expect(engineError('GET /x', 'unix:///s', asError(fields))).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      detail: expect.stringContaining('unix:///s'),
    });
  });

  it('is a refusal, in the words of the engine, when it answers', () => {
    const error = engineError('GET /x', 'h', asError({ statusCode: 409, json: { message: 'Conflict.\n' } }));
    expect(error).toMatchObject({ status: 409, message: 'Conflict.' });
  });

  it('is told of a create as the image, or as what the engine said', () => {
    expect(createFailure(refused(404), 'x:1')).toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: expect.stringContaining('npm run images'),
    });
    expect(createFailure(refused(500), 'x:1')).toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining('the words of the engine'),
    });
  });

  it('is told of another call as an absent container, or as what the engine said', () => {
    expect(callFailure(refused(404), 'ws')).toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
    expect(callFailure(refused(500), 'ws')).toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      detail: expect.stringContaining('the words of the engine'),
    });
  });

  it('is left alone when it is no word of the engine', () => {
    const other = new Error('other');
    expect(createFailure(other, 'x')).toBe(other);
    expect(callFailure(other, 'x')).toBe(other);
  });
});
