import { onEngine } from '../support/container-place.ts';
import { describeWith } from '../support/services/provided.ts';
import { containersBreak } from './suites/broken-container.ts';

describeWith(['docker', 'workspace-base-image'], 'when a container breaks', () => containersBreak(onEngine));
