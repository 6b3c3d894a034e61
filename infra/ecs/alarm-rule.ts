import type { Metric } from './watched.ts';

/** When someone is woken. */
export interface AlarmRule {
  /** Of the alarm, after the platform's; and the heading of its entry in docs/guides/operations.md. */
  name: string;
  /** What is wrong, in a sentence. */
  means: string;
  metrics: Record<string, Metric>;
  /** What is looked at of them, where there are several. */
  expression?: string;
  is: 'above' | 'below';
  threshold: number;
  /** So many in a row. */
  periods: number;
  minutes: number;
  /** What it means that nothing is told: `breaching`, that it is wrong. */
  silence?: 'breaching';
}
