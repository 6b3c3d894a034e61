import { onEngine } from '../support/container-place.ts';
import { describeWith } from '../support/services/provided.ts';
import { redisIsAway } from './suites/redis-outage.ts';

describeWith(['docker', 'workspace-base-image', 'redis'], 'when Redis breaks', () => redisIsAway(onEngine));
