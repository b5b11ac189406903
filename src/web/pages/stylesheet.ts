// How the pages look. One column on a quiet ground, one accent, system type; from 320 pixels on, in light and dark as
// the reader's system says, with text at a contrast of 7:1 or more (WCAG 2.2 AAA) and nothing that moves unasked.

import { palettes } from '../../branding/palette.js'

const { light, dark } = palettes

/** Every colour of a light page, as declarations. */
export const lightColours = `
  --ground: ${light.ground};
  --card: ${light.card};
  --ink: #1c1a17;
  --soft: #504b44;
  --line: #ddd7cc;
  --edge: #8a8377;
  --accent: ${light.accent};
  --accent-strong: ${light.accentStrong};
  --on-accent: ${light.onAccent};
  --tint: ${light.tint};
  --danger: #8f1420;
  --danger-tint: #fdf0f0;
  --good: #14532d;
  --good-tint: #eef8f0;
  --shadow: 0 1px 2px rgb(40 30 20 / 6%), 0 12px 32px -12px rgb(40 30 20 / 14%);
`

/** The same of a dark one. */
export const darkColours = `
  --ground: ${dark.ground};
  --card: ${dark.card};
  --ink: #f4f0ea;
  --soft: #c6bfb4;
  --line: #3a352f;
  --edge: #8d8578;
  --accent: ${dark.accent};
  --accent-strong: ${dark.accentStrong};
  --on-accent: ${dark.onAccent};
  --tint: ${dark.tint};
  --danger: #ffb3b3;
  --danger-tint: #331b1c;
  --good: #a5e3b8;
  --good-tint: #17281d;
  --shadow: 0 0 0 1px rgb(255 255 255 / 3%), 0 12px 32px -12px rgb(0 0 0 / 60%);
`

