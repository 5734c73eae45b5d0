// `npm run test:ui-load`: 64 pages follow a project that is written to all the time, for two minutes; some of them go and come back.
// Each must know the last state in the end, and the server's memory must stay flat. RUNNER_UI_LOAD_SECS changes the time.
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const seconds = Number(process.env.RUNNER_UI_LOAD_SECS ?? 120);
const clientCount = 64;
/** The others stay connected. */
const comingAndGoing = 16;
const growthMaxKib = 24 * 1024;
const entry = path.join(import.meta.dirname, '..', '..', 'bin', 'runner.js');
const folder = mkdtempSync(path.join(tmpdir(), 'runner-ui-load-'));
const state = path.join(folder, '.runner', 'state');
mkdirSync(state, { recursive: true });
const log = (iter) => path.join(folder, '.runner', 'iterations', 'load', String(iter), 'executor.log');

async function startServer() {
  const server = spawn(process.execPath, [entry, 'ui', '-C', folder, '--port', '0', '--json', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve) => {
    server.stdout.once('data', resolve);
  });
  return { server, port: JSON.parse(line).port };
}

/** A page: what it was told about sizes and ends; after a resync it loads everything. */
function openClient(port, isComingAndGoing) {
  const client = {
    sizes: new Map(),
    ended: new Set(),
    trees: 0,
    events: 0,
    resyncs: 0,
    connections: 0,
    refused: 0,
  };
  let lastId = null;
  let request = null;
  const take = (block) => {
    const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const [name, id] = [field('event'), field('id')];
    if (id !== undefined) lastId = id;
    if (name === undefined) return;
    const data = JSON.parse(field('data'));
    client.events += 1;
    if (name === 'resync') {
      client.resyncs += 1;
      void reload();
    }
    if (name === 'tree_changed') client.trees += 1;
    if (name === 'stream_updated') client.sizes.set(`${data.iter}/${data.file}`, data.bytes);
    if (name === 'iteration_completed') client.ended.add(data.iter);
  };
  const reload = async () => {
    const { runs } = await load(port, '/api/runs');
    for (const { iter, is_complete } of runs[0]?.rows ?? []) {
      if (is_complete) client.ended.add(iter);
      const { files } = await load(port, `/api/iterations/load/${iter}`);
      for (const { name, bytes } of files) {
        const key = `${iter}/${name}`;
        client.sizes.set(key, Math.max(bytes, client.sizes.get(key) ?? 0));
      }
    }
  };
  client.connect = () => {
    client.connections += 1;
    const headers = lastId === null ? {} : { 'last-event-id': lastId };
    request = get({ host: '127.0.0.1', port, path: '/events', agent: false, headers }, (response) => {
      if (response.statusCode !== 200) {
        client.refused += 1;
        response.resume();
        setTimeout(() => client.connect(), 500);
        return;
      }
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        const blocks = `${rest}${piece}`.split('\n\n');
        rest = blocks.pop();
        blocks.forEach(take);
      });
      response.on('error', () => {});
    });
    request.on('error', () => {});
  };
  client.drop = () => request.destroy();
  client.isComingAndGoing = isComingAndGoing;
  client.connect();
  return client;
}

function load(port, where) {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: where, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => (text += piece));
      response.on('end', () => resolve(JSON.parse(text)));
    }).on('error', reject);
  });
}

function rssKib(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

const node = (title) =>
  JSON.stringify({
    id: 'root',
    order: 0,
    title,
    goal: 'g',
    acceptance: [],
    passes: false,
    attempts: 0,
    max_attempts: 3,
    children: [],
  });

/** About a thousand writes a second: a growing log, the tree replaced, a new iteration every second. */
async function writeAll(isOver, onSecond) {
  let [writes, iter] = [0, 0];
  const sizes = new Map();
  for (const startedMs = performance.now(); !isOver();) {
    const second = Math.floor((performance.now() - startedMs) / 1000) + 1;
    if (second > iter) {
      if (iter > 0) {
        const meta = path.join(path.dirname(log(iter)), 'meta.json');
        writeFileSync(`${meta}.new`, '{}');
        renameSync(`${meta}.new`, meta);
      }
      iter = second;
      mkdirSync(path.dirname(log(iter)), { recursive: true });
      onSecond(second);
    }
    for (let each = 0; each < 10; each += 1) {
      const line = `line ${(writes += 1)}\n`;
      appendFileSync(log(iter), line);
      sizes.set(iter, (sizes.get(iter) ?? 0) + line.length);
    }
    writeFileSync(path.join(state, 'tree.json.new'), node(String(writes)));
    renameSync(path.join(state, 'tree.json.new'), path.join(state, 'tree.json'));
    await sleep(10);
  }
  return { writes, iter, sizes };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const { server, port } = await startServer();
try {
  const clients = Array.from({ length: clientCount }, (_, index) => openClient(port, index < comingAndGoing));
  const memory = [];
  const untilMs = performance.now() + seconds * 1000;
  const { writes, iter, sizes } = await writeAll(
    () => performance.now() > untilMs,
    (second) => {
      memory.push(rssKib(server.pid));
      for (const [index, client] of clients.entries()) {
        if (!client.isComingAndGoing || (second + index) % 5 !== 0) continue;
        client.drop();
        setTimeout(() => client.connect(), 100 + 50 * index);
      }
    },
  );
  const knows = (client) =>
    [...sizes].every(([each, bytes]) => client.sizes.get(`${each}/executor.log`) === bytes) &&
    Array.from({ length: iter - 1 }, (_, index) => index + 1).every((each) => client.ended.has(each));
  for (let waited = 0; waited < 100 && !clients.every(knows); waited += 1) await sleep(100);
  const behind = clients.filter((client) => !knows(client)).length;
  const third = Math.max(1, Math.floor(memory.length / 3));
  const [early, late] = [median(memory.slice(third, 2 * third)), median(memory.slice(-third))];
  const sum = (key) => clients.reduce((total, client) => total + client[key], 0);
  const report = {
    seconds,
    clients: clientCount,
    writes,
    iterations: iter,
    events_each: Math.round(sum('events') / clientCount),
    connections: sum('connections'),
    resyncs: sum('resyncs'),
    refused: sum('refused'),
    clients_behind_in_the_end: behind,
    rss_mib: {
      first: memory[0] / 1024,
      middle: early / 1024,
      last: late / 1024,
      most: Math.max(...memory) / 1024,
    },
  };
  console.log(JSON.stringify(report, null, 2));
  if (behind > 0 || late - early > growthMaxKib) process.exitCode = 1;
  for (const client of clients) client.drop();
} finally {
  server.kill('SIGINT');
  rmSync(folder, { recursive: true, force: true });
}
