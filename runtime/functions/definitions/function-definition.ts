import type { FunctionKey } from '../../contracts/function-key.ts';

/** A function as its tenant has defined it, with every default filled in. */
export interface FunctionDefinition {
  of: FunctionKey;
  /** What its workers run: an image, or the name of an entry of the operator's list where the backend takes only those. */
  image: string;
  env: Readonly<Record<string, string>>;
  port: number;
  /** Where a call goes. */
  path: string;
  /** A call may take so long, its wait for a worker aside. */
  timeoutSeconds: number;
  resources: FunctionResources;
  scaling: FunctionScaling;
  /** The same for the same image, environment, port and resources, and no other: workers of another are ended. */
  revision: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface FunctionResources {
  cpus: number;
  memoryMb: number;
  pids: number;
}

export interface FunctionScaling {
  minCapacity: number;
  maxCapacity: number;
  /** A worker that nobody has used for so long is ended, unless that leaves fewer than the minimum. */
  idleTimeoutSeconds: number;
  /** How long a call waits for a worker. */
  acquireTimeoutSeconds: number;
  /** How many calls wait at one instance. */
  queue: number;
}
