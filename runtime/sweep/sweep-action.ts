import type { Doubt } from './testimony.ts';

/** What adoption and reconciling do to a container. */
export type SweepAction = 'marked' | 'adopted' | 'left' | 'destroyed' | 'held' | 'lost' | 'failed';

export type SweepReason =
  | Doubt
  /** Its conversation has another container, or it is being stopped. */
  | 'superseded'
  /** The store had lost what it knew. */
  | 'store-lost'
  /** The backend lists it, and nobody owns it. */
  | 'no-place'
  /** Someone's, and the backend has no such container. */
  | 'absent'
  | 'breaker';

/** Told of every action, to count them. */
export type OnSweepAction = (action: SweepAction, reason: SweepReason) => void;
