export interface DependencyState {
  name: string;
  ready: boolean;
  detail: string;
}

/** Asks each dependency whether it answers. */
export class Readiness {
  readonly #checks: { name: string; check: () => Promise<void> }[] = [];

  /** `check` throws, with a message for the operator, when the dependency can't be used. */
  add(name: string, check: () => Promise<void>): void {
    this.#checks.push({ name, check });
  }

  look(): Promise<DependencyState[]> {
    return Promise.all(
      this.#checks.map(({ name, check }) =>
        check().then(
          () => ({ name, ready: true, detail: 'ok' }),
          (error) => ({ name, ready: false, detail: error instanceof Error ? error.message : String(error) }),
        ),
      ),
    );
  }
}
