/**
 * The style of the eval page: a table that is wider than the page scrolls, and a line at its edge says so; something wider would lie under
 * text. Every colour is given for light and dark; contrast is at least 4.5 to 1 for text.
 */

export const evalStyle = `:root {
  color-scheme: light dark;
  --bg: light-dark(#f7f7f5, #17191c);
  --panel: light-dark(#ffffff, #1e2124);
  --text: light-dark(#1d2023, #dfe2e5);
  --muted: light-dark(#5d6369, #9aa2aa);
  --line: light-dark(#dfe0dc, #33383d);
  --accent: light-dark(#1f5fae, #7fb2f0);
  --accent-soft: light-dark(#c9dcf3, #2b4567);
  --good: light-dark(#1a6e36, #6cc48a);
  --good-soft: light-dark(#d3ecdb, #1b3625);
  --bad: light-dark(#b3261e, #f2938c);
  --bad-soft: light-dark(#fae0de, #46231f);
  --warn: light-dark(#875300, #e0b063);
  --warn-soft: light-dark(#f8ecd4, #3d301a);
  --other: light-dark(#6a3fa0, #bfa3ea);
  --other-soft: light-dark(#ece4f7, #33284a);
  --grey-soft: light-dark(#ebebe7, #2a2e33);
  font: 14px/1.5 ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 48px; }
h1 { font-size: 22px; line-height: 1.3; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 0 0 10px; }
code { font: 0.93em ui-monospace, 'DejaVu Sans Mono', monospace; background: var(--grey-soft); border-radius: 4px; padding: 1px 5px; }
p { margin: 0 0 10px; }
p, dd, li { overflow-wrap: anywhere; }
.muted, .axis { color: var(--muted); }
.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; margin: 16px 0 0; }
.verdict { border-left: 4px solid var(--accent); font-size: 16px; overflow-wrap: anywhere; }
.verdict.difference { border-left-color: var(--good); }
.verdict.noise, .verdict.few-cases { border-left-color: var(--warn); }
.notes { border-left: 4px solid var(--warn); font-weight: 600; overflow-wrap: anywhere; }
.notes p:last-child { margin: 0; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.rows { list-style: none; margin: 0; padding: 0; }
.row { display: grid; grid-template-columns: 26% 1fr 13.5em; gap: 4px 16px; align-items: center; padding: 5px 0; border-top: 1px solid var(--line); }
.row:first-child { border-top: 0; }
.row > :last-child { text-align: right; }
.row.is-long { grid-template-columns: 26% 1fr 20em; }
.row.cell-row { grid-template-columns: 26% 1fr; }
.row.cell-row > :last-child { text-align: left; }
.name { overflow-wrap: break-word; min-width: 0; }
.name small { color: var(--muted); }
.axis { display: flex; justify-content: space-between; font-size: 12px; font-variant-numeric: tabular-nums; }
.axis span { display: flex; justify-content: center; width: 0; white-space: nowrap; }
.axis span:first-child { justify-content: flex-start; }
.axis span:last-child { justify-content: flex-end; }
svg { display: block; }
.strip { width: 100%; height: 20px; overflow: visible; }
.strip path { fill: none; vector-effect: non-scaling-stroke; }
.grid { stroke: var(--line); stroke-width: 1; }
.row .number small { display: block; color: var(--muted); font-size: 12px; }
.band { stroke: var(--accent-soft); stroke-width: 10; }
.whisker { stroke: var(--accent); stroke-width: 2; }
.point { stroke: var(--accent); stroke-width: 10; stroke-linecap: round; }
.hole { stroke: var(--panel); stroke-width: 5; stroke-linecap: round; }
.range { stroke: var(--muted); stroke-width: 1; }
.box { fill: var(--accent-soft); }
.value { stroke: var(--accent); stroke-width: 6; stroke-linecap: round; opacity: 0.55; }
.median { stroke: var(--text); stroke-width: 2; }
.cells text, .sign { font-size: 13px; font-weight: 700; text-anchor: middle; }
.cells { max-width: 100%; height: auto; }
.success { fill: var(--good); color: var(--good); background: var(--good-soft); }
.fail { fill: var(--bad); color: var(--bad); background: var(--bad-soft); }
.stuck { fill: var(--warn); color: var(--warn); background: var(--warn-soft); }
.error { fill: var(--other); color: var(--other); background: var(--other-soft); }
.skipped { fill: var(--muted); color: var(--text); background: var(--grey-soft); }
.success rect { fill: var(--good-soft); }
.fail rect { fill: var(--bad-soft); }
.stuck rect { fill: var(--warn-soft); }
.error rect { fill: var(--other-soft); }
.skipped rect { fill: var(--grey-soft); }
.missing { fill: none; background: none; }
.missing rect { fill: none; stroke: var(--line); stroke-dasharray: 3 3; }
.sign.missing { outline: 1px dashed var(--muted); outline-offset: -1px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 10px 0 0; padding: 0; font-size: 12.5px; }
.sign, .badge { display: inline-block; min-width: 20px; border-radius: 4px; text-align: center; padding: 0 5px; }
.badge { font-size: 12.5px; font-weight: 600; }
.wide {
  overflow-x: auto;
  background:
    linear-gradient(var(--panel), var(--panel)) left / 6px calc(100% + 4px) local no-repeat,
    linear-gradient(var(--panel), var(--panel)) right / 6px calc(100% + 4px) local no-repeat,
    linear-gradient(var(--accent), var(--accent)) left / 3px 100% scroll no-repeat,
    linear-gradient(var(--accent), var(--accent)) right / 3px 100% scroll no-repeat;
}
.rows + .wide { margin-top: 14px; }
.wide + p, .rows + p { margin-top: 10px; }
section > p:last-child { margin-bottom: 0; }
.wide:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 4px 10px; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; color: var(--muted); font-weight: 600; white-space: nowrap; vertical-align: bottom; }
td.name { overflow-wrap: break-word; max-width: 300px; }
td.name:first-child { min-width: 150px; }
td a { white-space: nowrap; }
th.number { text-align: right; }
details { border-top: 1px solid var(--line); padding: 6px 0; }
details:first-of-type { border-top: 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
details ul { margin: 6px 0; padding-left: 20px; overflow-wrap: anywhere; white-space: pre-wrap; }
.mark { white-space: nowrap; font-size: 0.85em; border: 1px solid var(--warn); color: var(--warn); border-radius: 4px; padding: 0 3px; }
@media (max-width: 640px) {
  main { padding: 14px 10px 32px; }
  section { padding: 12px; }
  .row, .row.is-long, .row.cell-row { grid-template-columns: 1fr; gap: 2px; }
  .row > .number { text-align: left; color: var(--muted); white-space: normal; grid-row: 2; }
  th, td { padding: 4px 6px; }
  thead th, thead th.number { white-space: normal; }
  td.name:first-child { min-width: 96px; }
  .row.axis-row > :first-child, .row.axis-row > :last-child { display: none; }
}
@media print { section { break-inside: avoid; } }
`;
