#!/usr/bin/env node
import { keepCompiled } from './cli/keep-compiled.ts';

keepCompiled(process.argv[2], process.env);
const { runCommandLine } = await import('./cli/command-line.ts');
process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
