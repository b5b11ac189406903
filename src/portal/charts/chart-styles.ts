// The colours of charts: each is 3:1 or more against the card in light and dark, and tells from its neighbours by
// lightness too.

/** A part of the portal's stylesheet. */
export const chartStyles = `
:root { --chart-good: #4c7a96; --chart-refused: #9c1c2b; --chart-errors: #b86a00; }
@media (prefers-color-scheme: dark) { :root { --chart-good: #6fa3c0; --chart-refused: #ff9c9c; --chart-errors: #f0b45a; } }
.chart-frame { margin: 0; display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.25rem 0.75rem; color: var(--soft); font-size: 0.75rem; }
.chart { width: 100%; display: block; height: 10rem; }
.chart line { stroke: var(--line); }
.chart-frame .scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-variant-numeric: tabular-nums; margin: -0.5rem 0; min-width: 2.25rem; white-space: nowrap; }
.chart-frame .days { grid-column: 2; display: flex; justify-content: space-between; font-variant-numeric: tabular-nums; }
.chart-frame .legend { grid-column: 2; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; font-size: 0.8125rem; }
.chart .bar, .chart .bar.good { fill: var(--chart-good); }
.chart .bar.refused { fill: var(--chart-refused); }
.chart .bar.errors { fill: var(--chart-errors); }
.chart .line { fill: none; stroke-width: 2px; stroke-linejoin: round; stroke-linecap: round; }
.chart .line.median { stroke: var(--chart-good); }
.chart .line.slow { stroke: var(--chart-errors); }
.dot { display: inline-block; width: 0.625rem; height: 0.625rem; border-radius: 2px; background: var(--chart-good); margin-right: 0.25rem; }
.dot.refused { background: var(--chart-refused); }
.dot.errors, .dot.slow { background: var(--chart-errors); }
.tops { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1.25rem; align-items: start; }
.waiting { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; }
.waiting > li { display: grid; grid-template-columns: minmax(2.25rem, max-content) minmax(0, 1fr); gap: 0 0.875rem; padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
.waiting > li:first-child { padding-top: 0; }
.waiting > li:last-child { border-bottom: 0; padding-bottom: 0; }
.waiting .how-many { font-size: 1.25rem; font-weight: 650; line-height: 1.3; text-align: right; font-variant-numeric: tabular-nums; }
.waiting .urgent .how-many { color: var(--danger); }
.waiting .under { margin-top: 0.125rem; }
.area { margin-top: 1rem; display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; }
.area h2 { font-size: 1.375rem; }
.card h3 { font-size: 1.0625rem; }
`