/** The whole stylesheet. Served under a name made of its hash. */
export const stylesheet = `
:root {
  color-scheme: light dark;
${lightColours}
  --radius: 0.875rem;
}
@media (prefers-color-scheme: dark) {
  :root {
${darkColours}
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  display: flex;
  flex-direction: column;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
:is(body, [lang="ja"]):lang(ja) { font-family: system-ui, -apple-system, "Hiragino Sans", "Yu Gothic UI", "Meiryo", "Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", sans-serif; line-break: strict; word-break: auto-phrase; }
:is(h1, h2, h3):lang(ja) { letter-spacing: 0; }
h1, h2, h3 { line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; margin: 0; font-weight: 650; }
h1 { font-size: 1.75rem; }
h2 { font-size: 1.1875rem; }
h3 { font-size: 1rem; letter-spacing: 0; }
p { margin: 0; text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 0.0625em; }
a:hover { color: var(--accent-strong); text-decoration-thickness: 0.125em; }
code, .code { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.9375em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
main:focus { outline: none; }
#skip { position: absolute; left: 1rem; top: -6rem; z-index: 1; padding: 0.75rem 1.25rem; background: var(--card); border-radius: var(--radius); }
#skip:focus { top: 1rem; }

.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1.5rem; width: 100%; max-width: 72rem; margin: 0 auto; padding: 1.25rem 1.5rem; }
.brand { display: inline-flex; align-items: center; gap: 0.625rem; color: var(--ink); font-weight: 650; font-size: 1.0625rem; letter-spacing: -0.01em; text-decoration: none; }
.brand:hover { color: var(--ink); }
.brand img.logo { width: auto; height: auto; max-width: min(12rem, 40vw); max-height: 2.5rem; display: block; }
.branded-foot { padding: 1rem 1.5rem 0; text-align: center; font-size: 0.9375rem; color: var(--soft); }
.branded-foot p { margin: 0.25rem 0; }
.branded-foot a { color: var(--soft); display: inline-block; padding: 0.375rem 0.5rem; }
.mark { width: 1.875rem; height: 1.875rem; fill: none; stroke: var(--accent); stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; flex: none; }
.mark .gate { stroke-width: 2.6; }
.person { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; font-size: 0.9375rem; }
.person a { padding: 0.375rem 0; }

main { width: 100%; max-width: 28rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; flex: 1; display: flex; flex-direction: column; gap: 1.25rem; }
.wide main { max-width: 46rem; }
.narrow main { padding-top: clamp(1.5rem, 9vh, 6rem); }
.heading { display: flex; flex-direction: column; gap: 0.5rem; margin-bottom: 0.5rem; }
.eyebrow { color: var(--soft); font-size: 0.9375rem; }
.intro { color: var(--soft); font-size: 1.0625rem; }
.fine, .hint { color: var(--soft); font-size: 0.9375rem; }
.center { text-align: center; }

.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); padding: 1.75rem; display: flex; flex-direction: column; gap: 1.25rem; }
.card > .card-head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; }
form { display: flex; flex-direction: column; gap: 1.25rem; margin: 0; }
form.inline { flex-direction: row; flex-wrap: wrap; align-items: end; gap: 0.75rem; }
form.inline .field { flex: 1 1 12rem; }
.field { display: flex; flex-direction: column; gap: 0.375rem; min-width: 0; }
.field label, legend, .label { font-weight: 600; font-size: 0.9375rem; }
.field .error { color: var(--danger); font-size: 0.9375rem; font-weight: 550; }
.field-row { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 0.75rem; min-width: 0; }
legend { padding: 0; margin-bottom: 0.5rem; }
input:not([type="checkbox"], [type="radio"], [type="hidden"]), select, textarea {
  width: 100%; min-height: 3rem; padding: 0.625rem 0.875rem; font: inherit; color: var(--ink); background: var(--card);
  border: 1px solid var(--edge); border-radius: 0.625rem;
}
input[readonly] { background: var(--ground); }
input:focus-visible, select:focus-visible, textarea:focus-visible { outline-offset: 0; border-color: var(--accent); }
.wrong input { border-color: var(--danger); border-width: 2px; }
input[type="checkbox"], input[type="radio"] { width: 1.25rem; height: 1.25rem; accent-color: var(--accent); flex: none; margin: 0.125rem 0 0; }
.choice { display: flex; gap: 0.75rem; align-items: flex-start; padding: 0.875rem 1rem; border: 1px solid var(--line); border-radius: 0.625rem; }
.choice:has(:checked) { border-color: var(--accent); background: var(--tint); }

button, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem; min-height: 3rem; padding: 0.625rem 1.25rem; font: inherit; font-weight: 600;
  border: 1px solid var(--accent); border-radius: 0.625rem; background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none; text-align: center; text-wrap: balance;
}
button:hover, .button:hover { background: var(--accent-strong); border-color: var(--accent-strong); color: var(--on-accent); }
button.plain, .button.plain { background: var(--card); color: var(--ink); border-color: var(--edge); }
button.plain:hover, .button.plain:hover { background: var(--tint); border-color: var(--accent); color: var(--ink); }
button.danger, .button.danger { background: var(--card); color: var(--danger); border-color: var(--danger); }
button.danger:hover, .button.danger:hover { background: var(--danger-tint); color: var(--danger); }
button.small, .button.small { min-height: 2.5rem; padding: 0.375rem 0.875rem; font-size: 0.9375rem; }
button.quiet { background: none; border-color: transparent; color: var(--accent); min-height: 2rem; padding: 0.125rem 0.375rem; font-size: 0.9375rem; font-weight: 550; }
button.quiet:hover { text-decoration: underline; background: none; border-color: transparent; color: var(--accent-strong); }
.unseen { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
.showable { display: grid; grid-template-columns: 1fr auto; }
.showable > * { grid-column: 1 / -1; }
.showable > label { grid-column: 1; align-self: center; }
.showable > .show { grid-column: 2; grid-row: 1; min-height: 1.5rem; padding: 0 0.125rem; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.buttons > * { flex: 1 1 9rem; }
.wide form > button, .wide form > .button { align-self: flex-start; }
.stack { display: flex; flex-direction: column; gap: 0.75rem; }
.or { display: flex; align-items: center; gap: 0.875rem; color: var(--soft); font-size: 0.9375rem; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }

.notice { padding: 0.875rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--edge); border-radius: 0.625rem; background: var(--card); display: flex; flex-direction: column; gap: 0.25rem; }
.notice-title { font-weight: 650; }
.notice.error { border-color: var(--danger); background: var(--danger-tint); }
.notice.success { border-color: var(--good); background: var(--good-tint); }
.facts { margin: 0; display: flex; flex-direction: column; }
.facts > div { display: grid; grid-template-columns: minmax(7rem, 11rem) 1fr; gap: 0.125rem 1rem; padding: 0.625rem 0; border-top: 1px solid var(--line); }
.narrow .facts > div { grid-template-columns: minmax(5rem, 8rem) 1fr; }
.facts > div:first-child { border-top: 0; padding-top: 0; }
.facts > div:last-child { padding-bottom: 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; min-width: 0; }
.list { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; }
.list > li { padding: 0.875rem 0; border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between; }
.list > li:first-child { border-top: 0; padding-top: 0; }
.list > li:last-child { padding-bottom: 0; }
.list .what { flex: 1 1 8rem; min-width: 0; display: flex; flex-direction: column; gap: 0.125rem; }
.list .name { font-weight: 600; }
.tag { display: inline-block; padding: 0.0625rem 0.5rem; border: 1px solid currentcolor; border-radius: 1rem; font-size: 0.8125rem; font-weight: 600; color: var(--soft); white-space: nowrap; }
.tag.good { color: var(--good); }
.tag.new { color: var(--accent); background: var(--tint); }
.tag.warn { color: var(--danger); }
@media (min-width: 30.0625rem) { #about > div { grid-template-columns: 6.5rem 1fr; } }
.app form { align-items: flex-start; }
blockquote { margin: 0; padding: 0.25rem 0 0.25rem 1rem; border-left: 3px solid var(--accent); }
.asker { display: flex; gap: 1rem; align-items: flex-start; }
.asker .what { flex: 1 1 0; min-width: 0; display: flex; flex-direction: column; gap: 0.125rem; }
.asker .name { font-weight: 650; font-size: 1.1875rem; line-height: 1.3; }
.app-mark { width: 3rem; height: 3rem; flex: none; display: grid; place-items: center; border-radius: 0.75rem; background: var(--tint); border: 1px solid var(--line); color: var(--accent); font-size: 1.375rem; font-weight: 650; }
.app-icon { display: inline-grid; place-items: center; width: 1.625rem; height: 1.625rem; object-fit: contain; vertical-align: middle; margin-right: 0.5rem; border-radius: 0.375rem; border: 1px solid var(--line); background: var(--tint); color: var(--accent); font-size: 0.875rem; font-weight: 650; line-height: 1; text-decoration: none; }
img.app-icon { background: #ffffff; }
.app-logo { width: 3rem; height: 3rem; flex: none; object-fit: contain; border-radius: 0.75rem; background: #ffffff; border: 1px solid var(--line); padding: 0.125rem; }
.claimed a { margin-right: 0.75rem; }
.permissions { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; gap: 0.875rem; }
.permissions > li { position: relative; padding-left: 1.75rem; display: flex; flex-direction: column; gap: 0.125rem; }
.permissions > li::before { content: ""; position: absolute; left: 0.25rem; top: 0.3125rem; width: 0.375rem; height: 0.6875rem; border: solid var(--accent); border-width: 0 2px 2px 0; transform: rotate(45deg); }
.permissions > .held { flex-direction: row; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between; }
.permissions > .held > .what { flex: 1 1 14rem; min-width: 0; display: flex; flex-direction: column; gap: 0.125rem; }
.permissions.gone > li::before { border-color: var(--danger); border-width: 0 0 2px 0; transform: none; width: 0.75rem; }
.command { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0.75rem 1rem; background: var(--ground); border: 1px solid var(--line); border-radius: 0.625rem; }
.number { color: var(--soft); font-variant-numeric: tabular-nums; }
.code-buttons { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; margin: 0; }
.codes { margin: 0; padding: 1rem; list-style: none; display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: 0.5rem 1.5rem; background: var(--ground); border-radius: 0.625rem; font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.qr { width: 12rem; max-width: 100%; height: auto; background: #ffffff; border: 1px solid var(--line); border-radius: 0.625rem; padding: 0.5rem; }
.big { font-size: 1.5rem; letter-spacing: 0.1em; font-variant-numeric: tabular-nums; }
details > summary { cursor: pointer; padding: 0.375rem 0; font-weight: 550; color: var(--accent); }
details[open] > summary { margin-bottom: 0.75rem; }
hr { border: 0; border-top: 1px solid var(--line); margin: 0; width: 100%; }
.languages { padding: 1rem 1.5rem 2rem; }
.languages nav { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.25rem 1.25rem; font-size: 0.9375rem; color: var(--soft); }
.languages nav > * { padding: 0.375rem 0; color: var(--soft); }
[hidden] { display: none !important; }

@media (max-width: 30rem) {
  .top { padding: 1rem; }
  main { padding: 1rem 1rem 3rem; }
  .narrow main { padding-top: 1rem; }
  .card { padding: 1.25rem; }
  h1 { font-size: 1.5rem; }
  .facts > div, .narrow .facts > div { grid-template-columns: 1fr; }
}
@media (prefers-reduced-motion: no-preference) {
  button, .button, input { transition: background-color 120ms ease, border-color 120ms ease; }
}
@media (forced-colors: active) {
  .card, .notice, .choice { border: 1px solid CanvasText; }
}
@media print {
  body { background: #ffffff; color: #000000; }
  .card { box-shadow: none; border-color: #000000; break-inside: avoid; }
  #skip, .person, .languages, #brand-links, button, .button { display: none; }
}
`
