import { z } from 'zod';
import type { PoolView, WarmMember } from '../warm-pool-store.ts';
import { container, digits, hash, instant, nothing, time } from './reply-parts.ts';

export const reserved = z.enum(['reserved', 'full', 'no-room', 'container-taken']);

const member = hash({
  container_id: container,
  image: z.string(),
  manager_type: z.string(),
  created_at: time,
}).transform(
  (info): WarmMember => ({
    container: info.container_id,
    image: info.image,
    manager: info.manager_type,
    createdAt: info.created_at,
  }),
);

const sizes = z.union([nothing, z.tuple([digits, digits]).transform(([min, max]) => ({ min, max }))]);

export const view = z.tuple([z.array(member), z.int(), sizes, z.int(), z.int(), instant]).transform(
  ([members, starting, sizes, demand, used, now]): PoolView => ({
    members,
    starting,
    sizes,
    demand,
    used,
    now,
  }),
);
