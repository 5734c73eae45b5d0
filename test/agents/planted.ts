/**
 * What a person may have in a home folder and the runner must keep out of a session: hooks, MCP servers, plugins, notifiers. Each
 * leaves a file when it runs. `bare` is how the CLI is started without the runner's flags, to show that what is planted works.
 */
import type { RealAgent } from './catalogue.ts';

export interface Planted {
  /** Files below the home folder; `base` is where the traces go. */
  readonly files: (base: string) => Readonly<Record<string, string>>;
  /** Names of the traces that a bare start leaves. */
  readonly traces: readonly string[];
  /** Arguments of a bare start; the prompt is on stdin. */
  readonly bare: (request: { readonly model: string; readonly dir: string }) => readonly string[];
}

export function tracesFolder(base: string): string {
  return `${base}/traces`;
}

export function tracePath(base: string, trace: string): string {
  return `${tracesFolder(base)}/${trace}`;
}

function touch(base: string, trace: string): string {
  return `touch ${tracePath(base, trace)}`;
}

/** The shape that claude made common. */
function hook(base: string, trace: string): unknown {
  return [{ matcher: '*', hooks: [{ type: 'command', name: trace, command: touch(base, trace) }] }];
}

function server(base: string): { readonly command: string; readonly args: readonly string[] } {
  // It ends at once, so that no CLI waits for its first word.
  return { command: 'sh', args: ['-c', `${touch(base, 'mcp')}; exit 1`] };
}

const codex: Planted = {
  files: (base) => ({
    '.codex/config.toml': [
      `notify = ["touch", "${tracePath(base, 'notify')}"]`,
      '[mcp_servers.planted]',
      'command = "sh"',
      `args = ["-c", "${touch(base, 'mcp')}; exit 1"]`,
      '[features]',
      'hooks = true',
      '',
    ].join('\n'),
    '.codex/hooks.json': JSON.stringify({ hooks: { SessionStart: hook(base, 'hook') } }),
  }),
  traces: ['notify', 'mcp', 'hook'],
  bare: ({ model, dir }) => [
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    '--dangerously-bypass-hook-trust',
    '--disable',
    'plugins',
    '-C',
    dir,
    '-m',
    model,
    '-',
  ],
};

const claude: Planted = {
  files: (base) => ({
    '.claude/settings.json': JSON.stringify({ hooks: { SessionStart: hook(base, 'hook') } }),
    '.claude.json': JSON.stringify({ mcpServers: { planted: server(base) } }),
  }),
  traces: ['hook', 'mcp'],
  bare: ({ model }) => ['-p', '--dangerously-skip-permissions', '--model', model],
};

const opencode: Planted = {
  files: (base) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      mcp: { planted: { type: 'local', command: ['sh', ...server(base).args], enabled: true } },
    }),
    '.config/opencode/plugin/planted.js': `import { writeFileSync } from 'node:fs';
export const Planted = async () => { writeFileSync('${tracePath(base, 'plugin')}', ''); return {}; };
`,
  }),
  traces: ['mcp', 'plugin'],
  bare: ({ model, dir }) => ['run', '--format', 'json', '--auto', '--dir', dir, '--model', model],
};

const gemini: Planted = {
  files: (base) => ({
    '.gemini/settings.json': JSON.stringify({
      hooks: { SessionStart: hook(base, 'hook') },
      mcpServers: { planted: server(base) },
    }),
  }),
  traces: ['hook', 'mcp'],
  bare: ({ model }) => ['--model', model, '--approval-mode', 'yolo', '--skip-trust'],
};

const qwen: Planted = {
  files: (base) => ({
    '.qwen/settings.json': JSON.stringify({
      hooks: { SessionStart: hook(base, 'hook') },
      mcpServers: { planted: server(base) },
    }),
  }),
  traces: ['hook', 'mcp'],
  bare: ({ model }) => ['--model', model, '--yolo', '--auth-type', 'openai'],
};

const copilot: Planted = {
  files: (base) => ({
    '.copilot/mcp-config.json': JSON.stringify({
      mcpServers: { planted: { type: 'local', tools: ['*'], ...server(base) } },
    }),
    '.copilot/hooks/planted.json': JSON.stringify({
      version: 1,
      hooks: { sessionStart: [{ type: 'command', bash: touch(base, 'hook') }] },
    }),
  }),
  traces: ['mcp', 'hook'],
  bare: ({ dir }) => ['-C', dir, '--allow-all', '--no-ask-user'],
};

const pi: Planted = {
  files: (base) => ({
    // Put together here, because this repository has no such exports.
    '.pi/agent/extensions/planted.ts': [
      "import { writeFileSync } from 'node:fs';",
      ['export', 'default', `() => writeFileSync('${tracePath(base, 'extension')}', '');`].join(' '),
      '',
    ].join('\n'),
  }),
  traces: ['extension'],
  bare: ({ model }) => ['-p', '--offline', '--provider', 'scripted', '--model', model],
};

const droid: Planted = {
  files: (base) => ({
    '.factory/settings.json': JSON.stringify({ hooks: { SessionStart: hook(base, 'hook') } }),
    '.factory/mcp.json': JSON.stringify({ mcpServers: { planted: { type: 'stdio', ...server(base) } } }),
  }),
  traces: ['hook', 'mcp'],
  bare: ({ model, dir }) => ['exec', '--skip-permissions-unsafe', '--cwd', dir, '--model', model],
};

export const planted: Readonly<Record<RealAgent['name'], Planted>> = {
  codex,
  claude,
  opencode,
  gemini,
  qwen,
  copilot,
  pi,
  droid,
};
