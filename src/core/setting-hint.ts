/** A hint that names a setting helps only where the file decides: a flag or a variable stands above it (§9). */

/** `setBy`: who sets a key, where it is not the file. */
export function fitHint(hint: string, setBy: ReadonlyMap<string, string>): string {
  const [, key = '', value = ''] = /^runner config set (\S+) ([^\s,]+)/.exec(hint) ?? [];
  const by = setBy.get(key);
  return by === undefined ? hint : `give ${by} at least ${value}, or leave it out: it stands above the file`;
}
