/** Which file carries out which command. Each is loaded only when it is called: a quick command must not pay for a slow one. */
import type { CommandName } from './table/command-table.ts';
import type { CommandCall } from './program.ts';
import type { Settings } from './output/streams.ts';

type Run = (settings: Settings, call: CommandCall) => Promise<number>;

const loaders: Readonly<Record<CommandName, () => Promise<{ readonly run: Run }>>> = {
  init: () => import('./commands/init.ts'),
  start: () => import('./commands/start.ts'),
  validate: () => import('./commands/validate.ts'),
  select: () => import('./commands/select.ts'),
  status: () => import('./commands/status.ts'),
  tree: () => import('./commands/tree.ts'),
  log: () => import('./commands/log.ts'),
  explain: () => import('./commands/explain.ts'),
  step: () => import('./commands/step.ts'),
  loop: () => import('./commands/loop.ts'),
  retry: () => import('./commands/retry.ts'),
  edit: () => import('./commands/edit.ts'),
  add: () => import('./commands/add.ts'),
  move: () => import('./commands/move.ts'),
  drop: () => import('./commands/drop.ts'),
  import: () => import('./commands/import.ts'),
  questions: () => import('./commands/questions.ts'),
  answer: () => import('./commands/questions.ts'),
  pause: () => import('./commands/pause.ts'),
  'config list': () => import('./commands/config.ts'),
  'config get': () => import('./commands/config.ts'),
  'config set': () => import('./commands/config.ts'),
  'config unset': () => import('./commands/config.ts'),
  'run start': () => import('./commands/run-start.ts'),
  'run work': () => import('./commands/run-work.ts'),
  runs: () => import('./commands/runs.ts'),
  'run list': () => import('./commands/runs.ts'),
  'run show': () => import('./commands/run-show.ts'),
  'run attach': () => import('./commands/run-attach.ts'),
  'run cancel': () => import('./commands/run-cancel.ts'),
  'run resume': () => import('./commands/run-resume.ts'),
  finish: () => import('./commands/finish.ts'),
  update: () => import('./commands/update.ts'),
  plan: () => import('./commands/plan.ts'),
  audit: () => import('./commands/audit.ts'),
  abandon: () => import('./commands/abandon.ts'),
  clean: () => import('./commands/clean.ts'),
  'rescue list': () => import('./commands/rescue.ts'),
  'rescue show': () => import('./commands/rescue.ts'),
  'rescue restore': () => import('./commands/rescue.ts'),
  ui: () => import('./commands/ui.ts'),
  export: () => import('./commands/export.ts'),
  'eval report': () => import('./commands/eval-report.ts'),
  'eval compare': () => import('./commands/eval-compare.ts'),
  'eval list': () => import('./commands/eval-list.ts'),
  'eval run': () => import('./commands/eval-run.ts'),
  'eval merge': () => import('./commands/eval-merge.ts'),
  'eval fleet': () => import('./commands/eval-fleet.ts'),
  'eval import': () => import('./commands/eval-import.ts'),
  'eval clean': () => import('./commands/eval-clean.ts'),
  doctor: () => import('./commands/doctor.ts'),
  demo: () => import('./commands/demo.ts'),
  help: () => import('./commands/help.ts'),
  completion: () => import('./commands/completion.ts'),
  complete: () => import('./commands/complete.ts'),
  'run-demo-tests': () => import('./commands/run-demo-tests.ts'),
  'play-script': () => import('./commands/play-script.ts'),
  'try-escape': () => import('./commands/try-escape.ts'),
};

export async function dispatch(settings: Settings, call: CommandCall): Promise<number> {
  const { run } = await loaders[call.name]();
  return run(settings, call);
}
