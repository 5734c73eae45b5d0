/** Renders numbers of the eval harness for people. Pure text; rounding happens only here. */
import type { MeasureName, TrialCounts, TrialGroup } from './summary.ts';
import type { Interval } from './statistics.ts';

/** `1 pair`, `3 pairs`. */
export function renderCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1 of 6 planned trials has`, `3 of 6 planned trials have`. */
export function renderPart(part: number, planned: number): string {
  return `${part} of ${planned} planned trials ${part === 1 ? 'has' : 'have'}`;
}

/** `= 0.070`, `< 0.001`, `> 0.99`. */
export function renderP(p: number): string {
  if (p < 0.001) return '< 0.001';
  return p > 0.99 ? '> 0.99' : `= ${p.toFixed(3)}`;
}

/** `70 %`; what is not known is `–`. Only what is exactly none or all is 0 or 100. */
export function renderPercent(rate: number | null): string {
  if (rate === null) return '–';
  const percent = rate * 100;
  if (percent > 0 && percent < 1) return '<1 %';
  if (percent > 99 && percent < 100) return '>99 %';
  return `${Math.round(percent)} %`;
}

/** `55–82 %`. */
export function renderInterval(interval: Interval | null): string {
  if (interval === null) return '–';
  return `${Math.round(interval.low * 100)}–${Math.round(interval.high * 100)} %`;
}

/** The second interval, or why there is none. */
export function renderClustered({ rate, clustered }: Pick<TrialGroup, 'rate' | 'clustered'>): string {
  return rate !== null && clustered === null ? 'needs two cases' : renderInterval(clustered);
}

/** For `key=value` lines: three digits, `-` when it is not known. */
export function renderShare(value: number | null): string {
  return value === null ? '-' : value.toFixed(3);
}

export function renderMeasure(name: MeasureName, value: number | null): string {
  if (value === null) return '–';
  switch (name) {
    case 'duration_secs':
      return renderSeconds(value);
    case 'cost_usd':
      return renderDollars(value);
    case 'tokens':
      return renderBig(value);
    case 'iterations':
    case 'attempts':
      return renderPlain(value);
  }
}

/** `$61.07`, `$61.07 (known for 37 of 40 trials)`. Skipped trials cost nothing. */
export function renderCost({ spent, cost_known, trials, outcomes }: TrialCounts): string {
  const ran = trials - outcomes.skipped;
  const cost = renderMeasure('cost_usd', spent.cost_usd);
  return cost_known === 0 || cost_known >= ran
    ? cost
    : `${cost} (known for ${cost_known} of ${renderCount(ran, 'trial')})`;
}

export const measureWords: Readonly<Record<MeasureName, string>> = {
  iterations: 'Iterations',
  attempts: 'Attempts',
  duration_secs: 'Trial time',
  tokens: 'Tokens',
  cost_usd: 'Cost',
};

/** `0.4 s`, `42 s`, `3 min 05 s`, `1 h 02 min`. */
function renderSeconds(seconds: number): string {
  if (seconds < 10) return `${renderPlain(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (part: number): string => String(part).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

function renderDollars(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

/** `950`, `15.2k`, `3.1M`. */
function renderBig(value: number): string {
  if (value < 1000) return renderPlain(value);
  return value < 999_950 ? `${renderPlain(value / 1000)}k` : `${renderPlain(value / 1e6)}M`;
}

/** At most one digit behind the point. */
function renderPlain(value: number): string {
  return String(Math.round(value * 10) / 10);
}
