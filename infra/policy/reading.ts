import type { Props } from './rule.ts';

// Properties are whatever a program wrote: what is not of the wanted shape reads as absent.

export function object(value: unknown): Props {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Props) : {}; // as just seen
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** One thing or several, as policies have it. */
export function several(value: unknown): unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
