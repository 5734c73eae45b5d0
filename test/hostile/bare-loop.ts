/**
 * The control for defences that cannot be switched off: what a plain shell loop around an agent would do. It runs the session and the
 * guard, marks the first leaf as passed where the guard is green, and commits with plain git.
 */
import { join } from 'node:path';
import { runProgram } from './world.ts';
import type { Place, Ran } from './world.ts';

const words = `
sh "$HOME/agent.sh"
git show "HEAD:$PREFIX.runner/state/tree.json" > "$HOME/tree.json" && cp "$HOME/tree.json" .runner/state/tree.json
if "$@" < /dev/null; then
  node -e '
    const fs = require("node:fs");
    const tree = JSON.parse(fs.readFileSync(process.argv[1], "utf8"));
    tree.children[0].passes = true;
    fs.mkdirSync(".runner/iterations/test/1", { recursive: true });
    fs.writeFileSync(".runner/iterations/test/1/guard.log", "green");
    fs.writeFileSync(".runner/state/tree.json", JSON.stringify(tree));
  ' "$HOME/tree.json"
  guard=pass
else
  guard=fail
fi
git status --porcelain > /dev/null
git add -A && git commit -q -m "chore(loop): run test iter 1 node a status=done guard=$guard" || exit 1
git log -1 -p > /dev/null
`;

export async function runBareLoop(place: Place, limitSecs: number): Promise<Ran> {
  const guard = place.world.guard ?? ['sh', 'check.sh'];
  const env = {
    ...place.env,
    RUNNER_OUTPUT: join(place.base, 'answer.json'),
    RUNNER_ITER: '1',
    PREFIX: place.world.prefix ?? '',
  };
  return runProgram({ program: 'sh', args: ['-c', words, 'sh', ...guard], cwd: place.dir, env, limitSecs });
}
