// Decides which packages ended up in the bundle and renders their licences. Fails rather than leaving one out.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

const licenceFile = /^(?:licen[cs]e|copying|notice)/i;
const folderOfPackage = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

function selectFolders({ metafile, shipped }) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const bundled = inputs.filter(([, use]) => use.bytesInOutput > 0).map(([file]) => file);
  // The compiled validators are ajv's own output; esbuild marks each piece of runtime in them with its path.
  const compiledIn = [...shipped.matchAll(/^\/\/ (node_modules\/.+)$/gm)].map((match) => match[1]);
  const folders = [...bundled, ...compiledIn, 'node_modules/ajv'].map(
    (file) => folderOfPackage.exec(file)?.[0],
  );
  return [...new Set(folders.filter((folder) => folder !== undefined))].toSorted();
}

async function renderOne(folder) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const files = (await readdir(folder)).filter((file) => licenceFile.test(file)).toSorted();
  if (files.length === 0 && typeof license !== 'string')
    throw new Error(`${name}@${version} names no licence`);
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  const text = texts.length > 0 ? texts.map((part) => part.trim()).join('\n\n') : `Licence: ${license}`;
  return `${name} ${version}\n\n${text}\n`;
}

/** The rules that src/core/secret-rules.js is made of. */
async function renderRules(root) {
  const text = await readFile(path.join(root, 'scripts/gitleaks/LICENSE'), 'utf8');
  return `gitleaks 8.30.1 (rules)\n\n${text.trim()}\n`;
}

export async function renderLicences({ root, metafile }) {
  const compiled = ['src/core/shipped.js', 'src/core/tree-validator.js'];
  const texts = await Promise.all(compiled.map((file) => readFile(path.join(root, file), 'utf8')));
  const shipped = texts.join('\n');
  const folders = selectFolders({ metafile, shipped });
  const packages = await Promise.all(folders.map((folder) => renderOne(path.join(root, folder))));
  const parts = [...packages, await renderRules(root)];
  return `Parts of these packages are bundled into dist/.\n\n${parts.join(`\n${'-'.repeat(72)}\n\n`)}`;
}
