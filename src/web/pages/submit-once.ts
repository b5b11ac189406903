// An impatient double click: the second sending of a form is swallowed while the first one's answer is on its way.
// Without it the second would interrupt the first, whose answer may be the one that leads back to the application.

import { asset } from './asset.js'

/**
 * For every page that has a form. Nothing on the form changes, so that each button still sends its own name, and a
 * sending that was prevented (a passkey is needed first) does not count. Half a minute later, or back on the page from
 * the browser's cache, one may try again: loading may have been stopped.
 */
export const submitOnceScript = asset(
  'js',
  `
let sent = new WeakMap()
addEventListener('submit', (event) => {
  if (event.defaultPrevented) return
  const before = sent.get(event.target)
  if (before !== undefined && event.timeStamp - before < 30000) event.preventDefault()
  else sent.set(event.target, event.timeStamp)
})
addEventListener('pageshow', (event) => { if (event.persisted) sent = new WeakMap() })
`,
)
