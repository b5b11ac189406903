// What the documentation needs beyond the stylesheet of all pages: the menu beside it, prose, tables and code.

import { asset } from '../pages/asset.js'

/** For every page of the documentation. */
export const docsStyles = asset(
  'css',
  `
.wide .shell { width: 100%; max-width: 72rem; margin: 0 auto; padding: 0 1.5rem; display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 1rem 3rem; flex: 1; align-items: start; }
.wide .shell main { max-width: 50rem; margin: 0; padding: 1.5rem 0 4rem; min-width: 0; }
.beside { padding: 1.5rem 0 2rem; display: flex; flex-direction: column; gap: 0.75rem; font-size: 0.9375rem; }
.beside ul { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; gap: 0.125rem; }
.beside .label { margin: 0.75rem 0 0.25rem; padding: 0 0.75rem; color: var(--soft); font-weight: 600; font-size: 0.8125rem; }
#docs-menu:focus { outline: none; }
#docs-menu ul a { display: block; padding: 0.375rem 0.75rem; border-radius: 0.5rem; color: var(--ink); text-decoration: none; }
#docs-menu ul a:hover { background: var(--tint); }
#docs-menu ul a[aria-current] { background: var(--tint); color: var(--accent); font-weight: 650; }
#docs-search { display: flex; flex-direction: column; gap: 0.375rem; }
#docs-search label { font-weight: 600; font-size: 0.8125rem; color: var(--soft); padding: 0 0.75rem; }
#docs-search input { min-height: 2.75rem; }
#docs-results li { display: flex; flex-direction: column; padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); }
#docs-results .fine { font-size: 0.8125rem; }
#docs-found:empty, #docs-results:empty { display: none; }
.to-menu { display: none; }
.prose { display: flex; flex-direction: column; gap: 1rem; min-width: 0; }
.prose > * { min-width: 0; }
.prose h2 { font-size: 1.375rem; margin-top: 1.5rem; }
.prose h3 { font-size: 1.0625rem; margin-top: 0.75rem; }
.prose h2, .prose h3, .prose h4 { scroll-margin-top: 1rem; }
.prose .anchor { color: inherit; text-decoration: none; }
.prose .anchor:hover { text-decoration: underline; }
.prose ul, .prose ol { margin: 0; padding-left: 1.375rem; display: flex; flex-direction: column; gap: 0.375rem; }
.prose .drawing { margin: 0; }
.prose .drawing svg { display: block; width: 100%; height: auto; }
.prose .file { font-weight: 550; }
.prose :not(pre) > code { background: var(--tint); border-radius: 0.25rem; padding: 0.0625rem 0.25rem; font-size: 0.875em; }
.prose pre { margin: 0; padding: 1rem; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 0.625rem; font-size: 0.875rem; line-height: 1.5; white-space: pre; overflow-wrap: normal; tab-size: 2; }
.prose pre code { font-size: inherit; }
.prose .copied { position: relative; }
.prose .copied pre { padding-right: 4.75rem; }
.prose .copied > button { position: absolute; top: 0.625rem; right: 0.5rem; background: var(--card); border-radius: 0.5rem; }
.prose .table { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 0.625rem; }
.prose table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
.prose th, .prose td { text-align: left; vertical-align: top; padding: 0.625rem 0.875rem; min-width: 6rem; }
.prose td { overflow-wrap: break-word; }
.prose th { color: var(--soft); font-weight: 600; font-size: 0.8125rem; }
.prose tr + tr > *, .prose tbody tr:first-child > td { border-top: 1px solid var(--line); }
.prose table:not(:has(thead)) tbody tr:first-child > td { border-top: 0; }
.contents { padding: 0.25rem 1rem; border: 1px solid var(--line); border-radius: 0.625rem; background: var(--card); }
.contents ul, .columns { margin: 0; padding: 0; list-style: none; }
.contents ul { columns: 16rem; padding-bottom: 0.5rem; }
.contents li, .columns li { break-inside: avoid; padding: 0.1875rem 0; }
.columns { columns: 15rem; }
.neighbours { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 2rem; margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media (max-width: 56rem) {
  .wide .shell { grid-template-columns: minmax(0, 1fr); padding: 0 1rem; gap: 0; }
  .beside { padding: 0; display: contents; }
  #docs-search { order: -2; padding-top: 0.25rem; }
  #docs-search label { padding: 0; }
  .to-menu { display: block; order: -1; padding: 0.75rem 0 0; }
  #docs-menu { order: 2; padding: 0 0 3rem; border-top: 1px solid var(--line); }
  .wide .shell main { padding: 1rem 0 2rem; }
}
`,
)
