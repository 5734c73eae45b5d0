/** `runner import`: open tasks of a file become nodes, as a person's commit, or queued while a loop is at work. */
import { loadInput } from '../../adapters/processes/editor.ts';
import { steer } from '../../app/person/queue.ts';
import { planEditOf } from '../../app/person/tree.ts';
import { RunnerError } from '../../core/errors.ts';
import { parseTasks } from '../../core/runs/import-tasks.ts';
import type { ImportedTasks } from '../../core/runs/import-tasks.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { TreeEdit } from '../../core/tree/tree-edit.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { textOf } from '../steer-options.ts';
import { printSteered } from '../steer-output.ts';
import { openPersonProject } from '../wire/person.ts';
import type { PersonProject } from '../wire/person.ts';

type Found = Extract<ImportedTasks, { ok: true }>;

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [path = ''] = call.args;
  const file = path === '-' ? 'stdin' : (path.split(/[/\\]/u).at(-1) ?? path);
  const found = parseTasks(await loadInput(path, settings.directory, 'runner import --help'), file);
  if (!found.ok) {
    const message = `${path} cannot be imported: ${found.message}`;
    throw new RunnerError({ code: 'USAGE', message, hint: 'runner help import' });
  }
  const project = await openPersonProject(settings);
  const parent = textOf(call, 'under') ?? (await project.trees.load()).id;
  const nodes = found.tasks.map(({ title, goal, acceptance }) => ({
    title,
    goal,
    acceptance: [...acceptance],
  }));
  const left_out = found.left_out.map((one) => ({ ...one }));
  if (!settings.quiet) {
    for (const { title, why } of found.left_out)
      settings.streams.err(`left out (${cleanLine(why)}): ${cleanLine(title)}\n`);
  }
  const edit: TreeEdit = { kind: 'import', parent, nodes, file };
  if (nodes.length === 0) printNothing(settings, found);
  else if (call.options['dryRun'] === true) await printPlan(settings, { project, edit, found });
  else
    printSteered(settings, 'import', await steer(project, { command: 'runner import', edit }), { left_out });
  return exitCodes.ok;
}

function printNothing(settings: Settings, { left_out }: Found): void {
  printLine(settings, `import: status=nothing tasks=0 left_out=${left_out.length}`, {
    command: 'import',
    status: 'nothing',
    left_out,
  });
}

async function printPlan(
  settings: Settings,
  {
    project,
    edit,
    found,
  }: { readonly project: PersonProject; readonly edit: TreeEdit; readonly found: Found },
): Promise<void> {
  const plan = await planEditOf(project, await project.trees.load(), edit);
  if (!plan.ok) throw new RunnerError(plan);
  const tasks = found.tasks.map(({ source_id, title }, at) => ({ id: plan.ids[at] ?? '', source_id, title }));
  if (!settings.quiet)
    for (const { id, title } of tasks) settings.streams.err(`${id}: ${cleanLine(title)}\n`);
  printLine(settings, `import: status=planned tasks=${tasks.length} left_out=${found.left_out.length}`, {
    command: 'import',
    status: 'planned',
    tasks,
    left_out: found.left_out,
  });
}
