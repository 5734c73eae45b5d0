// Renders vitest's JSON results as the one line CI ends with. A red run never says "0 failed": a step that failed
// outside the tests (install, demo, checks, coverage), or a test file that did not load, counts as one failure.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const [file, exitCode] = process.argv.slice(2);

function countTests() {
  let results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return { passed: 0, failed: 0 };
    throw error;
  }
  const tests = results.testResults.flatMap((suite) => suite.assertionResults);
  const broken = results.testResults.filter(
    (suite) => suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: tests.filter((test) => test.status === 'passed').length,
    failed: tests.filter((test) => test.status === 'failed').length + broken.length,
  };
}

const { passed, failed } = countTests();
if (exitCode !== '0' && failed === 0)
  console.log(`a step outside the tests failed with exit code ${exitCode}`);
console.log(`${passed} passed, ${exitCode === '0' ? failed : Math.max(failed, 1)} failed`);
