/** What is recorded of a prompt besides its text. Types only. */

/** A section that did not fit the budget, and how many bytes of its text were left out (§6). */
export interface PromptCut {
  readonly section: string;
  readonly bytes: number;
}

export interface PromptFacts {
  /** Hash of the prompt without what depends on the agent and its sandbox, for replays; empty: not known. */
  readonly task_sha256: string;
  readonly prompt_cut: readonly PromptCut[];
}
