/**
 * The TOML language server that editors use (Taplo, of the VS Code extension Even Better TOML), driven with the messages an
 * editor sends. It reads real files; whoever asks the network is refused.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TaploLsp as Taplo } from '@taplo/lsp';
import { onTestFinished } from 'vitest';

// Its one file has 35 MB: a plain `require` spares the search for named exports.
const { TaploLsp } = createRequire(import.meta.url)('@taplo/lsp') as { TaploLsp: typeof Taplo };

interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: Position; readonly end: Position };
}

type Waiting = (value: unknown) => void;

/** What is said at a line, from 0. */
export function saidBy(found: readonly Diagnostic[]): (line: number) => string {
  return (line) =>
    found
      .filter(({ range }) => range.start.line === line)
      .map(({ message }) => message)
      .join('\n');
}

export interface TomlServer {
  /** What the server says about the text once it has read the schema that the text names. */
  open(file: string, text: string): Promise<readonly Diagnostic[]>;
  /** Completions and hover at a place of the text opened last. */
  complete(at: Position): Promise<readonly { readonly label: string }[]>;
  hover(at: Position): Promise<string>;
}

export async function startTomlServer(folder: string): Promise<TomlServer> {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new Error('the network is not to be used'));
  const answers = new Map<unknown, Waiting>();
  let onDiagnostics: (found: readonly Diagnostic[]) => void = () => undefined;
  let schemasRead = 0;
  const server = await TaploLsp.initialize(
    surroundings(folder, () => (schemasRead += 1)),
    {
      onMessage: ({ id, method, params, result }) => {
        if (method === 'textDocument/publishDiagnostics')
          onDiagnostics((params as { diagnostics: readonly Diagnostic[] }).diagnostics);
        else if (method === undefined) answers.get(id)?.(result);
      },
    },
  );
  onTestFinished(() => {
    server.dispose();
    globalThis.fetch = fetch;
  });
  let calls = 0;
  const ask = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      calls += 1;
      answers.set(calls, resolve);
      server.send({ jsonrpc: '2.0', id: calls, method, params });
    });
  const root = pathToFileURL(folder).href;
  await ask('initialize', {
    capabilities: {},
    processId: null,
    rootUri: root,
    workspaceFolders: [{ uri: root, name: 'project' }],
  });
  let uri = '';
  return {
    open: (file, text) => {
      uri = pathToFileURL(file).href;
      const known = schemasRead;
      const found = new Promise<readonly Diagnostic[]>((resolve) => {
        // The first messages come before the schema is read, and are about syntax alone.
        onDiagnostics = (diagnostics) => {
          if (schemasRead > known) resolve(diagnostics);
        };
      });
      server.send({
        jsonrpc: '2.0',
        method: 'textDocument/didOpen',
        params: { textDocument: { uri, languageId: 'toml', version: 1, text } },
      });
      return found;
    },
    complete: async (position) =>
      (await ask('textDocument/completion', { textDocument: { uri }, position })) as { label: string }[],
    hover: async (position) =>
      JSON.stringify(await ask('textDocument/hover', { textDocument: { uri }, position })),
  };
}

function surroundings(folder: string, onRead: () => void): Parameters<typeof Taplo.initialize>[0] {
  return {
    now: () => new Date(),
    envVar: () => undefined,
    envVars: () => [],
    stdErrAtty: () => false,
    stdin: () => Promise.resolve(new Uint8Array()),
    stdout: (bytes) => Promise.resolve(bytes.length),
    stderr: (bytes) => Promise.resolve(bytes.length),
    glob: () => [],
    readFile: async (path) => {
      const bytes = await readFile(path);
      onRead();
      return bytes;
    },
    writeFile: () => Promise.reject(new Error('nothing is to be written')),
    urlToFilePath: (url) => fileURLToPath(url),
    isAbsolute: (path) => isAbsolute(path),
    cwd: () => folder,
    findConfigFile: () => undefined,
  };
}
