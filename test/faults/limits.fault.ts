import { onEngine } from '../support/container-place.ts';
import { describeWith } from '../support/services/provided.ts';
import { limitsAreReached } from './suites/limits.ts';

describeWith(['docker', 'workspace-base-image'], 'when a limit is reached', () => limitsAreReached(onEngine));
