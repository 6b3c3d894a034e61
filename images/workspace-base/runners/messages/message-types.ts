/** The parts of the Messages API that this runner speaks. */

export type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown };

export interface ToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error: boolean;
}

export type Message =
  | { role: 'user'; content: string | ToolResult[] }
  | { role: 'assistant'; content: Block[] };

/** Token counts by their names. */
export type Usage = Record<string, number>;

export interface Reply {
  content: Block[];
  stopReason: string;
  usage: Usage;
}

export interface Tool {
  name: string;
  description: string;
  input_schema: object;
}

/** What a streamed reply is made of. */
export type ReplyEvent =
  | { type: 'message_start'; message: { usage?: object } }
  | { type: 'content_block_start'; index: number; content_block: Block }
  | { type: 'content_block_delta'; index: number; delta: Delta }
  | { type: 'content_block_stop'; index: number }
  | { type: 'message_delta'; delta: { stop_reason?: string | null }; usage?: object }
  | { type: 'message_stop' }
  | { type: 'ping' }
  | { type: 'error'; error: { type: string; message: string } };

export type Delta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string };
