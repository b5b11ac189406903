// The search of the documentation: it loads the index when somebody begins to type, and looks for sections that have
// every word. Without it the menu remains.

import { asset } from '../pages/asset.js'

/** For every page of the documentation. */
export const searchScript = asset(
  'js',
  `
(() => {
  const box = document.getElementById('docs-search')
  const input = document.getElementById('docs-query')
  const found = document.getElementById('docs-found')
  const results = document.getElementById('docs-results')
  if (!box || !input || !found || !results) return
  box.hidden = false
  let index
  const load = () => (index ??= fetch('/docs/search.json').then((answer) => {
    if (!answer.ok) throw new Error(String(answer.status))
    return answer.json()
  }).catch((error) => { index = undefined; throw error }))
  const score = ([, page, title, text], words) => {
    const [p, h, t] = [page, title, text].map((one) => one.toLowerCase())
    let sum = 0
    for (const word of words) {
      const here = (h.includes(word) ? 8 : 0) + (p.includes(word) ? 4 : 0) + (t.includes(word) ? 1 : 0)
      if (here === 0) return 0
      sum += here
    }
    // Who searches has a task; references have every word.
    return p.endsWith('reference') ? sum / 2 : sum
  }
  const around = (text, word) => {
    const at = text.toLowerCase().indexOf(word)
    if (at < 0) return text.slice(0, 110)
    const from = Math.max(0, at - 40)
    return (from > 0 ? '… ' : '') + text.slice(from, from + 110).trim() + (from + 110 < text.length ? ' …' : '')
  }
  const entry = ([path, page, title, text], word) => {
    const item = document.createElement('li')
    const link = document.createElement('a')
    const words = document.createElement('span')
    link.href = path
    link.textContent = title === '' ? page : page + ' › ' + title
    words.className = 'fine'
    words.textContent = around(text.trim(), word)
    item.append(link, words)
    return item
  }
  const show = async () => {
    const typed = input.value
    const words = typed.toLowerCase().split(/\\s+/).filter((word) => word !== '')
    if (words.length === 0) {
      results.replaceChildren()
      found.textContent = ''
      return
    }
    try {
      const all = await load()
      if (input.value !== typed) return
      const hits = all.map((section) => [score(section, words), section]).filter(([points]) => points > 0)
      hits.sort((one, other) => other[0] - one[0])
      results.replaceChildren(...hits.slice(0, 12).map(([, section]) => entry(section, words[0])))
      found.textContent = hits.length === 0 ? 'Nothing found. Try fewer words.' : hits.length === 1 ? '1 section' : hits.length + ' sections'
    } catch {
      found.textContent = 'The search could not be loaded. The menu has all pages.'
    }
  }
  input.addEventListener('input', () => void show())
})()
`,
)
