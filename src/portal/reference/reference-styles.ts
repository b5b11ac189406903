// What the API reference needs besides.

/** A part of the portal's stylesheet. */
export const referenceStyles = `
.wide main:has(.reference) { max-width: 72rem; }
.reference { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 1.25rem 2rem; align-items: start; min-width: 0; }
.reference > .stack { gap: 1.25rem; min-width: 0; }
.reference .card { gap: 0.75rem; min-width: 0; }
.beside-reference { position: sticky; top: 0; max-height: 100vh; display: flex; flex-direction: column; gap: 0.5rem; padding: 0.5rem 0; font-size: 0.9375rem; }
.beside-reference form { display: flex; flex-direction: row; align-items: flex-end; gap: 0.5rem; }
.beside-reference .field { flex: 1; min-width: 0; }
.wide .beside-reference form > button { align-self: flex-end; }
#reference-menu { overflow-y: auto; min-height: 0; }
#reference-menu ul { margin: 0; padding: 0; list-style: none; }
#reference-menu > ul > li { margin-bottom: 0.5rem; }
#reference-menu a { display: block; padding: 0.25rem 0.5rem; border-radius: 0.375rem; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
#reference-menu a:hover { background: var(--tint); }
#reference-menu > ul > li > a { font-weight: 650; }
#reference-menu ul ul a { display: flex; gap: 0.5rem; font-size: 0.8125rem; color: var(--soft); }
#reference-menu .method { flex: none; min-width: 3rem; font-size: 0.6875rem; line-height: 1.8; }
#reference-menu .gone { text-decoration: line-through; }
.operation { border-top: 1px solid var(--line); min-width: 0; }
.operation > summary { padding: 0.625rem 0; font-weight: 400; cursor: pointer; color: var(--ink); }
.operation > summary code { overflow-wrap: anywhere; }
.operation > summary .soft { display: block; font-size: 0.9375rem; }
.operation > .stack { padding: 0.25rem 0 1.25rem; }
.operation h3 { margin: 0.5rem 0 0; font-size: 0.9375rem; }
.operation ul { margin: 0; padding-left: 1.25rem; }
.operation pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.said { white-space: pre-line; overflow-wrap: anywhere; }
.ends { border-left: 3px solid var(--accent); padding-left: 0.75rem; }
.method { display: inline-block; min-width: 4rem; font-weight: 650; font-size: 0.8125rem; }
@media (max-width: 64rem) {
  .reference { grid-template-columns: minmax(0, 1fr); }
  .beside-reference { position: static; max-height: none; }
  #reference-menu > ul { display: flex; flex-wrap: wrap; gap: 0 0.5rem; }
  #reference-menu > ul > li { margin: 0; }
  #reference-menu ul ul { display: none; }
}
`
