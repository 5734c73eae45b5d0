#!/usr/bin/env node
// Starts the bundled command line. Holds no behaviour of its own: it only refuses a Node that is too old and a checkout
// that was never built, in words, before any newer syntax is read. CommonJS (bin/package.json), because Node starts that sooner.
'use strict';

const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const bundle = join(__dirname, '..', 'dist', 'main.js');
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  refuse(
    `runner needs Node 20.19 or newer; this is ${process.versions.node}. Newer ones: https://nodejs.org`,
  );
} else if (!existsSync(bundle)) {
  refuse('runner is not built: dist/main.js is missing. Build it with: npm run build');
} else {
  // Since Node 22, for the next start. Beside the program: whoever could change the cache could change the program, too.
  enableCompileCache?.(join(__dirname, '..', '.cache', 'compiled'));
  void require(bundle).main();
}

function refuse(message) {
  console.error(message);
  process.exitCode = 1;
}
