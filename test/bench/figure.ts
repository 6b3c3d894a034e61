/** One measured figure: ours against a reference of the same run, or against a bound. */
export interface Figure {
  name: string;
  unit:
    | 'ms'
    | 's'
    | 'MB'
    | 'MB/s'
    | 'requests/s'
    | 'calls'
    | 'queries'
    | 'puts'
    | 'connections'
    | 'claims'
    | 'bytes'
    | 'workers'
    | 'containers'
    | 'keys'
    | 'resources';
  ours: number;
  /** What it is compared with; none where only the bound counts. */
  reference?: { name: string; value: number };
  /** Most that `ours / reference`, or `ours` where there is no reference, should be; or least. None: it is only told. */
  goal?: number | { atLeast: number };
}

export function ratio({ ours, reference }: Figure): number {
  return reference === undefined ? ours : ours / reference.value;
}

export function isMet(figure: Figure): boolean | undefined {
  if (figure.goal === undefined) return undefined;
  return typeof figure.goal === 'number'
    ? ratio(figure) <= figure.goal
    : ratio(figure) >= figure.goal.atLeast;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle));
}

/** The smallest value that so many of a hundred are not above. */
export function percentile(values: number[], hundredths: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * hundredths) / 100) - 1] ?? Number.NaN;
}

/** Runs both by turns, so that what else the machine does falls on both, and gives the median of each. */
export async function byTurns(
  rounds: number,
  ours: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<{ ours: number; reference: number }> {
  const times: { ours: number[]; reference: number[] } = { ours: [], reference: [] };
  await ours(); // the first of each only warms up
  await reference();
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] =
      round % 2 === 0 ? (['ours', 'reference'] as const) : (['reference', 'ours'] as const);
    times[first].push(await (first === 'ours' ? ours() : reference()));
    times[second].push(await (second === 'ours' ? ours() : reference()));
  }
  return { ours: median(times.ours), reference: median(times.reference) };
}

export async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}
