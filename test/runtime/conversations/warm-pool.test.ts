import { describe } from 'vitest';
import { sharedMemory } from '../pool/shared-states.ts';
import { sharedPoolBehaviour, warmPoolBehaviour } from '../pool/warm-pool-behaviour.ts';

describe('the warm pool', () => {
  warmPoolBehaviour(sharedMemory);
});

describe('two instances with one warm pool in memory', () => {
  sharedPoolBehaviour(sharedMemory);
});
