// `npm run docs`: writes docs/cli.md from the table of commands. test/docs.test.ts compares the two.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, 'schemas/output/v1');
const bundle = path.join(root, '.cache/cli-page.mjs');

mkdirSync(path.dirname(bundle), { recursive: true });
await build({
  entryPoints: [path.join(root, 'test/support/cli-page.ts')],
  outfile: bundle,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
});
const { renderCliPage } = await import(pathToFileURL(bundle).href);
const schemas = new Map(
  readdirSync(folder).map((file) => [
    file.replace(/\.schema\.json$/, ''),
    readFileSync(path.join(folder, file), 'utf8'),
  ]),
);
writeFileSync(path.join(root, 'docs/cli.md'), renderCliPage(schemas));
