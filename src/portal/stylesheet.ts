// What the portal's pages need beyond the stylesheet of all pages: the column beside, tables, code to copy, tabs.

import { asset } from '../web/pages/asset.js'
import { previewStyles } from './branding/preview-styles.js'
import { chartStyles } from './charts/chart-styles.js'
import { planStyles } from './plans/plan-styles.js'
import { referenceStyles } from './reference/reference-styles.js'
import { tabStyles } from './tab-styles.js'
import { differenceStyles } from './tool-changes/difference.js'

/** Served like the other assets; frame.tsx names it. */
export const portalStyles = asset(
  'css',
  `
.wide .top { max-width: 84rem; }
.wide .shell { width: 100%; max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; display: grid; grid-template-columns: 12.5rem minmax(0, 1fr); gap: 1rem 3rem; flex: 1; align-items: start; }
.wide .shell main { max-width: none; margin: 0; padding: 1.5rem 0 4rem; min-width: 0; }
.beside { padding: 1.5rem 0 2rem; position: sticky; top: 0; display: flex; flex-direction: column; gap: 0.75rem; font-size: 0.9375rem; }
.beside ul { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; gap: 0.125rem; }
.beside .label { margin-top: 0.75rem; padding: 0 0.75rem; color: var(--soft); font-weight: 600; font-size: 0.8125rem; }
.beside ul a { position: relative; display: block; padding: 0.375rem 0.75rem; border-radius: 0.5rem; color: var(--ink); text-decoration: none; }
.beside ul a:hover { background: var(--tint); }
.beside ul a[aria-current] { background: var(--tint); color: var(--accent); font-weight: 650; }
.beside .count { margin-left: 0.5rem; padding: 0 0.4375rem; border-radius: 1rem; background: var(--accent); color: var(--on-accent, var(--card)); font-size: 0.8125rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.table .tag, .table button, .table .button { white-space: nowrap; }
.tenant-switch { padding: 0 0.75rem; font-weight: 650; }
.tenant-switch summary { color: var(--ink); font-weight: 650; padding: 0; }
.tabs { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; border-bottom: 1px solid var(--line); margin: 0 0 0.5rem; padding: 0; list-style: none; }
.tabs a { display: block; padding: 0.625rem 0.125rem; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; margin-bottom: -1px; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--accent); border-color: var(--accent); font-weight: 600; }
.table { overflow-x: auto; }
.table table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
.table caption { text-align: left; color: var(--soft); padding-bottom: 0.5rem; }
.table th { text-align: left; font-weight: 600; color: var(--soft); font-size: 0.8125rem; padding: 0.5rem 1rem 0.5rem 0; border-bottom: 1px solid var(--line); vertical-align: bottom; }
.table td { padding: 0.75rem 1rem 0.75rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.table:has(.limits) tbody th { min-width: 15rem; }
.table td.brief { white-space: nowrap; }
.table tbody tr:has(> td > :is(form, .button, .row-acts)) > :is(td, th) { vertical-align: middle; }
.table tbody th { font-weight: 600; font-size: inherit; color: inherit; padding: 0.75rem 1rem 0.75rem 0; vertical-align: top; }
.table tbody tr:last-child :is(td, th) { border-bottom: 0; }
.table thead td { padding: 0; border-bottom: 1px solid var(--line); }
.table td.number, .table th.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { margin: 0; padding: 1rem; overflow-x: auto; background: var(--ground); border: 1px solid var(--line); border-radius: 0.625rem; font: 0.875rem/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; overflow-wrap: normal; tab-size: 2; }
.copy { display: flex; flex-wrap: wrap; align-items: center; gap: 0.125rem 0.75rem; min-width: 0; }
.copy > code { overflow-wrap: anywhere; }
.copy > button.quiet { flex: none; }
.copy > input { flex: 1 1 14rem; }
.copy.block { display: flex; flex-direction: column; align-items: stretch; flex-wrap: nowrap; gap: 0; border: 1px solid var(--line); border-radius: 0.625rem; overflow: hidden; }
.copy.block > .bar { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-height: 2.75rem; padding: 0.25rem 0.5rem 0.25rem 1rem; color: var(--soft); font-size: 0.875rem; font-weight: 600; border-bottom: 1px solid var(--line); }
.copy.block > pre { border: 0; border-radius: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.plain-list { margin: 0; padding: 0; list-style: none; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 1rem; margin: 0; padding: 0; list-style: none; }
.toolbar { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; justify-content: space-between; }
.kinds .card { position: relative; padding: 1.25rem; gap: 0.5rem; }
.kinds h2 { font-size: 1rem; letter-spacing: 0; }
.kinds a { text-decoration: none; }
.kinds a::after { content: ""; position: absolute; inset: 0; border-radius: var(--radius); }
.kinds .card:hover { border-color: var(--accent); }
.kinds .card:has([aria-current]) { border-color: var(--accent); background: var(--tint); }
.import-lines table { table-layout: fixed; }
.import-lines :is(th, td) { overflow-wrap: anywhere; }
.import-lines thead th { width: 33%; }
.import-lines thead th:nth-child(1) { width: 20%; }
.import-lines thead th:nth-child(2) { width: 14%; }
.import-lines .goes-into { font-weight: 400; }
.import-lines li + li { margin-top: 0.25rem; }
.import-lines li > code { display: block; font-size: 0.875rem; }
.goes-into { display: block; font-size: 0.875rem; color: var(--soft); }
.identifiers.facts > div { grid-template-columns: minmax(7rem, 15rem) 1fr; }
.facts code { font-size: 0.875rem; }
.once { border-color: var(--accent); }
.steps { margin: 0; padding-left: 1.25rem; display: flex; flex-direction: column; gap: 0.5rem; }
.switch fieldset { flex-direction: row; flex-wrap: wrap; gap: 0.5rem; margin-bottom: 0.75rem; }
.switch label { display: inline-flex; align-items: center; gap: 0.5rem; padding: 0.375rem 0.875rem; border: 1px solid var(--line); border-radius: 2rem; font-size: 0.9375rem; cursor: pointer; }
.switch label:has(:checked) { border-color: var(--accent); background: var(--tint); font-weight: 600; }
.switch input[type="radio"] { width: 1rem; height: 1rem; margin: 0; }
.switch .panel { display: flex; flex-direction: column; gap: 0.75rem; }
.switch .panel > p { margin: 0; }
.switch .panel + .panel { margin-top: 1rem; }
@supports selector(:has(a)) {
  .switch .panel { display: none; margin-top: 0 !important; }
  .switch:has([value="curl"]:checked) .of-curl, .switch:has([value="node"]:checked) .of-node, .switch:has([value="python"]:checked) .of-python, .switch:has([value="go"]:checked) .of-go, .switch:has([value="java"]:checked) .of-java, .switch:has([value="page"]:checked) .of-page { display: flex; }
}
.wide form.inline > button { align-self: flex-end; }
.wide form .stack > button { align-self: flex-start; }
.what { display: flex; flex-direction: column; gap: 0.125rem; min-width: 0; }
.table .fine { font-weight: 400; font-size: 0.875rem; }
.tags { display: inline-flex; flex-wrap: wrap; gap: 0.375rem; }
.adding form { flex-direction: row; flex-wrap: wrap; align-items: flex-end; gap: 0.75rem; }
.adding .field { flex: 1 1 16rem; }
.wide .adding form > button { align-self: flex-end; }
.adding .wrong { flex-basis: 100%; }
.list > li > code.what { display: block; }
details > form { margin-top: 0.5rem; }
.empty { align-items: flex-start; }
.secret { font-size: 1rem; overflow-wrap: anywhere; }
${tabStyles}${chartStyles}${planStyles}${previewStyles}${referenceStyles}${differenceStyles}@media (max-width: 56rem) {
  .wide .shell { grid-template-columns: minmax(0, 1fr); align-content: start; padding: 0 1rem; gap: 0; }
  .beside { position: static; padding: 0; gap: 0.25rem; font-size: 0.875rem; }
  .beside ul { flex-direction: row; flex-wrap: wrap; gap: 0 0.125rem; }
  .beside ul a, .beside .label, .tenant-switch { padding: 0.25rem 0.5rem; }
  .beside .label { margin: 0; }
  .wide .shell main { padding-top: 0.75rem; }
}
@media (max-width: 40rem) {
  .wide .buttons > :is(*, form) { flex: 1 1 100%; }
  .wide .buttons > form > button { width: 100%; }
  .beside ul { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: thin; }
  .beside ul a { white-space: nowrap; }
  .tabs { gap: 0 1rem; }
  .tabs a { padding: 0.375rem 0.125rem; }
  .identifiers.facts > div { grid-template-columns: 1fr; }
  .table.stacked thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
  .table.stacked tr { display: block; padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
  .table.stacked :is(td, th) { display: block; padding: 0.125rem 0; border: 0; text-align: left; overflow-wrap: anywhere; }
  .table.stacked tbody tr:last-child { border-bottom: 0; }
  .table.stacked td[data-label]::before { content: attr(data-label) " "; color: var(--soft); font-size: 0.8125rem; }
}
`,
)
