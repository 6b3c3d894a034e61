import { byId, h, keep, put, say } from './parts/dom.js';
import { listenToKeys, showKeys } from './parts/keyboard.js';
import { reason } from './parts/notices.js';
import { printable } from './parts/printable.js';
import { switchTheme } from './parts/theme.js';
import { linkTo, placeOf } from './router.js';
import { container } from './views/container.js';
import { containers } from './views/containers.js';
import { conversation } from './views/conversation.js';
import { conversations } from './views/conversations.js';
import { functionView } from './views/function.js';
import { functions } from './views/functions.js';
import { operations } from './views/operations.js';
import { overview } from './views/overview.js';
import { signIn } from './views/sign-in.js';
import { workspace } from './views/workspace.js';
import { workspaces } from './views/workspaces.js';
import { whenKeyRefused } from './wire/api.js';
import { live } from './wire/live.js';
import { forgetKey, heldKey } from './wire/session.js';

/** @import { View } from './router.js' */

/** @type {{ section: string, title: string, list: View, one?: View, admin?: boolean }[]} */
const SECTIONS = [
  { section: '', title: 'Overview', list: overview },
  { section: 'conversations', title: 'Conversations', list: conversations, one: conversation },
  { section: 'workspaces', title: 'Workspaces', list: workspaces, one: workspace },
  { section: 'functions', title: 'Functions', list: functions, one: functionView },
  { section: 'containers', title: 'Containers', list: containers, one: container, admin: true },
  { section: 'operations', title: 'Operations', list: operations, admin: true },
];

let leaving = new AbortController();
let shown = '';

/** Shows what the address says, or asks for a key first. */
async function go() {
  if (location.hash === '#main') return; // the skip link
  const { section, id, tab, query } = placeOf(location.hash);
  const chosen = SECTIONS.find((each) => each.section === section) ?? SECTIONS[0];
  const view = id === '' ? chosen?.list : (chosen?.one ?? chosen?.list);
  if (view === undefined) return;
  leaving.abort();
  leaving = new AbortController();
  const main = byId('main');
  const isSignedIn = heldKey() !== null;
  byId('top').hidden = !isSignedIn;
  document.body.classList.toggle('outside', !isSignedIn);
  if (!isSignedIn) {
    put(main);
    document.title = 'Sign in · Berth';
    signIn(main, () => {
      live.start();
      void go();
    });
    return;
  }
  const visit = { main, id, tab, query, signal: leaving.signal };
  document.title = `${printable(view.title(visit))} · Berth`;
  for (const link of byId('nav').querySelectorAll('a')) {
    if (link.getAttribute('data-key') !== section) link.removeAttribute('aria-current');
    else {
      link.setAttribute('aria-current', 'page');
      link.scrollIntoView({ block: 'nearest', inline: 'center' });
    }
  }
  // A tab of the same thing is no new page: the focus stays where it is.
  const page = `${section}/${id}`;
  const isNew = page !== shown;
  shown = page;
  const followed = document.activeElement?.getAttribute('href');
  if (isNew) put(main);
  try {
    await view.show(visit);
  } catch (error) {
    if (visit.signal.aborted) return;
    put(
      main,
      h('h1', {}, 'This could not be shown'),
      h('p', { class: 'empty' }, printable(reason(error))),
      h('p', {}, h('button', { type: 'button', click: () => void go() }, 'Try again')),
    );
  }
  if (visit.signal.aborted) return;
  if (isNew) scrollTo(0, 0);
  if (document.activeElement !== document.body) return;
  const again = followed == null || isNew ? null : main.querySelector(`a[href="${CSS.escape(followed)}"]`);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  else main.focus({ preventScroll: true });
}

/** What is always in sight: where one can go, who one is, and whether what is seen is true right now. */
function frame() {
  const { overview: seen } = live;
  const isAdmin = seen?.scope === 'admin';
  const sum = (/** @type {Record<string, number | undefined>} */ counts) =>
    Object.values(counts).reduce((/** @type {number} */ total, count) => total + (count ?? 0), 0);
  /** @type {Record<string, number | undefined> | undefined} */
  const counts = seen && {
    '': seen.problems.length || undefined,
    conversations: sum(seen.conversations),
    workspaces: seen.workspaces ? sum(seen.workspaces.by_status) : undefined,
    functions: seen.functions.length,
    containers: seen.containers?.used,
  };
  keep(
    byId('nav'),
    SECTIONS.filter(({ admin }) => !admin || isAdmin),
    {
      key: ({ section }) => section,
      make: ({ section, title }) =>
        h(
          'a',
          { href: section === '' ? '#/' : linkTo(section), 'data-key': section },
          h('span', {}, title),
          h('b'),
        ),
      update: (link, { section }) => {
        const count = counts?.[section];
        const figure = link.lastElementChild;
        if (figure === null) return;
        say(figure, count ?? '');
        figure.classList.toggle('bad', section === '' && count !== undefined);
        if (section === '' && count !== undefined) figure.setAttribute('title', `${count} problems`);
      },
    },
  );
  const { section } = placeOf(location.hash);
  byId('nav')
    .querySelector(`[data-key="${CSS.escape(section)}"]`)
    ?.setAttribute('aria-current', 'page');
  if (seen !== undefined) {
    const scope = isAdmin ? 'admin, sees all tenants' : 'sees its tenant only';
    put(byId('identity'), h('b', {}, printable(seen.tenant)), ` ${scope}`);
  }
  const connection = byId('connection');
  connection.dataset.look = live.connected ? 'good' : 'bad';
  say(connection, live.connected ? 'Live' : 'Connection lost, trying again…');
}

function signOut() {
  live.stop();
  forgetKey();
  shown = '';
  put(byId('notices'));
  void go();
}

byId('theme').addEventListener('click', switchTheme);
byId('help').addEventListener('click', () => void showKeys());
byId('leave').addEventListener('click', signOut);
addEventListener('hashchange', () => void go());
whenKeyRefused(() => {
  // A key that is only being tried is the sign-in's to tell of.
  if (!document.body.classList.contains('outside')) signOut();
});
listenToKeys(() => live.overview?.scope === 'admin');
live.listen(new AbortController().signal, frame);
if (heldKey() !== null) live.start();
frame();
await go();
