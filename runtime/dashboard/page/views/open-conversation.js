import { asked } from '../parts/dialogs.js';
import { h } from '../parts/dom.js';
import { linkTo } from '../router.js';

/** Asks for an id: one without a container has its saved files, and one that is new comes to be at its first use. */
export async function openConversation() {
  const input = h('input', {
    required: true,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    pattern: '[A-Za-z0-9][A-Za-z0-9_.\\-]*',
    maxlength: 128,
    title: 'Letters, digits, - _ and .',
  });
  const content = [
    h(
      'p',
      {},
      'One that is new comes to be when you first use it. One whose container is gone still has its files.',
    ),
    h('label', {}, h('span', {}, 'Id of the conversation'), input),
  ];
  const answer = await asked(
    'Open a conversation',
    content,
    h('button', { value: 'go', class: 'main' }, 'Open'),
  );
  if (answer === 'go') location.hash = linkTo('conversations', input.value);
}
