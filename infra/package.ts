// What programs in TypeScript and JavaScript import from the package.

export { EgressMode, type PlatformArgs, PlatformKind } from './platform-args.ts';
export { WorkspacePlatform } from './workspace-platform.ts';
