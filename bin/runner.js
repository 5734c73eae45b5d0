#!/usr/bin/env node
// Starts the bundled command line. Holds no behaviour of its own: it only refuses a Node that is too old and a checkout
// that was never built, in words, before any newer syntax is read (hence no static import and no top-level await).
import { existsSync } from 'node:fs';

const bundle = new URL('../dist/main.js', import.meta.url);
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  refuse(
    `runner needs Node 20.19 or newer; this is ${process.versions.node}. Newer ones: https://nodejs.org`,
  );
} else if (!existsSync(bundle)) {
  refuse('runner is not built: dist/main.js is missing. Build it with: npm run build');
} else {
  void start();
}

async function start() {
  const { main } = await import(bundle.href);
  await main();
}

function refuse(message) {
  console.error(message);
  process.exitCode = 1;
}
