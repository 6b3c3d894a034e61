import { describe, expect, it } from 'vitest';
import { chooseImage } from '../../../../runtime/functions/definitions/choose-image.ts';
import {
  environmentProblems,
  withDefaults,
} from '../../../../runtime/functions/definitions/function-words.ts';
import { VERSION } from '../../../../runtime/version.ts';
import { settingsOf } from './function-parts.ts';

const runs = { image: 'function-node' };

describe('what is not said of a function', () => {
  it('is as by default', () => {
    expect(withDefaults({ runs }, settingsOf().defaults)).toEqual({
      env: {},
      port: 8080,
      path: '/',
      timeoutSeconds: 60,
      resources: { cpus: 1, memoryMb: 512, pids: 256 },
      scaling: {
        minCapacity: 0,
        maxCapacity: 1,
        idleTimeoutSeconds: 300,
        acquireTimeoutSeconds: 30,
        queue: 100,
      },
    });
  });

  it('is as the operator says', () => {
    const { defaults } = settingsOf({
      DEFAULT_MIN_CAPACITY: '1',
      DEFAULT_MAX_CAPACITY: '4',
      POOL_ACQUIRE_TIMEOUT: '2.5',
      GATEWAY_IDLE_TIMEOUT_SECONDS: '60',
      FUNCTION_CPUS: '0.5',
      FUNCTION_MEMORY_MB: '128',
    });
    expect(withDefaults({ runs }, defaults)).toMatchObject({
      resources: { cpus: 0.5, memoryMb: 128 },
      scaling: { minCapacity: 1, maxCapacity: 4, idleTimeoutSeconds: 60, acquireTimeoutSeconds: 2.5 },
    });
  });

  it.each([
    [{}, { minCapacity: 2, maxCapacity: 4 }],
    [{ maxCapacity: 1 }, { minCapacity: 1, maxCapacity: 1 }],
    [{ maxCapacity: 9 }, { minCapacity: 2, maxCapacity: 9 }],
    [{ minCapacity: 6 }, { minCapacity: 6, maxCapacity: 6 }],
    [{ minCapacity: 0 }, { minCapacity: 0, maxCapacity: 4 }],
    [
      { minCapacity: 3, maxCapacity: 5 },
      { minCapacity: 3, maxCapacity: 5 },
    ],
  ])('gives way to what is: %j', (scaling, meant) => {
    const { defaults } = settingsOf({ DEFAULT_MIN_CAPACITY: '2', DEFAULT_MAX_CAPACITY: '4' });
    expect(withDefaults({ runs, scaling }, defaults).scaling).toMatchObject(meant);
  });

  it('is never more than there may be', () => {
    const many = { DEFAULT_MIN_CAPACITY: '30', DEFAULT_MAX_CAPACITY: '40' };
    expect(settingsOf(many, 'process').defaults.scaling).toMatchObject({ minCapacity: 20, maxCapacity: 20 });
  });
});

