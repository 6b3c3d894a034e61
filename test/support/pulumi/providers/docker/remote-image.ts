import type { RemoteImageArgs } from '@pulumi/docker';
import type { Unwrap } from '@pulumi/pulumi';
import { connectEngine, imageId } from '../../../../../images/builder/engine.ts';
import type { ResourceKind } from '../provider.ts';
import { standIn } from './stand-ins.ts';

/** An image that the engine has, or that stands in for it under its name, as if it had been pulled. */
export const remoteImage: ResourceKind<Unwrap<RemoteImageArgs>> = {
  inputs: ['name', 'keepLocally'],
  named: false,
  async create({ name, keepLocally }) {
    if (!keepLocally) throw new Error('This provider removes no image: keepLocally must be true.');
    const engine = connectEngine();
    const id = (await imageId(engine, name)) ?? (await standIn(engine, name));
    const [repo = '', tag = ''] = name.split(':');
    await engine.getImage(id).tag({ repo, tag });
    return { id: `${id}${name}`, properties: { imageId: id, repoDigest: `${name}@${id}` } };
  },
  async delete() {},
};
