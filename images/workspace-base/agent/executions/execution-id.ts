/** The id in `/executions/{id}/…`; what is no id names no execution. */
export function executionId(path: string): string {
  return path.split('/')[2] ?? '';
}
