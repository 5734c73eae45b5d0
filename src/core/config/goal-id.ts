/** Decides which texts are valid as the id of a run (§11). */

const idLengthMax = 100;

/** What is wrong with an id, or null: it must be fit for the branch `runner/<id>`. */
export function checkGoalId(id: string): string | null {
  if (!/^[A-Za-z0-9._-]+$/u.test(id)) return `id must be [A-Za-z0-9._-] only (got '${id}')`;
  if (id.length > idLengthMax) return `id must have at most ${idLengthMax} characters (has ${id.length})`;
  if (/^[.-]/u.test(id)) return `id must not start with '.' or '-' (got '${id}')`;
  if (id.endsWith('.') || id.endsWith('.lock')) return `id must not end with '.' or '.lock' (got '${id}')`;
  if (id.includes('..')) return `id must not contain '..' (got '${id}')`;
  return null;
}
