import { readFileSync } from 'node:fs';

/** Of a running process, as the kernel counts it. */
export function memoryMegabytes(pid: number | undefined, what: 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}
