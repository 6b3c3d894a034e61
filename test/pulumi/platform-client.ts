import { allEvents, printed } from '../support/event-reading.ts';
import { must } from '../support/must.ts';

/** Someone with the URL and the key that `pulumi up` printed. */
export class PlatformClient {
  readonly #url: string;
  readonly #key: string;

  constructor(outputs: Record<string, string>) {
    this.#url = must(outputs.url);
    this.#key = must(outputs.apiKey);
  }

  /** Runs code in a conversation, and tells what it printed and where its container came from. */
  async execute(conversation: string, code: string): Promise<{ printed: string; source: unknown }> {
    const answer = await fetch(`${this.#url}/v1/conversations/${conversation}/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_input: code, model: 'code/bash' }),
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    const events = await allEvents(answer);
    const end = events.at(-1);
    if (end?.type !== 'done') throw new Error(`it ended with ${JSON.stringify(end)}`);
    return { printed: printed(events), source: events[0]?.data.source };
  }

  /** Puts a file into a conversation. It is saved some seconds later, or when the container ends. */
  async write(conversation: string, path: string, content: string): Promise<void> {
    const answer = await fetch(`${this.#url}/v1/conversations/${conversation}/files/${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${this.#key}` },
      body: content,
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  }

  async health(): Promise<number> {
    return (await fetch(`${this.#url}/health`)).status;
  }
}
