import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Analyzer } from '@pulumi/pulumi/provider/experimental/analyzer.js';
import {
  generateSchema,
  type PackageSpec,
  type Property,
} from '@pulumi/pulumi/provider/experimental/schema.js';
import ts from 'typescript';
import type { Repository } from './manifest.ts';

/** Properties that are secret, in whatever language. */
const SECRET = /apiKey$/i;

/** What SDKs of other languages are made of: the component's arguments and outputs, as its types and comments say. */
export function makeSchema(root: string, { version, description }: Repository): PackageSpec {
  const entry = { exports: join(root, 'infra/package.ts') };
  const analyzer = new Analyzer(join(root, 'package'), 'berth', entry, new Set(['WorkspacePlatform']));
  const { components, typeDefinitions, dependencies } = analyzer.analyze();
  const schema = generateSchema('berth', version, description, components, typeDefinitions, dependencies);
  const tags = tagsIn(join(root, 'infra/platform-args.ts'));
  for (const { inputProperties = {}, properties = {} } of Object.values(schema.resources)) {
    for (const [name, property] of Object.entries(inputProperties)) {
      const words = property.description?.replace(/\s+/g, ' ').trim();
      const { default: unless, example } = tags[name] ?? {};
      property.description = [words, unless && `Default: ${unless}.`, example && `For instance: ${example}`]
        .filter(Boolean)
        .join(' ');
      // Every number here counts something.
      if ('type' in property && property.type === 'number') property.type = 'integer';
    }
    for (const [name, property] of Object.entries({ ...inputProperties, ...properties }))
      if (SECRET.test(name)) (property as Property & { secret?: boolean }).secret = true; // its type lacks the word
  }
  return schema;
}

/** By argument: what its comment says beside its words, which Pulumi's analyzer leaves out. */
export function tagsIn(file: string): Record<string, Record<string, string>> {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const members = source.statements.filter(ts.isInterfaceDeclaration).flatMap(({ members }) => [...members]);
  return Object.fromEntries(
    members.map((member) => {
      const tags = ts.getJSDocTags(member).map(({ tagName, comment }) => {
        const words = ts.getTextOfJSDocComment(comment) ?? '';
        return [tagName.text, words.replace(/\s+/g, ' ').trim()];
      });
      return [member.name?.getText() ?? '', Object.fromEntries(tags)];
    }),
  );
}
