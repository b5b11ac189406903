// What every page with a form or a time has as a script. An impatient double click: the second sending of a form is swallowed while the first one's answer is on its way.
// Without it the second would interrupt the first, whose answer may be the one that leads back to the application.
// And times: pages say them in UTC, because the server does not know the reader's zone; the browser does. A time that
// stands in a text is found by its form, so that whatever says one says it in one way.

import { asset } from './asset.js'

/**
 * For every page that has a form or a time. Nothing on the form changes, so that each button still sends its own name, and a
 * sending that was prevented (a passkey is needed first) does not count. Half a minute later, or back on the page from
 * the browser's cache, one may try again: loading may have been stopped.
 */
export const submitOnceScript = asset(
  'js',
  `
const { lang } = document.documentElement
const inZone = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { dateStyle: 'medium', timeStyle: 'short' })
const localized = (ms, inUtc) => {
  const time = document.createElement('time')
  time.dateTime = new Date(ms).toISOString()
  time.textContent = inZone.format(ms)
  time.title = inUtc
  return time
}
const clock = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { timeStyle: 'short' })
for (const time of document.querySelectorAll('time[datetime]')) {
  const ms = Date.parse(time.dateTime)
  if (/^\\d\\d:\\d\\d( UTC)?$/.test(time.textContent) && ms) {
    time.title = time.textContent.slice(0, 5) + ' UTC'
    time.textContent = clock.format(ms)
    continue
  }
  if (/^[^\\n]* UTC$/.test(time.textContent) && ms) time.replaceWith(localized(ms, time.title || time.textContent))
}
const known = /\\b(\\d{1,2} [A-Z][a-z]{2,3} \\d{4}), (\\d\\d:\\d\\d) UTC/
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
const found = []
while (texts.nextNode()) {
  const { parentElement: at, data } = texts.currentNode
  if (known.test(data) && !at.closest('code, pre, script, time, textarea, option, bdi')) found.push(texts.currentNode)
}
for (let node of found) {
  for (let match = known.exec(node.data); match; match = known.exec(node.data)) {
    const ms = Date.parse(match[1].replace('Sept', 'Sep') + ' ' + match[2] + ' UTC')
    if (!ms) break
    node = node.splitText(match.index)
    const rest = node.splitText(match[0].length)
    node.replaceWith(localized(ms, match[0]))
    node = rest
  }
}
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
