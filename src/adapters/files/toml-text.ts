/** Parses TOML, or gives the position of the error, and renders it. Only this file imports the TOML parser. */
import { TomlError, parse, stringify } from 'smol-toml';
import { renderProblem } from '../../core/text/text-place.ts';

export type TomlText =
  | { readonly ok: true; readonly value: unknown }
  /** `problem` begins with its place; `cause` is what the parser threw. */
  | { readonly ok: false; readonly problem: string; readonly cause: unknown };

export function parseTomlText(text: string): TomlText {
  try {
    return { ok: true, value: parse(text) };
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;

    const words = cause.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    return { ok: false, problem: renderProblem(cause, `this is not valid TOML: ${words}`), cause };
  }
}

/** Without comments. */
export function renderToml(value: unknown): string {
  return stringify(value);
}
