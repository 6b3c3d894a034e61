import { randomBytes, randomInt } from 'node:crypto';
import type { Unwrap } from '@pulumi/pulumi';
import type { RandomBytesArgs, RandomIdArgs, RandomPasswordArgs } from '@pulumi/random';
import { type ResourceKind, serveProvider } from '../provider.ts';
import { secretValue } from '../wire-values.ts';

// The provider `random`: made once, kept in the state.

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SPECIAL = '!@#$%&*()-_=+[]{}<>:?';

const password: ResourceKind<Unwrap<RandomPasswordArgs>> = {
  inputs: ['length', 'special'],
  named: false,
  async create({ length, special = true }) {
    const from = special ? LETTERS + SPECIAL : LETTERS;
    const result = Array.from({ length }, () => from[randomInt(from.length)]).join('');
    return { id: 'none', properties: { result: secretValue(result), bcryptHash: secretValue('') } };
  },
  async delete() {},
};

const bytes: ResourceKind<Unwrap<RandomBytesArgs>> = {
  inputs: ['length'],
  named: false,
  async create({ length }) {
    const made = randomBytes(length);
    const [hex, base64] = [made.toString('hex'), made.toString('base64')];
    return { id: 'none', properties: { hex: secretValue(hex), base64: secretValue(base64) } };
  },
  async delete() {},
};

/** The only one that is no secret. */
const id: ResourceKind<Unwrap<RandomIdArgs>> = {
  inputs: ['byteLength'],
  named: false,
  async create({ byteLength }) {
    const hex = randomBytes(byteLength).toString('hex');
    return { id: hex, properties: { hex } };
  },
  async delete() {},
};

await serveProvider('random', '4.21.2', {
  'random:index/randomPassword:RandomPassword': password,
  'random:index/randomBytes:RandomBytes': bytes,
  'random:index/randomId:RandomId': id,
});
