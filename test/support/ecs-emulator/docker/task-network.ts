import type Docker from 'dockerode';
import { AddressPool } from '../address-pool.ts';

export interface TaskNetwork {
  readonly id: string;
  readonly addresses: AddressPool;
}

const ATTEMPTS = 10;

/**
 * A bridge of its own, which this machine reaches and whose tasks don't reach each other. The engine gives addresses
 * of one's choice only in ranges of one's choice, so its own choice is looked at first, and then made again.
 */
export async function makeTaskNetwork(
  engine: Docker,
  options: { name: string; labels: Record<string, string>; internal: boolean },
): Promise<TaskNetwork> {
  for (let attempt = 1; ; attempt += 1) {
    const subnet = await freeSubnet(engine, options.name, options.labels);
    try {
      const network = await engine.createNetwork({
        Name: options.name,
        Driver: 'bridge',
        Internal: options.internal,
        Labels: options.labels,
        Options: { 'com.docker.network.bridge.enable_icc': 'false' },
        IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
      });
      return { id: network.id, addresses: hostsOf(subnet) };
    } catch (error) {
      // Someone else took the range in between.
      if (attempt >= ATTEMPTS || !/overlap/i.test(`${error}`)) throw error;
    }
  }
}

async function freeSubnet(engine: Docker, name: string, labels: Record<string, string>): Promise<string> {
  const probe = await engine.createNetwork({
    Name: `${name}-probe`,
    Driver: 'bridge',
    Internal: true,
    Labels: labels,
  });
  try {
    const { IPAM } = await probe.inspect();
    const subnet: unknown = IPAM?.Config?.[0]?.Subnet;
    if (typeof subnet !== 'string') throw new Error('The engine gave a network no range of addresses.');
    return subnet;
  } finally {
    await probe.remove();
  }
}

/** All but the network's own, the gateway's (the first) and the broadcast address. */
function hostsOf(subnet: string): AddressPool {
  const [base = '', bits = '24'] = subnet.split('/');
  const first = base.replace(/\d+$/, (last) => `${Number(last) + 2}`);
  return new AddressPool(first, 2 ** (32 - Number(bits)) - 3);
}
