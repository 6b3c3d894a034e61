/** A container image as registries name it, and nothing looser: no upper case, no spaces, no way up. */
export interface ImageReference {
  /** With its registry, where it has one: `registry.example.com:5000/team/image`. */
  name: string;
  tag: string | undefined;
  /** `sha256:…`; says more than the tag beside it, which engines then don't read. */
  digest: string | undefined;
}

const PART = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const HOST = `${PART}(?::\\d{1,5})?`;
const NAME = `(?:${HOST}/)?${PART}(?:/${PART})*`;
const REFERENCE = new RegExp(
  `^(?<name>${NAME})(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$`,
);
const FOLDER = new RegExp(`^${HOST}/(?:${PART}/)*$`);
const LONGEST_NAME = 255;
const LONGEST = LONGEST_NAME + ':'.length + 128 + '@sha256:'.length + 64;

export function parseImageReference(text: string): ImageReference | undefined {
  if (text.length > LONGEST) return undefined;
  const { name, tag, digest } = REFERENCE.exec(text)?.groups ?? {};
  return name === undefined || name.length > LONGEST_NAME ? undefined : { name, tag, digest };
}

/** Everything below a registry or a part of one: `registry.example.com/team/`. */
export function isImageFolder(text: string): boolean {
  return text.length <= LONGEST_NAME && FOLDER.test(text);
}

/** Images of this repository that users' work runs in: without a tag, those of the runtime's own version are meant. */
export const OUR_IMAGES: readonly string[] = [
  'workspace-editor',
  'workspace-base',
  'function-node',
  'function-python',
];
