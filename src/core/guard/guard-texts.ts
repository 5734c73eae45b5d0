/** What justfiles and Makefiles refer to, read from their texts (§14). What is computed there is left out. */

const quoted = String.raw`x?(?:'([^'\n]+)'|"([^"\n]+)")`;
const importLine = new RegExp(String.raw`^import(\??)[ \t]+${quoted}`, 'gm');
const moduleLine = new RegExp(String.raw`^mod\??[ \t]+([A-Za-z_][\w-]*)(?:[ \t]+${quoted})?`, 'gm');

export interface Included {
  readonly path: string;
  /** Nothing is said when there is no such file. */
  readonly isOptional: boolean;
}

export function justImports(text: string): readonly Included[] {
  return [...text.matchAll(importLine)].map(([, mark, single, double]) => ({
    path: `${single ?? double}`,
    isOptional: mark === '?',
  }));
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
export function makeIncludes(text: string): readonly Included[] {
  return [...text.matchAll(/^(-|s)?include[ \t]+([^\n#]+)/gm)].flatMap(([, mark, names]) =>
    wordsOf(String(names))
      .filter((name) => !/[$*?[]/.test(name))
      .map((path) => ({ path, isOptional: mark !== undefined })),
  );
}

/**
 * Targets of Makefiles that would be up to date if there were a file of that name. One with a dot or a slash is a file that make
 * should make.
 */
export function makeTargets(texts: readonly string[]): readonly string[] {
  const lines = texts.flatMap((text) => text.replaceAll(/\\\r?\n/g, ' ').split('\n'));
  const rules = lines.flatMap((line) => {
    const [, targets, sources] = /^([\w.][\w. -]*?)\s*:(?!:*=)([^#]*)/.exec(line) ?? [];
    return targets === undefined ? [] : [{ targets: wordsOf(targets), sources: wordsOf(String(sources)) }];
  });
  const phony = new Set(rules.flatMap(({ targets, sources }) => (targets.includes('.PHONY') ? sources : [])));
  const names = rules.flatMap(({ targets }) => targets);
  return [...new Set(names)].filter((name) => !name.includes('.') && !phony.has(name));
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** Indented lines, without the marks that just and make allow in front. */
export function recipeLines(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t]+[@+-]*(.+)$/gm)].map(([, line]) =>
    String(line).replaceAll(/\$[({]MAKE[)}]/g, 'make'),
  );
}
