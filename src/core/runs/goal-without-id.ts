/** GOAL.md without the id of a run that has ended (§12). Every other byte stays. */
import { parseGoal } from '../config/goal.ts';

/** The same text when it has another id, or when the id cannot be taken out without touching something else. */
export function withoutGoalId(text: string, id: string): string {
  const goal = goalOf(text);
  if (goal === null || goal.id !== id) return text;
  const front = text.slice(0, text.length - goal.body.length);
  const lines = front.split('\n').filter((line) => !/^(?:id|"id"|'id')[ \t]*:/u.test(line));
  const isEmpty = lines.every((line) => /^(?:---)?[ \t\r]*$/u.test(line));
  const rest = isEmpty ? '' : lines.join('\n');
  const changed = `${rest}${isEmpty ? goal.body.replace(/^(?:\r?\n)+/u, '') : goal.body}`;
  return goalOf(changed)?.id === null ? changed : text;
}

function goalOf(text: string): ReturnType<typeof parseGoal> | null {
  try {
    return parseGoal(text);
  } catch {
    // Front matter that cannot be read has no id that could be this run's.
    return null;
  }
}
