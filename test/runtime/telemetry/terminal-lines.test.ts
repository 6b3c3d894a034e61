import { describe, expect, it } from 'vitest';
import { readable } from '../../../runtime/telemetry/terminal-lines.ts';

describe('a log line for people', () => {
  it('has the time of day, the level, the message and the fields', () => {
    const line = readable({
      level: 'warn',
      time: '2026-11-16T12:34:56.789Z',
      msg: 'a container crashed',
      container_id: 'ws-1',
      n: 3,
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(line.replace(/\x1b\[\d+m/g, '')).toBe('12:34:56 warn  a container crashed  container_id=ws-1 n=3');
  });

  it('shows the stack of an error', () => {
    expect(
      readable({ level: 'error', time: '', msg: 'x', err: { stack: 'Error: boom\n    at here' } }),
    ).toContain('boom');
  });
});
