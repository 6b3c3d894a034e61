import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The platform's package: what package/tsconfig.json names, and all it imports, below `folder`. */
export function emit(root: string, folder: string): void {
  compile(join(root, 'package/tsconfig.json'), folder);
  copyOthers(root, folder);
}

/** Writes JavaScript and types of what a configuration names below `folder`. */
export function compile(configFile: string, folder: string): void {
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (problem) => {
      throw new Error(told([problem]));
    },
  };
  const config = ts.getParsedCommandLineOfConfigFile(configFile, { outDir: folder }, host);
  if (config === undefined) throw new Error(`There is no ${configFile}.`);
  const program = ts.createProgram(config.fileNames, config.options);
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  if (problems.length > 0) throw new Error(told(problems));
  nameJavaScript(folder);
}

function told(problems: readonly ts.Diagnostic[]): string {
  return ts.formatDiagnostics(problems, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getNewLine: () => '\n',
  });
}

/** Types import what is there: the compiler rewrites imports of programs only. */
function nameJavaScript(folder: string): void {
  for (const file of filesIn(folder).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(
      join(folder, file),
      text.replace(/((?:from|import\() ?['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'),
    );
  }
}

/** What infra reads while it runs; this repository's own program stays here. */
function copyOthers(root: string, folder: string): void {
  const others = filesIn(join(root, 'infra')).filter((name) => !/\.(ts|md)$|^main\.mjs$/.test(name));
  for (const name of others) cpSync(join(root, 'infra', name), join(folder, 'infra', name));
}

function filesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** Packages of Pulumi's that the emitted programs import. */
export function importedFromPulumi(folder: string): string[] {
  const programs = filesIn(join(folder, 'infra')).filter((name) => name.endsWith('.js'));
  const names = programs.flatMap((name) => {
    const text = readFileSync(join(folder, 'infra', name), 'utf8');
    return [...text.matchAll(/from '(@pulumi\/[^/']+)/g)].map(([, found = '']) => found);
  });
  return [...new Set(names)].sort();
}
