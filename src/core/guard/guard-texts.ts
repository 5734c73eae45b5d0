/** What justfiles and Makefiles refer to, read from their texts (§14). What is computed there is left out. */

const quoted = String.raw`x?(?:'([^'\n]+)'|"([^"\n]+)")`;
const importLine = new RegExp(String.raw`^import\??[ \t]+${quoted}`, 'gm');
const moduleLine = new RegExp(String.raw`^mod\??[ \t]+([A-Za-z_][\w-]*)(?:[ \t]+${quoted})?`, 'gm');

export function justImports(text: string): readonly string[] {
  return [...text.matchAll(importLine)].map(([, single, double]) => `${single ?? double}`);
}

/** Where just looks for each module; a path that is given may be the file or its folder. */
export function moduleFiles(text: string, justNames: readonly string[]): readonly string[] {
  return [...text.matchAll(moduleLine)].flatMap(([, name, single, double]) => {
    const place = single ?? double ?? name;
    return [place, `${name}.just`, `${place}/mod.just`, ...justNames.map((file) => `${place}/${file}`)].map(
      String,
    );
  });
}

/** Only plain names: patterns and variables are not followed. */
export function makeIncludes(text: string): readonly string[] {
  return [...text.matchAll(/^(?:-|s)?include[ \t]+([^\n#]+)/gm)]
    .flatMap(([, names]) => String(names).trim().split(/\s+/))
    .filter((name) => !/[$*?[]/.test(name));
}

/** Indented lines, without the marks that just and make allow in front. */
export function recipeLines(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t]+[@+-]*(.+)$/gm)].map(([, line]) =>
    String(line).replaceAll(/\$[({]MAKE[)}]/g, 'make'),
  );
}
