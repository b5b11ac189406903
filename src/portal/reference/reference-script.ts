// The script of the reference: what is typed narrows the page at once, and an operation that an address names is open.

import { asset } from '../../web/pages/asset.js'

/** Looks for what reference-view.tsx writes. Without it the form asks the server. */
export const referenceScript = asset(
  'js',
  `
(() => {
  const form = document.getElementById('reference-search')
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (!target) return
    const outer = target.closest('details')
    if (outer) outer.open = true
    target.scrollIntoView()
  }
  addEventListener('hashchange', open)
  open()
  // What the server left out cannot come back here.
  if (!form || new URLSearchParams(location.search).get('q')) return
  const field = document.getElementById('q')
  const entries = [...document.querySelectorAll('.entry')]
  const links = new Map([...document.querySelectorAll('[data-of]')].map((link) => [link.dataset.of, link.parentElement]))
  const chapters = [...document.querySelectorAll('.chapter')]
  const about = document.getElementById('about-reference')
  const pages = document.getElementById('pages')
  const narrow = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
    let count = 0
    for (const entry of entries) {
      const fits = words.every((word) => entry.dataset.text.includes(word))
      if (fits) count += 1
      entry.hidden = !fits
      const link = links.get(entry.querySelector('details').id)
      if (link) link.hidden = !fits
    }
    for (const chapter of chapters) {
      chapter.hidden = !chapter.querySelector('.entry:not([hidden])')
      const item = document.querySelector('[data-chapter="' + CSS.escape(chapter.id) + '"]')
      if (item) item.hidden = chapter.hidden
    }
    for (const other of [about, pages]) if (other) other.hidden = words.length > 0
    document.getElementById('nothing-found').hidden = count > 0 || words.length === 0
    document.getElementById('found').textContent =
      words.length === 0 ? '' : count === 1 ? '1 operation' : count + ' operations'
  }
  field.addEventListener('input', narrow)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    narrow()
  })
  narrow()
})()
`,
)
