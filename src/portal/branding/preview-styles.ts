// What the previews of branded pages need: each is a picture of a page in one theme, whatever the reader's own is.

import { darkColours, lightColours } from '../../web/pages/stylesheet.js'

/** A part of the portal's stylesheet. A brand's own colours come from its preview stylesheet (branding/). */
export const previewStyles = `
.in-light { color-scheme: light; ${lightColours} }
.in-dark { color-scheme: dark; ${darkColours} }
.looks { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: 1rem; align-items: stretch; }
.look-of { margin: 0; display: flex; flex-direction: column; gap: 0.375rem; }
.look-of figcaption { color: var(--soft); font-size: 0.875rem; }
.look { flex: 1; display: flex; flex-direction: column; gap: 0.75rem; padding: 1rem; border: 1px solid var(--edge); border-radius: var(--radius); background: var(--ground); color: var(--ink); font-size: 0.875rem; }
.look > *, .look .card > * { display: flex; }
.look .brand { font-size: 0.9375rem; }
.look .brand img.logo { max-height: 2rem; max-width: 8rem; }
.look .title { margin-top: 0.25rem; font-size: 1.25rem; font-weight: 650; line-height: 1.2; }
.look .card { padding: 1rem; gap: 0.5rem; flex-direction: column; color: var(--ink); }
.look .box { min-height: 2.25rem; border: 1px solid var(--edge); border-radius: 0.5rem; background: var(--card); }
.look .button { min-height: 2.25rem; padding: 0.375rem 0.75rem; cursor: default; }
.look .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0.5rem; }
.look .linked { color: var(--accent); text-decoration: underline; }
.look .asker { gap: 0.75rem; align-items: center; }
.look .asker .name { font-size: 1rem; }
.look .asker .fine { font-size: 0.8125rem; }
.look .foot { margin-top: auto; padding-top: 0.25rem; flex-wrap: wrap; gap: 0.25rem 0.75rem; justify-content: center; text-align: center; color: var(--soft); font-size: 0.8125rem; }
.logo-now { display: inline-flex; padding: 0.5rem; border: 1px solid var(--line); border-radius: 0.625rem; background: var(--ground); align-self: flex-start; }
.logo-now img { width: auto; height: auto; max-width: 12rem; max-height: 3rem; display: block; }
.swatch { width: 1rem; height: 1rem; border-radius: 0.25rem; border: 1px solid var(--edge); flex: none; vertical-align: -0.125rem; }
`
