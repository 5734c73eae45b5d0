/** `serve scenario.json [port]`: the scripted model from a shell. One line on stdout for each request. */
import { readFileSync } from 'node:fs';
import { startModelServer } from './model-server.ts';
import type { Scenario } from './scenario.ts';

const [file = '/dev/stdin', port = '0'] = process.argv.slice(2);
const scenario = JSON.parse(readFileSync(file, 'utf8')) as Scenario;
const server = await startModelServer(scenario, {
  port: Number(port),
  onRequest: ({ method, path, kind, place }) => {
    console.log(JSON.stringify({ method, path, kind, place }));
  },
});
console.log(server.url);
process.once('SIGTERM', () => void server.close());
process.once('SIGINT', () => void server.close());
