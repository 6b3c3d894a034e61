/** What a service gets to start with. */
export interface ServiceContext {
  /** Private to this run, removed when it ends. */
  readonly folder: string;
  /** The process's variables, and those that the services before this one gave. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tells the person waiting what takes its time. */
  say(line: string): void;
}

export interface Running {
  /** Variables by which tests find it; they are read in provided.ts only. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends what `start` started, and nothing else. */
  stop(): Promise<void>;
}

export interface Missing {
  readonly missing: string;
  /** It is this repository's fault, and not that this machine lacks something: the run fails, in CI or not. */
  readonly broken?: boolean;
}

export interface Service {
  readonly name: string;
  /** Which tests are left out without it. */
  readonly neededBy: string;
  /** The command or variable that would provide it. */
  readonly remedy: string;
  start(context: ServiceContext): Promise<Running | Missing>;
}

export const nothingToStop = async (): Promise<void> => {};
