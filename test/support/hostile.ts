/** Text that would act on a page, a terminal or a reader if anything let it, planted wherever an agent can put text. */
import { metaWith } from './iteration-metas.ts';
import type { Project } from './project.ts';
import { node } from './trees.ts';

/** Sets a mark when it runs, in whatever way. */
const act = 'window.wasActed=1';

/** Each keeps its own word, so that a test can see that it is shown. */
export const hostileTexts: readonly string[] = [
  `<script>${act}</script>`,
  `</script><script>${act}</script>`,
  `<img src=x onerror=${act}>`,
  `"><svg onload=${act}>`,
  `' onmouseover='${act}`,
  `<iframe srcdoc="<script>parent.${act}</script>">`,
  `<a href="javascript:${act}">press</a>`,
  `<style>*{display:none}</style>`,
  `<link rel=stylesheet href=//evil.invalid/x.css>`,
  `<base href=//evil.invalid/><form action=//evil.invalid><input autofocus onfocus=${act}>`,
  `<!-- --><math><mtext></p><img src=//evil.invalid/x>`,
  `<template><script>${act}</script></template>`,
  `{{constructor.constructor('${act}')()}}`,
  `\${${act}}`,
  `\u001B[2J\u001B[31;5mred\u001B]8;;https://evil.invalid\u0007link\u001B]8;;\u0007\u001B[8mhidden`,
  `\u001B]0;title\u0007\u009B31mC1\u0090dcs\u009C`,
  `\u202Eesrever\u202C \u2066isolate\u2069`,
  `zero\u200Bwidth\u200D\u2060\uFEFF joiner`,
  `\u{E0041}\u{E0042}tags and \uFFFE`,
  `line\u2028separator\rreturn\bback`,
  'x'.repeat(1_000_000),
  `stacked e${'\u0301\u0489'.repeat(200)} marks`,
].map((text, index) => `word${index}y ${text}`);

export function wordOf(index: number): string {
  return `word${index}y`;
}

/** Records and answers have a length; the runner writes none that is longer. */
function bounded(text: string): string {
  return text.slice(0, 10_000);
}

/** Nodes and iterations, one for each text. */
export function plantHostile(made: Project): void {
  const tree = node('root', {
    children: hostileTexts.map((text, index) =>
      node(`root.${index}`, { order: index, title: text, goal: text, acceptance: [text] }),
    ),
  });
  made.put('.runner/state/tree.json', JSON.stringify(tree));
  hostileTexts.forEach((text, index) => {
    const place = (name: string): string => `.runner/iterations/test/${index + 1}/${name}`;
    const meta = metaWith({
      run_id: 'test',
      iter: index + 1,
      node_id: `root.${index}`,
      node_path: `root/root.${index}`,
      agent: {
        name: text.slice(0, 200),
        version: null,
        model: text.slice(0, 200),
        effort: text.slice(0, 200),
      },
      notes: [bounded(text)],
    });
    const event = { v: 1, seq: 1, at: meta.started_at, session: 1, role: 'agent' };
    const path = text.slice(0, 60).replaceAll(/[\n\r]/g, ' ');
    made.put(place('meta.json'), JSON.stringify(meta));
    made.put(
      place('output.json'),
      JSON.stringify({ status: 'done', summary: bounded(text), children: null }),
    );
    made.put(place('prompt.md'), `# prompt\n${text}\n`);
    made.put(place('executor.log'), `before\n${text}\nafter\n`);
    made.put(place('guard.log'), `before\nerror: ${text}\nafter\n`);
    made.put(
      place('events.jsonl'),
      `${JSON.stringify({ ...event, type: 'message', text: bounded(text), partial: false })}\n${JSON.stringify({ ...event, seq: 2, type: 'tool_call', id: '1', tool: bounded(text), detail: bounded(text) })}\n`,
    );
    made.put(
      place('diff.patch'),
      `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`,
    );
    made.put(place('tree.before.json'), JSON.stringify(node('root', { children: [node('root.0')] })));
    made.put(
      place('tree.after.json'),
      JSON.stringify(node('root', { children: [node('root.0', { title: text, goal: text })] })),
    );
  });
  const all = hostileTexts.map((text) => `- ${text.slice(0, 2000)}`).join('\n');
  for (const name of ['assumptions', 'questions', 'feedback', 'improvements'])
    made.put(`.runner/state/${name}.md`, `# x\n\n${all}\n`);
}
