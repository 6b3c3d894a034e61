/**
 * What is done to the files of a volume, for bash, perl, GNU tar, coreutils and findutils. `$1` is the volume's folder.
 * Nobody but the script writes there meanwhile. Names are any bytes, and what lies there is a user's.
 */

/** The last that a restore writes. Of this name and the next, nothing is archived. */
const RESTORED = '.berth-restored';
/** The same while it may still be undone: how the runtime tells the script that all it was given is right. */
export const RESTORING = '.berth-restoring';

/** Two files of a home are not its user's. */
const NOT_OURS = [
  '--anchored',
  '--no-wildcards',
  ...[RESTORED, RESTORING].map((name) => `--exclude=./${name}`),
];

/**
 * Times of access and change are left out: they would take as much room as a small file, and no restore could set them.
 * One line an entry is counted beside the archive itself, so that it can be held against it.
 */
const CREATE = [
  ...[
    '--create',
    '--file=-',
    '--record-size=64K',
    '--format=posix',
    '--pax-option=delete=atime,delete=ctime',
    '--sparse',
  ],
  ...['--numeric-owner', '--verbose', '--quoting-style=escape', '--index-file=/dev/fd/3', ...NOT_OURS],
].join(' ');

/** How many bytes more the script may write for each one that it reads. */
export const CREDIT_BYTES = 64 * 1024;
/** What it may write before it waits: what the engine holds for a reader that is slow, which it takes a megabyte of. */
export const CREDITS = 12;

/**
 * Passes on only what its reader has asked for: the engine can't end a container whose output it can't get rid of, and a
 * runtime that sleeps reads nothing. When stdin ends nobody reads any more.
 */
const ON_CREDIT = `
open(my $credits, "<&=", 5) or die;
my $may = 0;
my $passed = 0;
while (1) {
  if ($may == 0) {
    my $got = sysread($credits, my $more, 4096);
    kill("KILL", 0) if !$got;
    $may = $got * ${CREDIT_BYTES};
  }
  my $length = sysread(STDIN, my $piece, $may < 131072 ? $may : 131072);
  die "reading: $!" if !defined $length;
  if ($length == 0) { print STDERR "passed $passed\\n"; exit 0; }
  for (my $at = 0; $at < $length;) { $at += syswrite(STDOUT, $piece, $length - $at, $at) // die "writing: $!"; }
  $may -= $length;
  $passed += $length;
}`;

/** Before an archive, for a script that is no more than the user whose files they are. */
export const READABLE = `
find "$1" -mindepth 1 -type d ! -perm -u=rx -exec chmod u+rx -- {} ';' -o -type f ! -perm -u=r -exec chmod u+r -- {} + || exit
`;

export const ARCHIVE = archive('');
/** For where programs are that compress, and what they save need not be carried. */
export const PACKED_ARCHIVE = archive('zstd -1 --check --quiet --stdout |');

function archive(packed: string): string {
  return `
set -o pipefail
cd -- "$1" || exit
exec 5<&0
exec 4> >(${packed} perl -e '${ON_CREDIT}')
entries=$(tar ${CREATE} . 3>&1 1>&4 | wc --lines) || exit
exec 4>&-
wait $! || exit
echo "entries $entries" >&2
`;
}

/** What an archive's run says at its end. Names that tar complains of can't look like it: their lines begin with `tar: `. */
export const BYTES = /^passed (\d+)$/m;
export const ENTRIES = /^entries (\d+)$/m;

/** What a restore's run says on stdout before it reads anything: it has this archive already, or nothing any more. */
export const WHOLE = 'whole\n';
export const EMPTY = 'empty\n';

/**
 * `--ignore-zeros`: the file by which the runtime says that all was right comes behind the archive's own end.
 * What was unpacked is on disk before the marker is.
 */
const EXTRACT = [
  ...[
    '--extract',
    '--file=-',
    '--ignore-zeros',
    '--same-permissions',
    '--numeric-owner',
    '--delay-directory-restore',
  ],
].join(' ');

/** A folder that can't be entered is made to be before it is. */
const REMOVE_ALL = `
find . -mindepth 1 -type d ! -perm -u=rwx -exec chmod u+rwx -- {} ';'
find . -mindepth 1 -delete`;

export const EMPTY_ALL = `
set -eu
cd -- "$1"
${REMOVE_ALL}
`;

/** `$2` is what the marker says. */
export const RESTORE = restore('', '');
/** Of the two that read, how the first was killed is told: the second has then only seen an early end. */
export const PACKED_RESTORE = restore(
  'zstd --decompress --quiet --stdout |',
  `|| {
  ended=("\${PIPESTATUS[@]}")
  if [ "\${ended[0]}" -ge 128 ] && [ "\${ended[0]}" -ne 141 ] || [ "\${ended[1]}" -eq 0 ]; then exit "\${ended[0]}"; fi
  exit "\${ended[1]}"
}`,
);

function restore(unpacked: string, otherwise: string): string {
  return `
set -euo pipefail
cd -- "$1"
says() { [ -f "$1" ] && [ ! -L "$1" ] && [ "$(head --bytes=4096 -- "$1" | tr -d '\\0')" = "$2" ]; }
if says ${RESTORED} "$2"; then echo whole; exit; fi
${REMOVE_ALL}
echo empty
${unpacked} tar ${EXTRACT} ${otherwise}
if ! says ${RESTORING} "$2"; then echo 'the end of the archive never came' >&2; exit 3; fi
sync --file-system .
mv --no-target-directory -- ${RESTORING} ${RESTORED}
sync -- .
`;
}

/** Gives an empty volume to its user, `$2`; its mode first, so that one with another owner than root is done. */
export const OWN = `
set -eu
cd -- "$1"
if [ "$(stat --format=%u .)" = 0 ]; then chmod 0755 .; chown "$2" .; fi
`;
