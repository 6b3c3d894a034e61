import { h } from './dom.js';
import { printable, printedOutput } from './printable.js';
import { clockTime } from './time.js';

/** @import { EventOf } from '../api-types.js' */
/** @typedef {EventOf<'GET /v1/conversations/{id}/executions/{execution_id}/events'>} ExecutionEvent */

/** What one page shows of one execution; the beginning goes first. */
const MOST_CHARACTERS = 500_000;
const NEAR_END = 40;

/** An execution's events as they come: output as text, all else as a line of its own. Follows the end unless one reads above. */
export class EventView {
  element = h('div', { class: 'events', role: 'log', 'aria-label': 'Events', tabindex: '0' });
  /** @type {{ stream: string, block: HTMLElement } | undefined} */
  #output;
  #characters = 0;

  /** @param {ExecutionEvent} event */
  add(event) {
    this.#following(() => {
      const { data } = event;
      if (event.event === 'text_delta') this.output(event.data.stream ?? 'text', event.data.text);
      else {
        this.#output = undefined;
        this.#append(
          h(
            'div',
            { class: 'event', 'data-look': lookOf(event) },
            h('time', { class: 'hint' }, clockTime(data.timestamp)),
            h('b', {}, event.event.replaceAll('_', ' ')),
            h('span', {}, wordsOf(event)),
          ),
        );
      }
    });
  }

  /**
   * @param {string} stream
   * @param {string} text
   */
  output(stream, text) {
    this.#following(() => {
      if (this.#output?.stream !== stream) {
        this.#output = { stream, block: h('pre', { class: stream }) };
        this.#append(this.#output.block);
      }
      this.#output.block.append(printedOutput(text));
      this.#characters += text.length;
      while (this.#characters > MOST_CHARACTERS && this.element.childElementCount > 1) {
        const first = this.element.firstElementChild;
        this.#characters -= first?.textContent?.length ?? 0;
        first?.remove();
      }
    });
  }

  /**
   * @param {string} words
   * @param {string} look
   */
  end(words, look) {
    this.#following(() =>
      this.#append(h('div', { class: 'event', 'data-look': look }, h('span', {}, printable(words)))),
    );
  }

  /** @param {Element} element */
  #append(element) {
    this.element.append(element);
  }

  /** @param {() => void} change */
  #following(change) {
    const { element } = this;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
    change();
    if (isAtEnd) element.scrollTop = element.scrollHeight;
  }
}

/** @param {ExecutionEvent} event */
function lookOf({ event, data }) {
  if (event === 'error' || (event === 'tool_result' && data.is_error)) return 'bad';
  if (event === 'done') return data.subtype === 'success' ? 'good' : 'bad';
  return event === 'gap' || event === 'container_recovered' ? 'warn' : 'calm';
}

/**
 * @param {ExecutionEvent} told
 * @returns {string}
 */
function wordsOf({ event, data }) {
  switch (event) {
    case 'container':
      return `${data.container_id}, ${data.source}, ${Math.round(data.acquire_ms)} ms`;
    case 'thinking':
    case 'text_delta':
      return printable(data.text);
    case 'gap':
      return `events ${data.from} to ${data.to} are no longer kept`;
    case 'done':
      return doneWords(data);
    case 'error':
      return printable(`${data.error_type}: ${data.message}`);
    case 'container_recovered':
      return printable(data.message);
    case 'tool_use':
      return printable(`${data.name} ${JSON.stringify(data.input)}`);
    case 'tool_result':
      return printable(typeof data.content === 'string' ? data.content : JSON.stringify(data.content));
    default:
      return printable(JSON.stringify(data));
  }
}

/** @param {Extract<ExecutionEvent, { event: 'done' }>['data']} done */
function doneWords({ subtype, exit_code, duration_ms, num_turns, cost_usd, result }) {
  const known = [
    subtype,
    exit_code === undefined ? undefined : `exit code ${exit_code}`,
    duration_ms === undefined ? undefined : `${Math.round(duration_ms)} ms`,
    num_turns === undefined ? undefined : `${num_turns} turns`,
    cost_usd === undefined ? undefined : `${cost_usd} USD`,
    result,
  ];
  return printable(known.filter((each) => each !== undefined && each !== '').join(', '));
}
