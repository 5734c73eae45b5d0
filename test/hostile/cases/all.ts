/** Every attack, in the order of the table. */
import type { HostileCase } from '../case.ts';
import { codeCases } from './code.ts';
import { conversionCases } from './conversions.ts';
import { deadEndCases } from './dead-ends.ts';
import { filterCases } from './filters.ts';
import { guardCases } from './guards.ts';
import { hiddenCases } from './hidden.ts';
import { historyCases, journalCases } from './history.ts';
import { objectCases } from './objects.ts';
import { outsideCases } from './outside.ts';
import { pipeCases } from './pipes.ts';
import { processCases } from './processes.ts';
import { refCases } from './refs.ts';

export const allCases: readonly HostileCase[] = [
  ...filterCases,
  ...conversionCases,
  ...hiddenCases,
  ...historyCases,
  ...objectCases,
  ...journalCases,
  ...guardCases,
  ...codeCases,
  ...refCases,
  ...outsideCases,
  ...pipeCases,
  ...deadEndCases,
  ...processCases,
];
