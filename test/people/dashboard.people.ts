import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, editorImage, functionNodeImage } from '../support/services/provided.ts';
import { confirm, DashboardWorld, KEYS, PATIENCE } from './dashboard-visit.ts';

const NEEDS = [
  'chromium',
  'bubblewrap',
  'docker',
  'workspace-base-image',
  'workspace-editor-image',
  'function-node-image',
] as const;

describeWith([...NEEDS], 'the dashboard in a browser', () => {
  let world: DashboardWorld;
  /** Volumes of one name are one installation's. */
  const notes = `notes-${randomBytes(4).toString('hex')}`;

  beforeAll(async () => {
    world = await DashboardWorld.start(`dash-${randomBytes(4).toString('hex')}`, {
      ALLOWED_IMAGES: `${functionNodeImage()},${editorImage()}`,
      DEFAULT_WORKSPACE_IMAGE_REF: editorImage(),
      MAX_CONTAINERS: '4',
      EGRESS_ALLOWED_DOMAINS: '',
      EGRESS_CEILING_DOMAINS: 'within.example.com',
    });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const post = async (key: string, path: string, body: unknown) => {
    const answer = await world.runtime.post(path, body, { key });
    expect(answer.ok, `${answer.status} ${path}`).toBe(true);
    return answer.text();
  };
  const text = (page: Page) => page.locator('main').innerText();
  const row = (page: Page, name: string) =>
    page.locator('tbody tr', { has: page.getByText(name, { exact: true }) });

  it('takes a key into this tab alone, and forgets it', async () => {
    const { page, faults } = await world.visit(KEYS.acme);
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    const kept: Record<string, string> = await page.evaluate(`({
      local: JSON.stringify(localStorage),
      session: JSON.stringify(sessionStorage),
      cookies: document.cookie,
      address: location.href,
    })`);
    expect(kept.session).toContain(KEYS.acme);
    expect(`${kept.local}${kept.cookies}${kept.address}`).not.toContain(KEYS.acme);
    await page.getByRole('button', { name: 'Light or dark' }).click();
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{"berth-theme":"dark"}');
    await page.reload();
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The service does not know this key.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(faults).toEqual([]);
  });

  it('shows what happens as it happens: executions, waits, refusals, and problems first', async () => {
    const { page, faults } = await world.visit(KEYS.ops);
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    await post(KEYS.acme, '/v1/conversations/live/execute', { user_input: 'print(1)' });
    await post(KEYS.globex, '/v1/conversations/theirs/execute', { user_input: 'raise SystemExit(1)' });
    const tile = (name: string) => page.locator('section', { has: page.getByRole('heading', { name }) });
    await tile('Executions, last hour').getByText('failed').locator('..').getByText('1').waitFor();
    await tile('Wait for a container').getByText('new').waitFor();
    const curl = ['sh', '-c', 'curl -s -m 5 http://tracker.example.com:81/; true'];
    await post(KEYS.acme, '/v1/conversations/live/exec', { cmd: curl });
    await row(page, 'tracker.example.com:81').getByText('live (acme)').waitFor();

    await post(KEYS.acme, '/v1/conversations/third/exec', { cmd: ['true'] });
    await post(KEYS.acme, '/v1/conversations/fourth/exec', { cmd: ['true'] });
    await page.getByRole('heading', { name: '1 problem' }).waitFor();
    await page.getByRole('list', { name: 'Problems' }).getByText('4 of 4 containers are in use').waitFor();
    for (const id of ['third', 'fourth'])
      await world.runtime.fetch(`/v1/conversations/${id}?purge=true`, { method: 'DELETE', key: KEYS.acme });
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    await page.getByText('As a table').first().click();
    await page.getByRole('columnheader', { name: 'target' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('keeps tenants apart, and says plainly what an admin key can not open', async () => {
    await post(KEYS.acme, '/v1/conversations/live/exec', { cmd: ['true'] });
    await post(KEYS.globex, '/v1/conversations/theirs/exec', { cmd: ['true'] });
    const { page, faults } = await world.visit(KEYS.acme);
    expect(await page.locator('#nav a').allInnerTexts()).not.toContain('Containers');
    await world.go(page, '#/conversations');
    await row(page, 'live').waitFor();
    expect(await text(page)).not.toContain('theirs');
    await world.go(page, '#/conversations/theirs');
    await page.getByText('No conversation of this name has a container in tenant acme').waitFor();
    await world.go(page, '#/containers');
    await page.getByText('FORBIDDEN').waitFor();

    const admin = await world.visit(KEYS.ops);
    await world.go(admin.page, '#/conversations/theirs');
    await admin.page.getByText('can’t be opened with this key, although it is an admin’s').waitFor();
    await world.go(admin.page, '#/containers');
    await row(admin.page, 'globex / theirs').waitFor();
    expect(await row(admin.page, 'globex / theirs').getByRole('link').count()).toBe(1); // its own page alone
    expect([...faults, ...admin.faults]).toEqual([]);
  });

  it('runs, follows and cancels executions, and runs commands', async () => {
    const { page, faults } = await world.visit(KEYS.acme);
    await world.go(page, '#/conversations/live/run');
    await page.getByLabel('For the shell').fill('echo "made $((6*7))"; exit 3');
    await page.keyboard.press('Enter');
    await page.locator('.events').getByText('made 42').waitFor();
    await page.getByText('exit code 3').waitFor();
    await page
      .getByLabel('What the runner gets')
      .fill(
        'import os, time\nprint("one", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.05)\nprint("two", flush=True)\ntime.sleep(600)',
      );
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.events').getByText('one').waitFor();
    // Another page comes to it in the middle, and sees the beginning, too.
    await world.go(page, '#/conversations/live');
    await page.locator('.events').getByText('one').waitFor();
    await world.runtime.fetch('/v1/conversations/live/files/go', {
      method: 'PUT',
      body: '1',
      key: KEYS.acme,
    });
    await page.locator('.events').getByText('two').waitFor();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel…');
    await page.keyboard.press('Enter');
    await confirm(page, 'Cancel it');
    await page.locator('.events').getByText('cancelled').waitFor();
    await page.locator('tbody').getByText('cancelled').waitFor();
    expect(faults).toEqual([]);
  });

  it('moves files, sets egress rules, deletes and purges', async () => {
    const { page, faults } = await world.visit(KEYS.acme);
    await world.go(page, '#/conversations/live/files');
    await page
      .getByLabel('Files to upload')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('its text') });
    await row(page, 'note.txt').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'note.txt', exact: true }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe('its text');
    await page.getByRole('button', { name: 'Delete note.txt…' }).click();
    await confirm(page, 'Delete it');
    await row(page, 'note.txt').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Egress' }).click();
    await page.getByLabel('One a line').fill('beyond.example.com');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.getByText('Could not change it').waitFor();
    await page.getByLabel('One a line').fill('within.example.com');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.getByText('1 of its own, in place of the operator’s list.').waitFor();
    const rules = async () =>
      (await world.runtime.fetch('/v1/conversations/live/egress', { key: KEYS.acme })).json();
    expect(await rules()).toMatchObject({ allowed_domains: ['within.example.com'] });
    await page.getByRole('button', { name: 'The operator’s list' }).click();
    await page.getByText('The operator’s own list holds.').waitFor();
    expect(await rules()).toMatchObject({ allowed_domains: null });
    await post(KEYS.acme, '/v1/conversations/live/exec', {
      cmd: ['sh', '-c', 'curl -s -m 5 http://seen.example.com/; true'],
    });
    await row(page, 'seen.example.com:80').waitFor();

    await page.getByRole('button', { name: 'Delete…' }).click();
    await confirm(page, 'Delete it');
    await page.getByText('has a container in tenant acme now').waitFor();
    await page.getByRole('link', { name: 'Files' }).click();
    await row(page, 'go').waitFor(); // what was saved
    await page.getByRole('button', { name: 'Purge…' }).click();
    await confirm(page, 'Purge it', 'live');
    await expect
      .poll(
        async () => (await world.runtime.fetch('/v1/conversations/live/files', { key: KEYS.acme })).status,
        { timeout: PATIENCE },
      )
      .toBe(404);
    expect(faults).toEqual([]);
  });

  it('makes, stops, wakes, opens and deletes a workspace, and tells its progress', async () => {
    const { page, faults } = await world.visit(KEYS.globex);
    await post(KEYS.globex, '/v1/workspaces', { id: notes, image_ref: editorImage(), name: '<b>bold</b>' });
    await world.go(page, '#/workspaces');
    await row(page, notes).getByText('<b>bold</b>').waitFor();
    await page.getByRole('link', { name: notes }).click();
    const status = page.locator('.head .badge');
    await status.getByText('RUNNING').waitFor();
    await page.getByRole('list', { name: 'What happened' }).getByText('RUNNING').first().waitFor();
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Open' }).click(),
    ]);
    await popup.close();
    await page.getByRole('button', { name: 'Stop…' }).click();
    await confirm(page, 'Stop it');
    await status.getByText('STANDBY').waitFor();
    await page.getByRole('button', { name: 'Wake' }).click();
    await status.getByText('RUNNING').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await confirm(page, 'Delete it', notes);
    await page
      .getByRole('list', { name: 'What happened' })
      .getByText('deleted', { exact: false })
      .first()
      .waitFor();
    await world.go(page, '#/workspaces/nothing');
    await page.getByText('Tenant globex has no workspace of this id.').waitFor();
    expect(faults.filter((fault) => !fault.startsWith('asked'))).toEqual([]);
  });

  it('makes a workspace of an id that was asked for, and tries one again that has failed', async () => {
    const { page, faults } = await world.visit(KEYS.acme);
    const asked = `asked-${randomBytes(4).toString('hex')}`;
    await world.go(page, '#/workspaces');
    await page.getByRole('button', { name: 'New…' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(asked);
    await confirm(page, 'Make it');
    await page.getByRole('heading', { name: asked }).waitFor();
    const status = page.locator('.head .badge');
    await status.getByText('RUNNING').waitFor();
    expect(await page.getByRole('button', { name: 'Retry' }).isVisible()).toBe(false);

    // A program that ends at once: no worker without a handler.
    const failing = `fails-${randomBytes(4).toString('hex')}`;
    await post(KEYS.acme, '/v1/workspaces', { id: failing, image_ref: functionNodeImage() });
    await world.go(page, `#/workspaces/${failing}`);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await page.locator('.problem').getByText('HEALTH_CHECK_FAILED').waitFor();
    const mended = await world.runtime.fetch(`/v1/workspaces/${failing}`, {
      method: 'PATCH',
      key: KEYS.acme,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ image_ref: editorImage() }),
    });
    expect(mended.status).toBe(200);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText(`${failing} is tried again.`).waitFor();
    await status.getByText('RUNNING').waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor({ state: 'hidden' });
    for (const id of [asked, failing])
      await world.runtime.fetch(`/v1/workspaces/${id}`, { method: 'DELETE', key: KEYS.acme });
    await page.getByRole('list', { name: 'What happened' }).getByText('DELETED').first().waitFor();
    expect(faults).toEqual([]);
  });

  it('calls a function and drains it; an admin sees its workers, reads a log and kills a container', async () => {
    const env = { HANDLER_SOURCE: 'export default ({ name }) => ({ hello: name })' };
    await world.runtime.fetch('/v1/functions/hello', {
      method: 'PUT',
      key: KEYS.globex,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ image: functionNodeImage(), env }),
    });
    const { page, faults } = await world.visit(KEYS.globex);
    await world.go(page, '#/functions');
    await page.getByRole('link', { name: 'hello' }).click();
    await page.getByLabel('Body').fill('{"name": "Ada"}');
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByLabel('Answer').getByText('{"hello":"Ada"}').waitFor();
    expect(await text(page)).not.toContain('HANDLER_SOURCE: ');

    const admin = await world.visit(KEYS.ops);
    await admin.page.locator('section', { hasText: 'Functions' }).getByText('hello').waitFor();
    await post(KEYS.globex, '/v1/conversations/victim/exec', { cmd: ['true'] });
    await world.go(admin.page, '#/containers');
    await row(admin.page, 'globex / victim').getByRole('link').first().click();
    await admin.page.getByText('It is another tenant’s').waitFor();
    await admin.page.getByLabel('What it printed').waitFor();
    await post(KEYS.ops, '/v1/conversations/own/exec', { cmd: ['true'] });
    await world.go(admin.page, '#/conversations/own');
    await admin.page.locator('a', { has: admin.page.locator('code') }).click(); // its container, from here
    await admin.page.getByRole('link', { name: 'ops / own' }).waitFor();
    await world.runtime.fetch('/v1/conversations/own?purge=true', { method: 'DELETE', key: KEYS.ops });
    await world.go(admin.page, '#/containers');
    await row(admin.page, 'globex / victim').getByRole('link').first().click();
    await admin.page.getByRole('button', { name: 'Kill…' }).click();
    await confirm(admin.page, 'Kill it');
    await admin.page.getByRole('heading', { name: 'Containers', exact: true }).waitFor();
    await row(admin.page, 'globex / victim').waitFor({ state: 'detached' });
    await world.go(admin.page, '#/operations');
    await admin.page.getByLabel('At most').fill('1');
    await admin.page.getByLabel('At least').fill('1');
    await admin.page.getByRole('button', { name: 'Set' }).click();
    await admin.page.getByText('The pool is kept between 1 and 1.').waitFor();
    await admin.page.getByText('1 warm, 0 starting, 1 wanted.').waitFor();
    await admin.page.getByLabel('At most').fill('0');
    await admin.page.getByLabel('At least').fill('0');
    await admin.page.getByRole('button', { name: 'Set' }).click();
    await admin.page.getByText('0 warm, 0 starting, 0 wanted.').waitFor();
    await admin.page.getByRole('button', { name: 'Sweep now' }).click();
    await admin.page.getByText(/\d+ listed, /).waitFor();

    await page.getByRole('button', { name: 'Delete…' }).click();
    await confirm(page, 'Delete it');
    await page.getByText('No function is defined.').waitFor();
    expect([...faults, ...admin.faults]).toEqual([]);
  });

  it('finds one among many: by search and by status; and counts down to its end', async () => {
    for (const id of ['find-me', 'other'])
      await post(KEYS.acme, `/v1/conversations/${id}/exec`, { cmd: ['true'] });
    const { page, faults } = await world.visit(KEYS.acme);
    await world.go(page, '#/conversations');
    for (const id of ['find-me', 'other']) await row(page, id).waitFor();
    await page.getByLabel('Search conversations').fill('FIND');
    await row(page, 'other').waitFor({ state: 'detached' });
    await row(page, 'find-me').waitFor();
    await page.getByLabel('Search conversations').fill('nothing-like-it');
    await page.getByText('Nothing here is like that.').waitFor();
    await page.getByLabel('Search conversations').fill('');
    await page.getByLabel('Status').selectOption('running');
    await row(page, 'find-me').waitFor({ state: 'detached' });
    await page.getByLabel('Status').selectOption('');
    await row(page, 'find-me').waitFor();
    const left = async () => {
      const [, minutes = '', seconds = '0'] =
        /(\d+) min(?: (\d+) s)?/.exec(await row(page, 'find-me').locator('[data-kind=until]').innerText()) ??
        [];
      return Number(minutes) * 60 + Number(seconds);
    };
    await expect.poll(left).toBeGreaterThan(3000);
    const before = await left();
    await expect.poll(left).toBeLessThan(before);
    for (const id of ['find-me', 'other'])
      await world.runtime.fetch(`/v1/conversations/${id}?purge=true`, { method: 'DELETE', key: KEYS.acme });
    await row(page, 'find-me').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('is led by the keyboard alone, and what changes leaves the focus and the scroll where they are', async () => {
    for (const id of ['a1', 'a2']) await post(KEYS.acme, `/v1/conversations/${id}/exec`, { cmd: ['true'] });
    const { page, faults } = await world.visit(KEYS.acme);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await row(page, 'a2').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('a');
    await page.getByRole('link', { name: 'a1' }).focus();
    await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate('document.activeElement.textContent');
    expect(await focused()).toBe('a2');
    await post(KEYS.acme, '/v1/conversations/a0/exec', { cmd: ['true'] });
    await row(page, 'a0').waitFor();
    expect(await focused()).toBe('a2');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor({ state: 'detached' });
    expect(await focused()).toBe('a2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'a2', exact: true }).waitFor();
    expect(await page.title()).toBe('a2 · Berth');
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: 'Wait for a container' }).waitFor();
    expect(faults).toEqual([]);
  });
});
