// What the API reference needs besides.

/** A part of the portal's stylesheet. */
export const referenceStyles = `
.reference { display: flex; flex-direction: column; gap: 1.25rem; min-width: 0; }
.reference .card { gap: 0.75rem; min-width: 0; }
.chapters { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
.operation { border-top: 1px solid var(--line); min-width: 0; }
.operation > summary { padding: 0.625rem 0; font-weight: 400; cursor: pointer; color: var(--ink); }
.operation > summary .soft { display: block; font-size: 0.9375rem; }
.operation > .stack { padding: 0.25rem 0 1.25rem; }
.operation h3 { margin: 0.5rem 0 0; font-size: 0.9375rem; }
.operation ul { margin: 0; padding-left: 1.25rem; }
.operation pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.method { display: inline-block; min-width: 4rem; font-weight: 650; font-size: 0.8125rem; }
`
