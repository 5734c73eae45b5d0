/** The names of unfinished writes, so that leftovers of a crash can be told from other files. */

const stagePattern = /^\.runner-stage-[0-9a-f]{32}$/;

export function isStageName(name: string): boolean {
  return stagePattern.test(name);
}
