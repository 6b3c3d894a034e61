/**
 * What ends every container of an installation, run in the runtime's image: files are saved first, but where all data
 * goes anyway. It fails as long as there is one that could not be saved.
 */
export function destroyCommand(destroyData: boolean): string[] {
  return ['node', '/opt/berth/runtime.mjs', 'destroy-all', '--yes', ...(destroyData ? ['--purge'] : [])];
}
