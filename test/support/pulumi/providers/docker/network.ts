import type { NetworkArgs } from '@pulumi/docker';
import type { Unwrap } from '@pulumi/pulumi';
import { connectEngine } from '../../../../../images/builder/engine.ts';
import type { ResourceKind } from '../provider.ts';
import { unlessGone } from './unless-gone.ts';

export const network: ResourceKind<Unwrap<NetworkArgs>> = {
  inputs: ['name', 'internal', 'labels'],
  named: true,
  async create({ name = '', internal = false, labels = [] }) {
    const made = await connectEngine().createNetwork({
      Name: name,
      Internal: internal,
      CheckDuplicate: true,
      Labels: Object.fromEntries(labels.map(({ label, value }) => [label, value])),
    });
    return { id: made.id, properties: { driver: 'bridge' } };
  },
  delete: (id) => unlessGone(() => connectEngine().getNetwork(id).remove()),
};
