import { describeWith } from '../support/services/provided.ts';
import { egressWorks } from './egress.e2e.ts';

describeWith('bubblewrap', 'egress of child processes under bwrap', () => {
  egressWorks(() => ({ CONTAINER_MANAGER_TYPE: 'process' }));
});
