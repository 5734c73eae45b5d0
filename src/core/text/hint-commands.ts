/** The commands inside a hint, so that a page can offer them one by one. A hint is written by the runner; what is no command stays text. Pure. */

/** Programs that hints name. */
const programs = 'runner|git|cd|npm|chmod|codex|opencode|copilot';
const command = new RegExp(
  String.raw`(?:^|: |, |\()((?:RUNNER_[A-Z_]+=\S+ )?(?:${programs}) .+?)(?=, then\b|, or\b| \(|\)|$)`,
  'gu',
);

/** In their order; none: it is not a command that helps. A command with a gap (`<seconds>`) is one to be completed. */
export function listCommands(hint: string): readonly string[] {
  return [...hint.matchAll(command)].map(([, found = '']) => found.trim());
}
