/** Every cap that is not a setting, units last (§3, §5, §8). */

export const treeDepthMax = 64;
export const treeNodesMax = 100_000;
export const treeBytesMax = 64 * 1024 * 1024;
/** Trees in the log of a run: as many iterations as fit, and at least the newest. Older ones are in the commits. */
export const treeLogBytesMax = 64 * 1024 * 1024;
export const treeLogsMin = 2;
/** JSON nesting a reader follows before it gives up: twice the tree depth and some room for wrong shapes. */
export const jsonDepthMax = 256;
export const idLengthMax = 128;
export const titleBytesMax = 200;
export const nodeTextBytesMax = 8 * 1024;
export const summaryBytesMax = 8 * 1024;
export const answerBytesMax = 64 * 1024;
export const lastRecordBytesMax = 32 * 1024;
export const guardExcerptBytesMax = 20 * 1024;
export const errorTextBytesMax = 6 * 1024;
export const rejectedTreeBytesMax = 1024 * 1024;
export const violationsShownMax = 50;
export const dirtyPathsShownMax = 20;
/** `diff.patch` of one iteration. */
export const diffBytesMax = 4 * 1024 * 1024;
/** Changed tool files in meta.json; the commit has fewer. */
export const toolFilesMax = 100;
export const logDiskBytesMax = 2 * 1024 * 1024 * 1024;
/** An agent that asked its model this often without a word in between is ended. */
export const agentRetriesMax = 20;
/** `events.jsonl` of one iteration; what comes later is only in executor.log. */
export const eventLogBytesMax = 32 * 1024 * 1024;
export const stateFileBytesMax = 16 * 1024 * 1024;
export const textFileBytesMax = 1024 * 1024;
export const guardCutOffsMax = 2;
