import { describeWith } from '../support/services/provided.ts';
import { functionsWork } from './functions.e2e.ts';

describeWith('bubblewrap', 'a function on processes', () => {
  functionsWork(() => ({ CONTAINER_MANAGER_TYPE: 'process' }), undefined, {
    python: () => ({ image: 'function-python' }),
  });
});
