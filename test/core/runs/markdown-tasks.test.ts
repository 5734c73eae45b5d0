/** Tasks in Markdown (§12): items of a checklist, or headings. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTasks } from '../../../src/core/runs/import-tasks.ts';
import { parseMarkdownTasks } from '../../../src/core/runs/markdown-tasks.ts';

describe('Markdown', () => {
  test('a checklist: outermost items, what is indented belongs to them', () => {
    const text = `# Plan
\`\`\`
- [ ] only an example
\`\`\`
- [ ] First thing
  It needs care.
  - [x] has a test
  - and a page

  \`\`\`
  - code
  \`\`\`
1. [x] Old thing
   with text
Some text in between.
  - stray
* [X] Older
- [ ] Last  `;
    expect(parseTasks(text, 'todo.md')).toEqual({
      ok: true,
      tasks: [
        {
          source_id: null,
          title: 'First thing',
          goal: 'It needs care.\n\n```\n- code\n```',
          acceptance: ['has a test', 'and a page'],
        },
        { source_id: null, title: 'Last', goal: 'Last', acceptance: [] },
      ],
      left_out: [
        { source_id: null, title: 'Old thing', why: 'checked' },
        { source_id: null, title: 'Older', why: 'checked' },
      ],
    });
  });

  test('headings: the highest level that is there more than once', () => {
    const text =
      '# Product\nintro\n## Login\nUsers log in.\n- works\n### Detail\nmore\n## [x] Old\n# Appendix\n## Last ##\n##  \n';
    expect(parseTasks(text, 'prd.md')).toMatchObject({
      tasks: [
        { title: 'Product', goal: expect.stringContaining('intro') as string, acceptance: ['works'] },
        { title: 'Appendix' },
      ],
    });
    expect(parseTasks(text.replace('# Appendix\n', ''), 'prd.md')).toEqual({
      ok: true,
      tasks: [
        { source_id: null, title: 'Login', goal: 'Users log in.\n### Detail\nmore', acceptance: ['works'] },
        { source_id: null, title: 'Last', goal: 'Last', acceptance: [] },
      ],
      left_out: [{ source_id: null, title: 'Old', why: 'checked' }],
    });
    const parts = '# A\n## One\ntext\n# B\n## Two\n';
    expect(parseTasks(parts, 'x.md')).toMatchObject({ tasks: [{ title: 'A' }, { title: 'B' }] });
    expect(parseTasks('# Title\n## Only task\n', 'x.md')).toMatchObject({ tasks: [{ title: 'Only task' }] });
    expect(parseTasks('# Title\n### A\n## B\n### C\n', 'x.md')).toMatchObject({
      tasks: [{ title: 'A' }, { title: 'C' }],
    });
  });

  test('neither', () => {
    expect(parseMarkdownTasks('only words')).toMatchObject({ ok: false });
  });

  test('no text makes it throw', () => {
    const line = fc.constantFrom(
      '- [ ] a',
      '  - [x] b',
      '# c',
      '## d',
      '```',
      'text',
      '  - e',
      '',
      '## [x]  ',
    );
    fc.assert(
      fc.property(fc.array(line), fc.string(), (lines, more) => {
        const found = parseTasks([...lines, more].join('\n'), 'a.md');
        expect(found.ok ? found.tasks.every(({ title, goal }) => title !== '' && goal !== '') : true).toBe(
          true,
        );
      }),
    );
  });
});
