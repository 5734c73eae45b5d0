/** Type of version.js, which `node scripts/generate.mjs` writes from package.json: on its own, because `--version` loads nothing else. */
export const packageVersion: string;
