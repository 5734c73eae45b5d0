/** The files of `.runner/` that are the runner's own: rewritten by `init --force` and kept current by `start`. */
import { gitattributesText, gitignoreText } from './initial-files.ts';
import { agentOutputSchemaText, configSchemaText, scriptSchemaText, treeSchemaText } from '../shipped.js';

export function runnerFiles(): Readonly<Record<string, string>> {
  return {
    '.gitignore': gitignoreText,
    '.gitattributes': gitattributesText,
    'state/schema.json': treeSchemaText,
    'state/agent_output.schema.json': agentOutputSchemaText,
    'state/config.schema.json': configSchemaText,
    'state/script.schema.json': scriptSchemaText,
  };
}
