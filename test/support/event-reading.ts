/** One event of a stream. */
export interface ReadEvent {
  id: number;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at events of any shape
  data: any;
}

/** The events of an answer, as they come. */
export async function* readEvents(answer: Response): AsyncGenerator<ReadEvent> {
  if (!answer.ok || answer.body === null) throw new Error(`${answer.status} ${await answer.text()}`);
  let rest = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== undefined) yield event;
    }
  }
}

function parseBlock(block: string): ReadEvent | undefined {
  const fields = new Map(
    block.split('\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(': ');
      return colon <= 0 ? [] : [[line.slice(0, colon), line.slice(colon + 2)]];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { id: Number(fields.get('id')), type: fields.get('event') ?? '', data: JSON.parse(data) };
}

export async function allEvents(answer: Response): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  for await (const event of readEvents(answer)) events.push(event);
  return events;
}

/** What the execution printed. */
export function printed(events: ReadEvent[]): string {
  return events.flatMap(({ type, data }) => (type === 'text_delta' ? [data.text] : [])).join('');
}
