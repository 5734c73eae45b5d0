/** One report in the format a person asked for. Which formats there are is in reporters.ts. */
import { renderEvalHtml } from './html.ts';
import type { PageTools } from './html.ts';
import { renderEvalJunit } from './junit.ts';
import { renderEvalMarkdown } from './markdown.ts';
import { reportValue } from './report.ts';
import type { EvalReport } from './report.ts';
import type { ReporterName } from './reporters.ts';
import { renderEvalText } from './text.ts';

/** A comparison has no JUnit form: its tests would be neither side's. */
export function renderEvalReport(name: ReporterName, report: EvalReport, tools: PageTools): string {
  switch (name) {
    case 'text':
      return renderEvalText(report);
    case 'json':
      return `${JSON.stringify(reportValue(report, []))}\n`;
    case 'junit':
      return report.kind === 'report' ? renderEvalJunit(report) : '';
    case 'markdown':
      return renderEvalMarkdown(report);
    case 'html':
      return renderEvalHtml(report, tools);
  }
}
