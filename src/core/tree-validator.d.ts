/** Type of tree-validator.js, which `node scripts/generate.mjs` writes from `schemas/`: on its own, because every command loads it. */
import type { Validator } from './shipped.js';
import type { TreeNode } from './types.ts';

export const validateTree: Validator<TreeNode>;
