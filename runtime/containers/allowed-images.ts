import type { Config } from '../contracts/environment.ts';
import { type ImageReference, OUR_IMAGES, parseImageReference } from '../contracts/image-reference.ts';
import { VERSION } from '../version.ts';

export interface ImageSettings {
  /** `name` means it with any tag and digest, `name:tag` just that, `registry/team/` all below. */
  allowed: readonly string[];
  /** What is meant where none is named; it is allowed, whatever the list says. */
  fallback?: string;
  /** What the plain names of this repository's images mean; else they mean this version's. */
  own?: ReadonlyMap<string, string>;
}

export type ResolvedImage =
  | { kind: 'image'; image: string }
  | { kind: 'malformed'; detail: string }
  | { kind: 'forbidden'; detail: string };

/** Of workspaces. Functions have no fallback. */
export function imageSettings(
  config: Pick<Config, 'ALLOWED_IMAGES' | 'DEFAULT_WORKSPACE_IMAGE_REF' | 'OWN_IMAGES'>,
): Required<ImageSettings> {
  const { ALLOWED_IMAGES: allowed = OUR_IMAGES, OWN_IMAGES: own } = config;
  const editor = own.get('workspace-editor') ?? `workspace-editor:${VERSION}`;
  return { allowed, own, fallback: config.DEFAULT_WORKSPACE_IMAGE_REF ?? editor };
}

/** The image that is meant, always with a tag or a digest: an engine that is asked for neither fetches every tag. */
export function resolveImage(wanted: string | undefined, settings: ImageSettings): ResolvedImage {
  const { fallback } = settings;
  const text = wanted ?? fallback ?? '';
  const reference = parseImageReference(text);
  if (reference === undefined) {
    const shown = JSON.stringify(text.slice(0, 100));
    return {
      kind: 'malformed',
      detail: `${shown} does not name an image: it wants [registry/]name[:tag][@sha256:…], in lower case.`,
    };
  }
  const isPlain = reference.tag === undefined && reference.digest === undefined;
  const image = (isPlain && settings.own?.get(reference.name)) || exactly(reference);
  const allowed = fallback === undefined ? settings.allowed : [...settings.allowed, fallback];
  if (allowed.some((each) => admits(each, reference))) return { kind: 'image', image };
  return {
    kind: 'forbidden',
    detail: `The image ${image} is not allowed. Allowed: ${[...new Set(allowed)].join(', ')}; the operator adds others to ALLOWED_IMAGES.`,
  };
}

/** An entry with a tag admits no digest beside it: the engine would take that one, whatever the tag. */
function admits(entry: string, reference: ImageReference): boolean {
  if (entry.endsWith('/')) return reference.name.startsWith(entry);
  const named = parseImageReference(entry);
  if (named === undefined) return false;
  if (named.tag === undefined && named.digest === undefined) return reference.name === named.name;
  return exactly(reference) === exactly(named);
}

function exactly({ name, tag, digest }: ImageReference): string {
  if (digest !== undefined) return `${name}${tag === undefined ? '' : `:${tag}`}@${digest}`;
  return `${name}:${tag ?? (OUR_IMAGES.includes(name) ? VERSION : 'latest')}`;
}
