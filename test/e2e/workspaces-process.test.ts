import { describeWith } from '../support/services/provided.ts';
import { workspacesWork } from './workspaces.e2e.ts';

describeWith('bubblewrap', 'a workspace on processes', () => {
  workspacesWork(() => ({
    CONTAINER_MANAGER_TYPE: 'process',
  }));
});
