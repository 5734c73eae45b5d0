// Loaded into the program that is measured: what it has used by itself, without the processes it started.
const { writeFileSync } = require('node:fs');
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpu_ms: (userCPUTime + systemCPUTime) / 1000, peak_bytes: maxRSS * 1024 };
  writeFileSync(process.env.BENCH_USAGE, JSON.stringify(usage));
});
