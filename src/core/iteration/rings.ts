/** Which rings between judge and judged are on in an iteration (§14), as the one line that its commit carries. Pure. */

export function renderRings({
  settings,
  checkout,
}: {
  readonly settings: boolean;
  readonly checkout: 'off' | 'final' | 'every';
}): string {
  return [...(settings ? ['settings', 'refs'] : []), `checkout=${checkout}`].join(' ');
}
