import { h, put } from '../parts/dom.js';
import { reason } from '../parts/notices.js';
import { ApiError, call } from '../wire/api.js';
import { forgetKey, holdKey } from '../wire/session.js';

/**
 * @param {HTMLElement} main
 * @param {() => void} signedIn
 */
export function signIn(main, signedIn) {
  const input = h('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'key-hint key-problem',
  });
  const problem = h('p', { id: 'key-problem', class: 'problem', role: 'alert' });
  const button = h('button', { class: 'main' }, 'Sign in');
  const form = h(
    'form',
    { class: 'card sign-in' },
    h('h1', {}, 'Berth'),
    h('label', { for: 'key' }, 'API key'),
    input,
    h(
      'p',
      { id: 'key-hint', class: 'hint' },
      'A development runtime prints one when it starts, as ',
      h('code', {}, 'BERTH_KEY'),
      '; ',
      h('code', {}, 'berth keys create'),
      ' makes others. This tab keeps it until it is closed, and nothing else does.',
    ),
    problem,
    button,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    put(problem);
    holdKey(input.value.trim());
    try {
      await call('GET /v1/overview');
      signedIn();
    } catch (error) {
      forgetKey();
      button.disabled = false;
      const unknown = error instanceof ApiError && error.status === 401;
      put(problem, unknown ? 'The service does not know this key.' : reason(error));
      input.focus();
    }
  });
  main.append(form);
  input.focus();
}
