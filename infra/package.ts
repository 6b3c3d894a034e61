// What programs in TypeScript and JavaScript import from the package.

export { EgressMode, type PlatformArgs, PlatformKind } from './platform-args.ts';
export { type PlatformOptions, type Transform, WorkspacePlatform } from './workspace-platform.ts';
