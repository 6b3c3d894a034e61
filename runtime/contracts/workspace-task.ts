/**
 * What the families of workspaces' task definitions on ECS begin with, by that of the definition that they are made
 * after. No name of an installation has an underscore, so no two come to the same.
 */
export function workspaceFamilies(template: string, installation: string): string {
  return `${template}_${installation}_`;
}
