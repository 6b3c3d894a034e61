import { describeWith } from '../../support/services/provided.ts';
import { fleetOnDocker } from '../sweep/fleet-place.ts';
import { healthWatchBehaviour } from './health-watch-behaviour.ts';

describeWith(['docker', 'workspace-base-image'], 'the health watch', () => {
  healthWatchBehaviour(fleetOnDocker);
});
