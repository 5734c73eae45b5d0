// Bundles the pages of `runner ui` into a folder: one page, one script, one style sheet, and no address but their own.
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { build, context } from 'esbuild';

/** Also what `runner export` puts into one file, so the script is a plain one that needs no module loader. */
const options = ({ root, outdir }) => ({
  absWorkingDir: root,
  entryPoints: ['src/web/app.css', 'src/web/app.tsx'],
  entryNames: '[name]',
  outdir,
  platform: 'browser',
  target: ['chrome123', 'firefox128', 'safari17.5'],
  format: 'iife',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  bundle: true,
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  logLevel: 'warning',
});

export async function bundleWeb({ root, outdir }) {
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build(options({ root, outdir }));
  await copyFile(path.join(root, 'src/web/index.html'), path.join(outdir, 'index.html'));
  return metafile;
}

/** Builds them again whenever a source changes, until the returned context is disposed of. */
export async function watchWeb({ root, outdir }) {
  const watched = await context({ ...options({ root, outdir }), logLevel: 'info' });
  await watched.watch();
  return watched;
}
