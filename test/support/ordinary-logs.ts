/** Lines of logs as people see them every day, full of hashes, ids and encoded bytes, with nothing to hide in them. */
import { createHash } from 'node:crypto';

type Draw = (max: number) => number;

/** The same lines for the same seed. */
export function ordinaryLines(
  count: number,
  seed = 1,
): readonly { readonly kind: string; readonly line: string }[] {
  let state = seed;
  const draw: Draw = (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % max;
  };
  const kinds = Object.entries(writers);
  return Array.from({ length: count }, (_, index) => {
    const [kind, write] = kinds[index % kinds.length] as [string, (draw: Draw) => string];
    return { kind, line: write(draw) };
  });
}

const bytes = (draw: Draw, length: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, () =>
      createHash('sha256')
        .update(String(draw(2 ** 31)))
        .digest(),
    ),
  ).subarray(0, length);
const hex = (draw: Draw, length: number): string =>
  bytes(draw, Math.ceil(length / 2))
    .toString('hex')
    .slice(0, length);
const base64 = (draw: Draw, length: number): string => bytes(draw, length).toString('base64');
const pick = <T>(draw: Draw, all: readonly T[]): T => all[draw(all.length)] as T;
const version = (draw: Draw): string => `${draw(20)}.${draw(30)}.${draw(40)}`;
const uuid = (draw: Draw): string =>
  hex(draw, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
const time = (draw: Draw): string => new Date(1.76e12 + draw(1e9)).toISOString();
const words = [
  'parser',
  'token',
  'auth',
  'api',
  'keyboard',
  'tree',
  'access',
  'session',
  'secret',
  'cache',
  'index',
];
const names = [
  'react',
  '@babel/core',
  'jsonwebtoken',
  'api-keys',
  'tokenizers',
  'keyv',
  'oauth-sign',
  'access-control',
];
const name = (draw: Draw): string => pick(draw, names);
const word = (draw: Draw): string => pick(draw, words);
const file = (draw: Draw): string => `src/${word(draw)}/${word(draw)}-${word(draw)}.ts`;

const writers: Readonly<Record<string, (draw: Draw) => string>> = {
  'git log': (draw) => `commit ${hex(draw, 40)} (HEAD -> main, tag: v${version(draw)})`,
  'git log, short': (draw) =>
    `${hex(draw, 9)} fix(${word(draw)}): ${word(draw)} of the ${word(draw)} key is lost (#${draw(9999)})`,
  'git diff': (draw) => `index ${hex(draw, 11)}..${hex(draw, 11)} 100644`,
  'git tree': (draw) => `100644 blob ${hex(draw, 40)}    ${file(draw)}`,
  'git push': (draw) => `   ${hex(draw, 7)}..${hex(draw, 7)}  runner/${word(draw)} -> runner/${word(draw)}`,
  'npm ci': (draw) =>
    `npm http fetch GET 200 https://registry.npmjs.org/${name(draw)}/-/x-${version(draw)}.tgz ${draw(900)}ms (cache hit)`,
  'package-lock': (draw) => `      "integrity": "sha512-${base64(draw, 64)}",`,
  'package-lock, resolved': (draw) =>
    `      "resolved": "https://registry.npmjs.org/${name(draw)}/-/${word(draw)}-${version(draw)}.tgz",`,
  'yarn lock': (draw) =>
    `  resolved "https://registry.yarnpkg.com/${name(draw)}/-/x-${version(draw)}.tgz#${hex(draw, 40)}"`,
  'pnpm lock': (draw) => `    resolution: {integrity: sha512-${base64(draw, 64)}}`,
  'cargo build': (draw) => `   Compiling ${word(draw)}-${word(draw)} v${version(draw)} (/srv/${word(draw)})`,
  'cargo lock': (draw) => `checksum = "${hex(draw, 64)}"`,
  'cargo git': (draw) =>
    `source = "git+https://github.com/x/${word(draw)}?rev=${hex(draw, 8)}#${hex(draw, 40)}"`,
  'go sum': (draw) => `github.com/${word(draw)}/${word(draw)} v${version(draw)} h1:${base64(draw, 32)}`,
  'go test': (draw) => `--- PASS: Test${word(draw)}Key (0.${draw(99)}s)`,
  'go panic': (draw) =>
    `goroutine ${draw(99)} [running]: main.${word(draw)}(0x${hex(draw, 12)}, 0x${hex(draw, 4)})`,
  pytest: (draw) => `tests/test_${word(draw)}.py::test_${word(draw)}_token PASSED [ ${draw(99)}%]`,
  'pytest, failure': (draw) => `E       AssertionError: assert '${hex(draw, 32)}' == '${hex(draw, 32)}'`,
  'pip install': (draw) => `    --hash=sha256:${hex(draw, 64)} \\`,
  tsc: (draw) =>
    `${file(draw)}(${draw(300)},${draw(90)}): error TS${2000 + draw(900)}: Property 'apiKey' does not exist on type 'Token'.`,
  vitest: (draw) => ` ✓ test/${word(draw)}.test.ts > the token of a ${word(draw)} key (${draw(900)} ms)`,
  'source code': (draw) => `  const ${word(draw)}Token = await ${word(draw)}.access(key, ${draw(99)});`,
  'source code, environment': (draw) =>
    pick(draw, [
      'const apiKey = process.env.API_KEY;',
      'password = os.environ["DB_PASSWORD"]',
      'token: ${{ secrets.GITHUB_TOKEN }}',
      'export TOKEN="$(cat token.txt)"',
      'API_KEY=<your-api-key>',
      'Authorization: Bearer $TOKEN',
      'secret: ${SECRET_VALUE}',
    ]),
  'stack trace': (draw) =>
    `    at ${word(draw)}.loadAccessToken (file:///app/node_modules/${name(draw)}/dist/index.js:${draw(900)}:${draw(90)})`,
  'docker build': (draw) =>
    `#${draw(20)} sha256:${hex(draw, 64)} ${draw(90)}.${draw(9)}MB / ${draw(90)}.0MB ${draw(9)}.2s done`,
  'docker image': (draw) => `registry.test/${word(draw)}@sha256:${hex(draw, 64)}`,
  'github actions': (draw) => `Cache restored from key: Linux-node-${hex(draw, 64)}`,
  'cache key': (draw) => `Cache key: v2-deps-${hex(draw, 64)}`,
  'cache entry': (draw) => `cache miss key=${hex(draw, 40)} access=${uuid(draw)}`,
  'build cache': (draw) => `@x/${word(draw)}:build: cache hit, replaying logs ${hex(draw, 16)}`,
  'github actions, uses': (draw) => `      - uses: actions/${word(draw)}@${hex(draw, 40)} # v${draw(9)}`,
  'application log': (draw) =>
    JSON.stringify({
      time: time(draw),
      level: 'info',
      trace_id: hex(draw, 32),
      span_id: hex(draw, 16),
      request_id: uuid(draw),
      msg: `${word(draw)} done`,
    }),
  'application log, key': (draw) => `${time(draw)} INFO cache key=user:${draw(99999)}:profile hit=true`,
  'database log': (draw) => `DETAIL:  Key (id)=(${uuid(draw)}) already exists.`,
  'access log': (draw) =>
    `10.0.${draw(255)}.${draw(255)} - - [18/Nov/2026:03:08:59 +0000] "GET /api/${word(draw)}/${uuid(draw)} HTTP/1.1" 200 ${draw(9999)}`,
  headers: (draw) => `< etag: W/"${hex(draw, 4)}-${base64(draw, 20)}"`,
  html: (draw) =>
    `<script src="/app.${hex(draw, 8)}.js" integrity="sha384-${base64(draw, 48)}" crossorigin></script>`,
  'image in base64': (draw) =>
    `background: url(data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${base64(draw, 150)})`,
  'source map': (draw) =>
    `//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpb${base64(draw, 90)}`,
  certificate: (draw) => `MIID${base64(draw, 45).slice(0, 60)}`,
  'public key': (draw) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(draw, 32)} me@host`,
  'key fingerprint': (draw) => `256 SHA256:${base64(draw, 32).slice(0, 43)} me@host (ED25519)`,
  uuid: (draw) => `created ${word(draw)} ${uuid(draw)} for account ${uuid(draw)}`,
  md5: (draw) => `${hex(draw, 32)}  dist/${word(draw)}.js`,
  sha256: (draw) => `${hex(draw, 64)}  ${word(draw)}-${version(draw)}.tar.gz`,
  terraform: (draw) =>
    `aws_${word(draw)}.main: Creation complete after ${draw(9)}s [id=${word(draw)}-${hex(draw, 17)}]`,
  kubernetes: (draw) => `${word(draw)}-${hex(draw, 10)}-${hex(draw, 5)}   1/1   Running   0   ${draw(90)}m`,
  'tokens of a model': (draw) =>
    `tokens: input=${draw(99999)} output=${draw(9999)} max_tokens=${4096 + draw(9)} cost_usd=0.${draw(99)}`,
  yaml: (draw) => `  primary_key: ${word(draw)}_id_${draw(99)}`,
  'agent event': (draw) =>
    JSON.stringify({
      type: 'tool_use',
      id: `toolu_01${base64(draw, 16).replaceAll(/\W/g, 'a').slice(0, 22)}`,
      input: { command: `grep -rn "token" ${file(draw)}\n` },
    }),
  'session id': (draw) =>
    JSON.stringify({ type: 'system', session_id: uuid(draw), model: 'claude-opus', tools: ['Bash', 'Edit'] }),
  minified: (draw) =>
    `!function(e,t){"use strict";var n=t.key||"${word(draw)}";e.exports=function(r){return r.token===n?${draw(99)}:0x${hex(draw, 6)}}}(module,{});`,
  coloured: (draw) =>
    `\u001b[32m✔\u001b[39m ${word(draw)} \u001b[2m${hex(draw, 8)}\u001b[22m in ${draw(900)} ms`,
  'windows path': (draw) =>
    `C:\\Users\\me\\AppData\\Local\\npm-cache\\_cacache\\content-v2\\sha512\\${hex(draw, 2)}\\${hex(draw, 2)}\\${hex(draw, 124)}`,
};
