const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `42s`, `3m`, `5h`, `12d`: its largest unit, once there are two of the next. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 2 * MINUTE) return `${whole}s`;
  if (whole < 2 * HOUR) return `${Math.floor(whole / MINUTE)}m`;
  if (whole < 2 * DAY) return `${Math.floor(whole / HOUR)}h`;
  return `${Math.floor(whole / DAY)}d`;
}

/** How long ago a moment of the service was. */
export function age(moment: string, now: number): string {
  return span((now - Date.parse(moment)) / 1000);
}

/** How long it is to a moment; `-` where there is none, `due` where it has passed. */
export function left(moment: string | number | null | undefined, now: number): string {
  if (moment === null || moment === undefined) return '-';
  const at = typeof moment === 'number' ? moment : Date.parse(moment);
  return at <= now ? 'due' : span((at - now) / 1000);
}

/** `512 B`, `1.5 KB`, `20 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let [value, unit] = [bytes, 'B'];
  for (const larger of ['KB', 'MB', 'GB', 'TB']) {
    if (value < 999.5) break;
    value /= 1000;
    unit = larger;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
