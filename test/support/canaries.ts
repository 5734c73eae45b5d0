/** Values that must never be seen again, the forms in which programs print them, and a look at bytes for any of them. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One of the environment, one of a login file; with characters that every form writes differently. */
export const canaries = {
  variable: 'Canary"of/the+environment 1\\2',
  login: 'canary-of-a-login-file.7Q/2"x',
} as const;

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const unicode = (text: string): string =>
  text.replaceAll(/./g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const canaryForms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'JSON escape': (text) => `{"x":"a\\n${json(text)}\\n"}`,
  'JSON in JSON': (text) => `{"x":"a\\\\n${json(json(text))}\\\\n"}`,
  unicode,
  colour: (text) => `\u001b[31m${text.slice(0, 7)}\u001b[1m${text.slice(7)}\u001b[0m`,
  'a character twice': (text) => `${text.slice(0, 7)}\b${text.slice(6)}`,
  'a control character': (text) => `${text.slice(0, 7)}\u0001${text.slice(7)}`,
  'zero width': (text) => `${text.slice(0, 7)}\u200b${text.slice(7)}`,
  'eight bits': (text) => `${text.slice(0, 7)}\u009b31m${text.slice(7)}`,
  URL: (text) => `https://x.test/?q=${encodeURIComponent(text)}`,
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 of more': (text) => Buffer.from(`user:${text}`).toString('base64'),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
};

/** Lines of the shell that print each canary in each form, and each once more in two writes. */
export function printCanaries(): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  return Object.values(canaries)
    .flatMap((value) => [
      ...Object.values(canaryForms).map((form) => `printf '%s\\n' ${quoted(`before ${form(value)} behind`)}`),
      `printf '%s' ${quoted(value.slice(0, 9))}`,
      `printf '%s\\n' ${quoted(value.slice(9))}`,
    ])
    .join('\n');
}

/** Which canaries are in a text, by the simplest means: every code undone, then looked for. */
export function canariesIn(text: string): readonly string[] {
  const plain = text.replaceAll(/(?:\u001b\[|\u009b|\xc2\x9b)[0-9;]*m/g, '');
  const views = [plain.replaceAll(/\u0001|\u200b|\xe2\x80\x8b/g, '')];
  views.push(plain.replaceAll(/[^\n]\u0008/g, ''), plain);
  for (let depth = 0; depth < 4; depth += 1) views.push(undo(views.at(-1) ?? ''));
  return Object.entries(canaries).flatMap(([name, value]) => {
    const bytes = Buffer.from(value);
    const hidden = [value, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)];
    hidden.push(Buffer.from(`user:${value}`).toString('base64').slice(8, -4));
    return hidden.some((form) => views.some((view) => view.includes(form))) ? [name] : [];
  });
}

function undo(text: string): string {
  return text
    .replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\u(?:0001|200b)/g, '')
    .replaceAll(/\\u([0-9A-Fa-f]{4})/g, (_all, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll(/&(quot|#34|amp);/g, (_all, name: string) => (name === 'amp' ? '&' : '"'))
    .replaceAll(/\\(["\\/])/g, '$1');
}

/** Every file below a folder that has one of them. */
export function filesWithCanaries(
  folder: string,
  skip: (path: string) => boolean = () => false,
): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !skip(path) && canariesIn(readFileSync(path, 'latin1')).length > 0);
}
