/**
 * The plots of the eval page as SVG. Each stretches with its row and shows what the text beside it says, so a reader without pictures loses
 * nothing; the outcome cells carry a sign besides their colour.
 */
import { evalOutcomes } from './summary.ts';
import { outcomeWords } from './words.ts';
import type { EvalOutcome } from '../cases/types.ts';
import { escapeHtml } from '../../core/text/markup.ts';
import type { Interval, Spread } from './statistics.ts';

/** Stretched to the width of its place; strokes keep their width. */
function strip(inside: readonly string[]): string {
  return `<svg class="strip" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">${inside.join('')}</svg>`;
}

function x(share: number): string {
  return String(Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100);
}

const quarters = [0, 0.25, 0.5, 0.75, 1];

function grid(): string {
  return `<path class="grid" d="${quarters.map((share) => `M${x(share)} 0V20`).join('')}"/>`;
}

/** A point: a line without length and with round ends stays round however its picture is stretched. */
function dots(name: string, shares: readonly number[], y: number): string {
  return `<path class="${name}" d="${shares.map((share) => `M${x(share)} ${y}h.001`).join('')}"/>`;
}

export interface RateMark {
  readonly rate: number | null;
  readonly interval: Interval | null;
  /** A band around the other interval. */
  readonly clustered?: Interval | null;
  /** Told apart without colours: the second of two. */
  readonly isHollow?: boolean;
}

/** A rate with its intervals on an axis from 0 to 1; nothing judged, nothing drawn but the axis. */
export function renderRateStrip({ rate, interval, clustered = null, isHollow = false }: RateMark): string {
  if (rate === null || interval === null) return strip([grid()]);
  const { low, high } = interval;
  const ends = `M${x(low)} 5V15M${x(high)} 5V15M${x(low)} 10H${x(high)}`;
  return strip([
    grid(),
    ...(clustered === null ? [] : [`<path class="band" d="M${x(clustered.low)} 10H${x(clustered.high)}"/>`]),
    `<path class="whisker" d="${ends}"/>`,
    dots('point', [rate], 10),
    ...(isHollow ? [dots('hole', [rate], 10)] : []),
  ]);
}

export interface Distribution {
  readonly values: readonly number[];
  readonly spread: Spread | null;
  /** Right end of the axis. */
  readonly max: number;
}

/** Every value as a point, with a box from quartile to quartile and a line at the median. */
export function renderSpreadStrip({ values, spread, max }: Distribution): string {
  if (spread === null) return strip([grid()]);
  const at = (value: number): number => value / max;
  const width = Math.round((at(spread.q3) - at(spread.q1)) * 10_000) / 100;
  return strip([
    grid(),
    `<path class="range" d="M${x(at(spread.min))} 10H${x(at(spread.max))}"/>`,
    `<rect class="box" x="${x(at(spread.q1))}" y="3" width="${width}" height="14"/>`,
    dots('value', values.map(at), 10),
    `<path class="median" d="M${x(at(spread.median))} 2V18"/>`,
  ]);
}

/** The next round number that is not smaller: an axis that people can read. Of seconds, in minutes and hours. */
export function axisEnd(max: number, isSeconds = false): number {
  if (max <= 0) return 1;
  const unit = isSeconds && max > 60 ? (max > 3600 ? 3600 : 60) : 1;
  const power = 10 ** Math.floor(Math.log10(max / unit));
  return Math.min(
    ...[1, 2, 3, 4, 5, 6, 8, 10, 20].map((step) => step * power * unit).filter((end) => end >= max),
  );
}

const signs: Readonly<Record<EvalOutcome, string>> = {
  success: '✓',
  fail: '✗',
  stuck: '∥',
  error: '!',
  skipped: '–',
};

const cell = 22;
const cellsInLine = 20;

export interface OutcomeCell {
  readonly repeat: number;
  readonly outcome: EvalOutcome;
  /** Shown as a tooltip. */
  readonly note: string;
}

/** In a file from elsewhere a repeat can be any number; so far nobody scrolls. */
const columnsMax = 1000;

/** One cell per repeat, in lines of twenty. A repeat without a result keeps its place, so that cells of several rows meet. */
export function renderOutcomeCells(cells: readonly OutcomeCell[]): string {
  const places = Math.min(columnsMax, Math.max(0, ...cells.map(({ repeat }) => repeat)));
  const lines = Math.max(1, Math.ceil(places / cellsInLine));
  const width = Math.max(1, Math.min(places, cellsInLine)) * cell;
  const height = lines * cell;
  const counts = evalOutcomes
    .map((outcome) => [outcome, cells.filter((one) => one.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcomeWords[outcome]}`);
  const label = counts.length === 0 ? 'no trial' : counts.join(', ');
  const drawn = Array.from({ length: places }, (_, index) => {
    const left = (index % cellsInLine) * cell;
    const top = Math.floor(index / cellsInLine) * cell;
    const box = `<rect x="${left + 1}" y="${top + 1}" width="${cell - 2}" height="${cell - 2}" rx="4"/>`;
    // Of a trial that was recorded twice the last one counts.
    const found = cells.findLast(({ repeat }) => repeat === index + 1);
    if (found === undefined)
      return `<g class="missing"><title>repeat ${index + 1}: no result</title>${box}</g>`;

    const { outcome, note } = found;
    return `<g class="${outcome}"><title>${escapeHtml(note)}</title>${box}<text x="${left + cell / 2}" y="${top + 15}">${signs[outcome]}</text></g>`;
  });
  return `<svg class="cells" role="img" aria-label="${escapeHtml(label)}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${drawn.join('')}</svg>`;
}

/** What the signs mean. */
export function renderLegend(): string {
  const items = evalOutcomes.map(
    (outcome) =>
      `<li><span class="sign ${outcome}" aria-hidden="true">${signs[outcome]}</span> ${outcomeWords[outcome]}</li>`,
  );
  return `<ul class="legend">${items.join('')}<li><span class="sign missing" aria-hidden="true">&nbsp;</span> no result</li></ul>`;
}
