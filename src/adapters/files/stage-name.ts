/** By which names unfinished writes are known, so that what a crash left of them can be told from files. */

const stagePattern = /^\.runner-stage-[0-9a-f]{32}$/;

export function isStageName(name: string): boolean {
  return stagePattern.test(name);
}
