/** The languages that the editor colours. Each is a file that the page loads with the first such text. */
export const LANGUAGES = [
  ...['c_cpp', 'csharp', 'css', 'diff', 'dockerfile', 'elixir', 'golang', 'graphqlschema', 'haskell', 'html'],
  ...['ini', 'java', 'javascript', 'json', 'jsx', 'kotlin', 'less', 'lua', 'makefile', 'markdown', 'nix'],
  ...['perl', 'php', 'powershell', 'protobuf', 'python', 'r', 'ruby', 'rust', 'scala', 'scss', 'sh', 'sql'],
  ...['swift', 'terraform', 'toml', 'tsx', 'typescript', 'vue', 'xml', 'yaml', 'zig'],
] as const;

/** What the page takes from packages: its path below `vendor/`, and the file below node_modules. */
export function vendorFiles(): ReadonlyMap<string, string> {
  const ace = ['ace', 'ext-searchbox', 'theme-cloud_editor', 'theme-cloud_editor_dark'];
  const modes = LANGUAGES.map((language) => `mode-${language}`);
  return new Map([
    ...[...ace, ...modes].map(
      (name) => [`ace/${name}.js`, `ace-builds/src-min-noconflict/${name}.js`] as const,
    ),
    ['xterm.css', '@xterm/xterm/css/xterm.css'],
    ['xterm.mjs', '@xterm/xterm/lib/xterm.mjs'],
    ['addon-fit.mjs', '@xterm/addon-fit/lib/addon-fit.mjs'],
  ]);
}

/** What must be kept with copies of them. */
export const VENDOR_LICENCES = ['ace-builds/LICENSE', '@xterm/xterm/LICENSE', '@xterm/addon-fit/LICENSE'];
