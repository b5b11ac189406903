// How the pages about plans look.

/** A part of the portal's stylesheet. */
export const planStyles = `
.limit-chart { margin: 0; display: flex; flex-direction: column; gap: 0.875rem; }
.limit-chart ul { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; gap: 0.875rem; }
.limit-chart li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.25rem 1rem; font-size: 0.9375rem; }
.limit-chart svg { flex: 1 0 100%; width: 100%; height: 0.75rem; display: block; border-radius: 0.375rem; background: var(--tint); }
.limit-chart .used { fill: var(--chart-good); }
.limit-chart .used.full { fill: var(--chart-refused); }
.limit-chart li > span:last-of-type { color: var(--soft); font-variant-numeric: tabular-nums; }
.numbers-of-its-own { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 1rem; }
`
