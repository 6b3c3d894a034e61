import { describeWith, redis } from '../../support/services/provided.ts';
import { sharedRedis } from '../pool/shared-states.ts';
import { sharedPoolBehaviour } from '../pool/warm-pool-behaviour.ts';

describeWith('redis', 'two instances with one warm pool in Redis', () => {
  sharedPoolBehaviour(() => sharedRedis(redis().url));
});
