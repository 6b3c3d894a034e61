import type { ExecutionEvent } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Block, Delta, Reply, ReplyEvent, Usage } from './message-types.ts';
import { RunnerError } from './runner-error.ts';

/** Puts a streamed reply together, and says its text and thoughts as they come. */
export class ReplyBuilder {
  readonly #say: (event: ExecutionEvent) => void;
  readonly #blocks: Block[] = [];
  /** The input of each tool call, which comes as pieces of JSON. */
  readonly #inputs: string[] = [];
  #stopReason = '';
  #usage: Usage = {};
  #complete = false;

  constructor(say: (event: ExecutionEvent) => void) {
    this.#say = say;
  }

  take(event: ReplyEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#count(event.message.usage);
        break;
      case 'content_block_start':
        this.#blocks[event.index] = event.content_block;
        this.#inputs[event.index] = '';
        break;
      case 'content_block_delta':
        this.#extend(event.index, event.delta);
        break;
      case 'content_block_stop':
        this.#finish(event.index);
        break;
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
        this.#count(event.usage);
        break;
      case 'message_stop':
        this.#complete = true;
        break;
      case 'error':
        throw new RunnerError('execution_error', `the model failed: ${event.error.message}`, true);
      case 'ping':
        break;
    }
  }

  end(): Reply {
    if (!this.#complete) throw new RunnerError('execution_error', "the model's answer broke off", true);
    return { content: this.#blocks, stopReason: this.#stopReason, usage: this.#usage };
  }

  #extend(index: number, delta: Delta): void {
    const block = this.#blocks[index];
    if (delta.type === 'text_delta' && block?.type === 'text') {
      block.text += delta.text;
      this.#say({ type: 'text_delta', text: delta.text });
    } else if (delta.type === 'thinking_delta' && block?.type === 'thinking') {
      block.thinking += delta.thinking;
      this.#say({ type: 'thinking', text: delta.thinking });
    } else if (delta.type === 'signature_delta' && block?.type === 'thinking') {
      block.signature += delta.signature;
    } else if (delta.type === 'input_json_delta') {
      this.#inputs[index] += delta.partial_json;
    }
  }

  #finish(index: number): void {
    const block = this.#blocks[index];
    if (block?.type === 'tool_use') block.input = JSON.parse(this.#inputs[index] || '{}');
  }

  /** Counts within one reply replace each other. */
  #count(usage: object = {}): void {
    const counts = Object.entries(usage).filter(([, value]) => typeof value === 'number');
    this.#usage = { ...this.#usage, ...Object.fromEntries(counts) };
  }
}
