export interface DependencyState {
  name: string;
  ready: boolean;
  /** Whether nothing can be served without it. */
  vital: boolean;
  detail: string;
}

/** Asks each dependency whether it answers. */
export class Readiness {
  readonly #checks: { name: string; check: () => Promise<void>; vital: boolean }[] = [];

  /** `check` throws, with a message for the operator, when the dependency can't be used. */
  add(name: string, check: () => Promise<void>, { vital = true }: { vital?: boolean } = {}): void {
    this.#checks.push({ name, check, vital });
  }

  look(): Promise<DependencyState[]> {
    return Promise.all(
      this.#checks.map(({ name, check, vital }) =>
        check().then(
          () => ({ name, ready: true, vital, detail: 'ok' }),
          (error) => ({
            name,
            ready: false,
            vital,
            detail: error instanceof Error ? error.message : String(error),
          }),
        ),
      ),
    );
  }
}
