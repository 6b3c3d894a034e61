/** Leases by name: whoever holds one does a job that needs doing once. It only saves work; actions are fenced otherwise. */
export interface LeaseStore {
  /** Takes or renews it; false while another holds it. */
  hold(name: string, owner: string, seconds: number): Promise<boolean>;

  /** Gives it up, if it is the owner's. */
  letGo(name: string, owner: string): Promise<void>;
}
