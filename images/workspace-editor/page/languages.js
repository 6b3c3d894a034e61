/** What files are written in, by the ends of their names or by their whole names. */
const BY_NAME = {
  c_cpp: ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'ino'],
  csharp: ['cs', 'csx'],
  css: ['css'],
  diff: ['diff', 'patch'],
  dockerfile: ['dockerfile', 'containerfile'],
  elixir: ['ex', 'exs'],
  golang: ['go'],
  graphqlschema: ['graphql', 'gql'],
  haskell: ['hs'],
  html: ['html', 'htm', 'xhtml'],
  ini: ['ini', 'cfg', 'conf', 'editorconfig', 'gitconfig', 'npmrc', 'properties', 'service'],
  java: ['java'],
  javascript: ['js', 'mjs', 'cjs'],
  json: ['json', 'jsonc', 'json5', 'ipynb', 'webmanifest', 'map'],
  jsx: ['jsx'],
  kotlin: ['kt', 'kts'],
  less: ['less'],
  lua: ['lua'],
  makefile: ['makefile', 'gnumakefile', 'mk'],
  markdown: ['md', 'markdown', 'mdx'],
  nix: ['nix'],
  perl: ['pl', 'pm'],
  php: ['php'],
  powershell: ['ps1', 'psm1'],
  protobuf: ['proto'],
  python: ['py', 'pyi', 'pyw', 'wsgi'],
  r: ['r'],
  ruby: ['rb', 'gemfile', 'rakefile', 'gemspec'],
  rust: ['rs'],
  scala: ['scala', 'sc', 'sbt'],
  scss: ['scss'],
  sh: ['sh', 'bash', 'zsh', 'ksh', 'bashrc', 'zshrc', 'profile', 'bash_profile', 'bash_aliases', 'env'],
  sql: ['sql'],
  swift: ['swift'],
  terraform: ['tf', 'tfvars', 'hcl'],
  toml: ['toml', 'lock'],
  tsx: ['tsx'],
  typescript: ['ts', 'mts', 'cts'],
  vue: ['vue'],
  xml: ['xml', 'svg', 'xsd', 'xsl', 'plist', 'csproj', 'pom'],
  yaml: ['yaml', 'yml', 'clang-format'],
  zig: ['zig'],
};

const languages = new Map(
  Object.entries(BY_NAME).flatMap(([language, names]) => names.map((name) => [name, language])),
);

/**
 * The language of a file, as Ace calls its mode.
 * @param {string} name
 */
export function languageOf(name) {
  const lower = name.toLowerCase();
  return languages.get(lower) ?? languages.get(lower.slice(lower.lastIndexOf('.') + 1)) ?? 'text';
}
