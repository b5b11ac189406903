// How the pages of the identity service look: one narrow column, readable from 320 pixels on, light or dark as the reader's
// system says. Contrast is at least 7:1 for text.

/** The whole stylesheet. Served under a name made of its hash. */
export const stylesheet = `:root {
  color-scheme: light dark;
  --paper: #ffffff;
  --ink: #1b1f24;
  --soft: #4a525c;
  --line: #c9d1d9;
  --link: #0a4ea3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b;
    --ink: #eceff2;
    --soft: #b4bdc7;
    --line: #3a424b;
    --link: #9cc7ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif;
}
main {
  max-width: 40rem;
  margin: 0 auto;
  padding: 2rem 1rem 4rem;
  overflow-wrap: anywhere;
}
h1 { margin: 0 0 1.5rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 2rem 0 0.25rem; font-size: 1.1rem; }
p { margin: 0 0 1rem; }
.number { color: var(--soft); font-variant-numeric: tabular-nums; }
ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
li { border-bottom: 1px solid var(--line); }
li a { display: block; padding: 0.7rem 0; }
a { color: var(--link); text-underline-offset: 0.2em; }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 3px; border-radius: 2px; }
`
