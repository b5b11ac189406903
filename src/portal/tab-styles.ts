// What the pages about permissions, trying out, activity, explanations and usage need besides.

/** A part of the portal's stylesheet. */
export const tabStyles = `
.soft { color: var(--soft); }
.under { display: block; color: var(--soft); font-weight: 400; font-size: 0.8125rem; line-height: 1.4; }
a.under { margin-top: 0.25rem; padding: 0.25rem 0; }
.granted, .not-granted { display: block; }
.table .granted { min-width: 7.5rem; }
.granted { color: var(--good); font-weight: 600; }
.not-granted, .under.unused { color: var(--danger); font-weight: 600; }
.table code.permission-id { font-size: 0.875rem; overflow-wrap: normal; }
.table td, .table th { overflow-wrap: break-word; }
.toolbar.middle { align-items: center; }
.wide .buttons > * { flex: 0 1 auto; min-width: 9rem; }
input.code, textarea.code { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.9375rem; }
.copy.block > .bar { flex-wrap: wrap; gap: 0 1rem; }
.copy.block > .bar > * { overflow-wrap: normal; }
.copy.block > .bar > span:first-child { margin-right: auto; }
.wide .buttons > form { flex: 0 1 auto; }
.wide .buttons > form button { width: 100%; }
.notice form { margin-top: 0.5rem; }
.table .limits { min-width: 9rem; }
.table:has(.limits) th code { overflow-wrap: anywhere; }
.row-acts { display: flex; gap: 0.25rem 1rem; align-items: center; }
.nothing { padding: 1rem 1.25rem; border: 1px dashed var(--edge); border-radius: 0.625rem; color: var(--soft); }
.choices { gap: 0; }
.choices + .choices { margin-top: 0.75rem; }
.choices legend { margin-bottom: 0.625rem; font-size: 1rem; }
.choices legend .fine { font-weight: 400; font-size: 0.8125rem; }
.choices .choice { border-radius: 0; margin-top: -1px; cursor: pointer; }
.choices .choice:first-of-type { border-radius: 0.625rem 0.625rem 0 0; }
.choices .choice:last-of-type { border-radius: 0 0 0.625rem 0.625rem; }
.choices .choice:first-of-type:last-of-type { border-radius: 0.625rem; }
.choices .choice:hover { background: var(--tint); }
.choices .choice:has(:checked) { position: relative; }
.choices .choice.there { cursor: default; background: var(--ground); border-color: var(--line); }
.choice .name { display: flex; flex-wrap: wrap; gap: 0.25rem 0.625rem; align-items: center; font-weight: 600; }
.choice > span > .fine { display: block; }
.choices.compact .choice { padding: 0.5rem 0.875rem; }
.choices.compact .soft { font-size: 0.875rem; }
.call-line { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: flex-end; }
.call-line .path { flex: 1 1 14rem; }
.call-line .field:first-child { flex: 0 1 7rem; }
.tools { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: flex-end; margin-bottom: 1.25rem; }
.tools .field { flex: 1 1 12rem; }
.examples { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.examples button { font: 0.8125rem/1.4 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; min-height: 2.25rem; }
.answer { display: flex; flex-direction: column; gap: 0.75rem; padding: 1rem; border: 1px solid var(--line); border-left: 4px solid var(--edge); border-radius: 0.625rem; background: var(--ground); }
.answer:has(.status.good) { border-left-color: var(--good); }
.answer:has(.status.bad) { border-left-color: var(--danger); }
.answer textarea { font-size: 0.875rem; line-height: 1.5; resize: vertical; }
.answer-line { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; align-items: baseline; font-size: 0.9375rem; }
.status { font-size: 1.0625rem; }
.status.good { color: var(--good); }
.status.bad { color: var(--danger); }
.pills { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 0; padding: 0; list-style: none; }
.pills a { display: block; padding: 0.25rem 0.75rem; border: 1px solid var(--line); border-radius: 2rem; font-size: 0.875rem; color: var(--ink); text-decoration: none; }
.pills a:hover { border-color: var(--accent); }
.pills a[aria-current] { border-color: var(--accent); background: var(--tint); font-weight: 600; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 1rem; margin: 0; }
.numbers dt { color: var(--soft); font-size: 0.875rem; }
.numbers dd { margin: 0; font-size: clamp(1.25rem, 5.5vw, 1.75rem); overflow-wrap: normal; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 1.25rem; align-items: start; }
.who { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 0.5rem; }
form:has(#who-application:checked) :is(.of-person, .of-token), form:has(#who-person:checked) .of-token { display: none; }
form:has(#who-token:checked) :is(.of-application, .of-person), form:has(#who-nobody:checked) .columns { display: none; }
.who legend { grid-column: 1 / -1; }
.choices.who .choice { border-radius: 0.625rem; margin-top: 0; }
.verdict { border-left: 4px solid var(--edge); }
.verdict.allowed { border-left-color: var(--good); }
.verdict.refused { border-left-color: var(--danger); }
.verdict h2 { overflow-wrap: anywhere; }
.trace { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; }
.trace > li { position: relative; padding: 0 0 1.25rem 2.25rem; }
.trace > li:last-child { padding-bottom: 0; }
.trace > li::before { content: ""; position: absolute; left: 0.1875rem; top: 0.1875rem; width: 1rem; height: 1rem; border-radius: 50%; border: 2px solid var(--good); background: var(--card); z-index: 1; }
.trace > li.ok::after { content: ""; position: absolute; left: 0.5625rem; top: 0.375rem; width: 0.25rem; height: 0.4375rem; border: solid var(--good); border-width: 0 2px 2px 0; transform: rotate(45deg); z-index: 2; }
.trace > li.not-ok::before { border-color: var(--danger); background: var(--danger); }
.trace > li:not(:last-child) > div::before { content: ""; position: absolute; left: 0.625rem; top: 1.1875rem; bottom: -0.1875rem; border-left: 2px solid var(--line); }
.trace .line { display: block; }
.alternatives { margin: 0.5rem 0 0; padding: 0; list-style: none; display: flex; flex-direction: column; gap: 0.5rem; }
.alternatives > li { padding: 0.5rem 0.875rem; border: 1px solid var(--line); border-left: 3px solid var(--edge); border-radius: 0.5rem; font-size: 0.9375rem; }
.alternatives > li.met { border-left-color: var(--good); }
.place-in-file { font-size: 0.8125rem; color: var(--soft); white-space: nowrap; }
.filter { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)); gap: 0.75rem 1rem; align-items: start; }
.filter .buttons { align-self: end; }
.filter .hint { font-size: 0.8125rem; }
.table th > time { white-space: nowrap; }
.event > summary { padding: 0; font-weight: 550; }
.event > .facts { min-width: min(22rem, 70vw); margin-top: 0.5rem; font-size: 0.875rem; }
.event > .facts > div { padding: 0.25rem 0; }
.event > .fine { max-width: 30rem; margin-top: 0.5rem; }
.ways { display: inline-flex; gap: 1.25rem; }
#answer-headers > div { padding: 0.375rem 0; font-size: 0.8125rem; }
`
