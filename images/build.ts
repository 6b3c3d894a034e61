import { parseArgs } from 'node:util';
import { findBaseImage } from './builder/base-image.ts';
import { buildImage } from './builder/build-image.ts';
import { connectEngine, engineAnswers, engineMessage } from './builder/engine.ts';
import { recipes } from './builder/recipes.ts';

const names = recipes.map(({ name }) => name);
const help = `Builds this repository's container images with the Docker engine.

  npm run images                    all of them: ${names.join(', ')}
  npm run images -- workspace-base  only the named ones

Each gets two tags: <name>:<version> and <name>:src-<hash of its sources>. One whose sources have not changed is
not built again.

  DOCKER_HOST   the engine, if not the usual one
  BASE_IMAGE    what to build on, instead of the official Node image: Debian with apt, Node 24 and npm
`;

/** Prints progress, the tags of what it built, and on failure one last line that tells the way out. */
async function main(): Promise<number> {
  const say = (line: string): void => console.log(line);
  let wanted: string[];
  try {
    const { values, positionals } = parseArgs({
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (values.help) {
      say(help);
      return 0;
    }
    wanted = positionals.length === 0 ? names : positionals;
  } catch (error) {
    console.error(`${engineMessage(error)} See npm run images -- --help.`);
    return 2;
  }
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`No image is called ${unknown.join(', ')}. There are ${names.join(', ')}.`);
    return 2;
  }
  if (!(await engineAnswers(process.env.DOCKER_HOST))) {
    console.error('No Docker engine answers. Start one, or name one in DOCKER_HOST.');
    return 1;
  }
  let building = wanted.join(', ');
  try {
    const engine = connectEngine();
    const base = await findBaseImage(engine, say);
    for (const recipe of recipes.filter(({ name }) => wanted.includes(name))) {
      building = recipe.name;
      const { outcome, versionTag, sourceTag } = await buildImage(engine, recipe, base, say);
      say(`${outcome} ${versionTag} ${sourceTag}`);
    }
    return 0;
  } catch (error) {
    console.error(`Could not build ${building}: ${engineMessage(error)}`);
    return 1;
  }
}

process.exitCode = await main();
