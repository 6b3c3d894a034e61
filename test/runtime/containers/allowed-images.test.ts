import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imageSettings, resolveImage } from '../../../runtime/containers/allowed-images.ts';
import { parseImageReference } from '../../../runtime/contracts/image-reference.ts';
import { loadConfig } from '../../../runtime/contracts/load-config.ts';
import { VERSION } from '../../../runtime/version.ts';

const DIGEST = `sha256:${'0f'.repeat(32)}`;

function resolved(wanted: string | undefined, env: Record<string, string> = {}) {
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return resolveImage(wanted, imageSettings(loaded.config));
}

const image = (name: string) => ({ kind: 'image', image: name });

describe('the image of a workspace or a function', () => {
  it.each([
    [undefined, `workspace-editor:${VERSION}`],
    ['workspace-editor', `workspace-editor:${VERSION}`],
    ['workspace-base', `workspace-base:${VERSION}`],
    ['function-node', `function-node:${VERSION}`],
    ['function-python', `function-python:${VERSION}`],
    ['workspace-editor:0.0.9', 'workspace-editor:0.0.9'],
    [`workspace-editor@${DIGEST}`, `workspace-editor@${DIGEST}`],
  ])('is, where the operator says nothing, for %s ours: %s', (wanted, meant) => {
    expect(resolved(wanted)).toEqual(image(meant));
  });

  it('is what a deployment calls ours by, where their plain names are said', () => {
    const env = {
      OWN_IMAGES: `function-node=function-node:1-abc.dev, workspace-editor=r.example.com/e@${DIGEST}`,
    };
    expect(resolved('function-node', env)).toEqual(image('function-node:1-abc.dev'));
    expect(resolved(undefined, env)).toEqual(image(`r.example.com/e@${DIGEST}`));
    expect(resolved('function-python', env)).toEqual(image(`function-python:${VERSION}`));
    expect(resolved('function-node:2', env)).toEqual(image('function-node:2'));
  });

  it.each(['python=a', 'function-node', 'function-node=', 'function-node=a=b', 'function-node=A b'])(
    'is not told by OWN_IMAGES=%s',
    (value) => {
      expect(() => resolved('function-node', { OWN_IMAGES: value })).toThrow('OWN_IMAGES');
    },
  );

  it.each([
    'python',
    'workspace-editor-evil',
    'evil/workspace-editor',
    'runtime',
    'docker.io/workspace-editor',
  ])('is, where the operator says nothing, never %s', (wanted) => {
    expect(resolved(wanted)).toMatchObject({ kind: 'forbidden' });
  });

  it.each([
    ['team', 'team', 'team:latest'],
    ['team', 'team:1.2', 'team:1.2'],
    ['team', `team@${DIGEST}`, `team@${DIGEST}`],
    ['team', `team:1.2@${DIGEST}`, `team:1.2@${DIGEST}`],
    ['team:1.2', 'team:1.2', 'team:1.2'],
    ['team:latest', 'team', 'team:latest'],
    [`team@${DIGEST}`, `team@${DIGEST}`, `team@${DIGEST}`],
    ['r.example.com/team/', 'r.example.com/team/ide', 'r.example.com/team/ide:latest'],
    ['r.example.com/team/', 'r.example.com/team/deep/ide:2', 'r.example.com/team/deep/ide:2'],
    ['r.example.com:5000/', 'r.example.com:5000/ide:2', 'r.example.com:5000/ide:2'],
    ['python, r.example.com/ide', 'r.example.com/ide:2', 'r.example.com/ide:2'],
  ])('with ALLOWED_IMAGES=%s may be %s', (allowed, wanted, meant) => {
    expect(resolved(wanted, { ALLOWED_IMAGES: allowed })).toEqual(image(meant));
  });

  it.each([
    ['team', 'team-evil'],
    ['team', 'team/evil'],
    ['team', 'evil/team'],
    ['team', 'team.evil:1'],
    ['team:1.2', 'team'],
    ['team:1.2', 'team:1.2.3'],
    ['team:1.2', `team:1.2@${DIGEST}`],
    [`team@${DIGEST}`, `team@sha256:${'0e'.repeat(32)}`],
    ['r.example.com/team/', 'r.example.com/team'],
    ['r.example.com/team/', 'r.example.com/team-evil/ide'],
    ['r.example.com/team/', 'r.example.com:5000/team/ide'],
    ['r.example.com/team/', 'evil.com/r.example.com/team/ide'],
    ['r.example.com/', 'r.example.com.evil.com/ide'],
    ['team', 'workspace-base'],
  ])('with ALLOWED_IMAGES=%s may not be %s', (allowed, wanted) => {
    expect(resolved(wanted, { ALLOWED_IMAGES: allowed })).toMatchObject({ kind: 'forbidden' });
  });

  it('may always be the default one', () => {
    const env = { ALLOWED_IMAGES: 'team', DEFAULT_WORKSPACE_IMAGE_REF: 'r.example.com/ide:3' };
    expect(resolved(undefined, env)).toEqual(image('r.example.com/ide:3'));
    expect(resolved('r.example.com/ide:3', env)).toEqual(image('r.example.com/ide:3'));
    expect(resolved('r.example.com/ide:4', env)).toMatchObject({ kind: 'forbidden' });
  });

  it('may be none but those of the list where there is no default', () => {
    expect(resolveImage('team:1', { allowed: ['team'] })).toEqual(image('team:1'));
    expect(resolveImage(`workspace-editor:${VERSION}`, { allowed: ['team'] })).toMatchObject({
      kind: 'forbidden',
    });
    expect(resolveImage(undefined, { allowed: ['team'] })).toMatchObject({ kind: 'malformed' });
  });

  it('is, when refused, named beside all that is allowed', () => {
    const { detail } = resolved('evil', { ALLOWED_IMAGES: 'team,r.example.com/' }) as { detail: string };
    expect(detail).toContain('evil:latest is not allowed');
    expect(detail).toContain(`team, r.example.com/, workspace-editor:${VERSION}`);
    expect(detail).toContain('ALLOWED_IMAGES');
  });

  it.each([
    '',
    ' team',
    'team\n',
    'Team',
    'team:',
    'team:a b',
    'team:-1',
    `team:${'a'.repeat(129)}`,
    'team@sha256:0f',
    `team@sha512:${'0f'.repeat(64)}`,
    'team//ide',
    '/team',
    'team/',
    'team/../evil',
    'team/./ide',
    'r.example.com:port/ide',
    'https://r.example.com/ide',
    'team?x=y',
    'team%2fevil',
    'a'.repeat(256),
    'a'.repeat(100_000),
  ])('is no %j', (wanted) => {
    expect(resolved(wanted, { ALLOWED_IMAGES: 'team,team/ide,r.example.com/' })).toMatchObject({
      kind: 'malformed',
      detail: expect.stringMatching(/^.{1,300}$/),
    });
  });

  it('is refused in one short line, however long its name', () => {
    const { detail } = resolved(`\u0007${'x'.repeat(5000)}`) as { detail: string };
    expect(detail).toMatch(/^"\\u0007x+" does not name an image/);
    expect(detail.length).toBeLessThan(300);
  });

  it('is admitted by a folder only if its name begins with it, whatever it is', () => {
    const part = fc.stringMatching(/^[a-z0-9._/:@-]{0,20}$/);
    fc.assert(
      fc.property(part, part, (before, after) => {
        const wanted = `${before}team/${after}`;
        const result = resolveImage(wanted, { allowed: ['team/'], fallback: 'other:1' });
        if (result.kind !== 'image') return;
        expect(wanted.startsWith('team/')).toBe(true);
        expect(parseImageReference(result.image)?.name).toBe(parseImageReference(wanted)?.name);
      }),
    );
  });

  it('resolved once more is the same, and says which one it is', () => {
    const reference = fc.stringMatching(
      /^[a-z0-9]{1,8}(\/[a-z0-9]{1,8}){0,2}(:\w{1,8})?(@sha256:[0-9a-f]{64})?$/,
    );
    fc.assert(
      fc.property(reference, (wanted) => {
        const settings = { allowed: [parseImageReference(wanted)?.name ?? ''], fallback: 'other:1' };
        const once = resolveImage(wanted, settings);
        if (once.kind !== 'image') throw new Error(once.detail);
        expect(resolveImage(once.image, settings)).toEqual(once);
        const { tag, digest } = parseImageReference(once.image) ?? {};
        expect(tag ?? digest).toBeDefined();
      }),
    );
  });
});

describe('the lists of images', () => {
  it.each(['Team', 'team,,other', '/', 'team//', '*', 'https://r.example.com/', '../'])(
    'refuse %j with what they want',
    (value) => {
      const loaded = loadConfig({ ALLOWED_IMAGES: value });
      expect(loaded).toMatchObject({
        ok: false,
        problems: [expect.stringContaining('ALLOWED_IMAGES wants')],
      });
    },
  );

  it('refuse a default that names no image', () => {
    const loaded = loadConfig({ DEFAULT_WORKSPACE_IMAGE_REF: 'team/' });
    expect(loaded).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('DEFAULT_WORKSPACE_IMAGE_REF wants an image')],
    });
  });
});