describe('the environment of a function', () => {
  const { limits } = settingsOf();
  const problems = (env: Record<string, string>) => environmentProblems(env, limits);

  it.each(['A', '_', 'a1', 'PATH', 'HOME', 'PORTAL', 'HTTP_PROXY_OF_MINE', 'LDAP_URL'])(
    'may have %s',
    (name) => {
      expect(problems({ [name]: 'any \n value ü' })).toEqual([]);
    },
  );

  it.each(['', '1A', 'A-B', 'A=B', 'A B', 'A\0', 'A\n', 'ü'])('has no name %j', (name) => {
    expect(problems({ [name]: 'x' })).toEqual([
      { name, message: expect.stringContaining('is no name of a variable') },
    ]);
  });

  it.each([
    ...['PORT', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
    ...['NODE_USE_ENV_PROXY', 'PORT_SOCKET', 'LD_PRELOAD', 'LD_LIBRARY_PATH'],
  ])('may not say %s', (name) => {
    expect(problems({ [name]: 'x' })).toEqual([{ name, message: expect.stringContaining('is reserved') }]);
  });

  it.each(['a\0b', '\ud800'])('has no value %j', (value) => {
    expect(problems({ A: value })).toEqual([{ name: 'A', message: 'wants a text without NUL' }]);
  });

  it('has a hundred variables and 64 KiB at most, and 4 KiB on ECS', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, '']));
    expect(problems(many(100))).toEqual([]);
    expect(problems(many(101))).toEqual([{ message: 'wants at most 100 variables' }]);
    expect(problems({ A: 'ü'.repeat(32_767), B: '' })).toEqual([]);
    const tooLarge = [{ message: 'wants at most 65536 bytes in all' }];
    expect(problems({ A: 'ü'.repeat(32_767), BC: '' })).toEqual(tooLarge);
    expect(environmentProblems({ A: 'x'.repeat(4096) }, settingsOf({}, 'ecs').limits)).toHaveLength(1);
  });

  it('is told of with all that is wrong', () => {
    expect(problems({ PORT: '1', '2': 'x', OK: 'x', A: '\0' }).map(({ name }) => name)).toEqual([
      '2',
      'PORT',
      'A',
    ]);
  });
});

describe('what a function runs', () => {
  const { source } = settingsOf({ ALLOWED_IMAGES: 'team,function-node' });
  const onEcs = settingsOf({}, 'ecs', ['node', 'python']).source;

  it('is an image of the list, with its tag', () => {
    expect(chooseImage({ runs: { image: 'function-node' } }, source)).toMatchObject({
      image: `function-node:${VERSION}`,
    });
    expect(chooseImage({ runs: { image: 'team:2' } }, source)).toMatchObject({ image: 'team:2' });
  });

  it.each(['other', 'workspace-editor', `workspace-editor:${VERSION}`])(
    'is no other image, such as %s',
    (image) => {
      expect(() => chooseImage({ runs: { image } }, source)).toThrow(
        expect.objectContaining({
          code: 'FORBIDDEN',
          detail: expect.stringContaining('team, function-node'),
        }),
      );
    },
  );

  it('is nothing that names no image', () => {
    expect(() => chooseImage({ runs: { image: 'No Image' } }, source)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        fields: { errors: [{ path: 'image', message: expect.stringContaining('"No Image"') }] },
      }),
    );
  });

  it('is no task definition where there are none', () => {
    expect(() => chooseImage({ runs: { taskDefinition: 'node' } }, source)).toThrow(
      expect.objectContaining({ code: 'NOT_SUPPORTED', detail: expect.stringContaining('takes an image') }),
    );
  });

  it('is a task definition of the list on ECS, and nothing else', () => {
    expect(chooseImage({ runs: { taskDefinition: 'python' } }, onEcs)).toEqual({
      image: 'python',
      port: 8080,
    });
    expect(() => chooseImage({ runs: { taskDefinition: 'python' }, port: 9 }, onEcs)).toThrow(
      expect.objectContaining({
        fields: { errors: [{ path: 'port', message: 'python listens on 8080: leave it out' }] },
      }),
    );
    expect(() => chooseImage({ runs: { image: 'function-node' } }, onEcs)).toThrow(
      expect.objectContaining({ code: 'NOT_SUPPORTED', detail: expect.stringContaining('node, python') }),
    );
    expect(() => chooseImage({ runs: { taskDefinition: 'evil' } }, onEcs)).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', detail: expect.stringMatching(/"evil".*node, python/) }),
    );
  });

  it('is nothing on ECS where the operator has listed none', () => {
    const none = settingsOf({}, 'ecs').source;
    expect(() => chooseImage({ runs: { taskDefinition: 'node' } }, none)).toThrow(
      /none so far.*ECS_FUNCTION_TASK_DEFINITIONS/,
    );
  });
});
