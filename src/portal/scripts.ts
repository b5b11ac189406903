// The script of the portal's pages. It only adds what a page cannot do by itself: copy, hide a secret until it is
// requested, hand it out as a file, and ask before a secret that nobody copied is left behind. Without it everything is
// there as text.

import { asset } from '../web/pages/asset.js'

/** Every page of the portal loads it; what it looks for are `data-` attributes of copy.tsx. */
export const portalScript = asset(
  'js',
  `
(() => {
  const here = document.querySelector('.beside ul a[aria-current]')
  const row = here && here.closest('ul')
  if (row && row.scrollWidth > row.clientWidth) {
    row.scrollLeft = here.offsetLeft - row.offsetLeft - (row.clientWidth - here.offsetWidth) / 2
  }
  const said = document.createElement('p')
  said.className = 'unseen'
  said.setAttribute('role', 'status')
  document.querySelector('main').append(said)
  const button = (id, text, label) => {
    const made = document.createElement('button')
    made.type = 'button'
    made.id = id
    made.className = 'quiet'
    made.textContent = text
    made.setAttribute('aria-label', label)
    return made
  }
  const textOf = (element) => 'value' in element ? element.value : element.textContent
  let kept = false
  const keep = (element) => {
    if (element.hasAttribute('data-secret') || element.hasAttribute('data-download')) kept = true
  }
  const byHand = (element) => {
    const { type } = element
    // Browsers copy nothing out of a masked field.
    if (type === 'password') element.type = 'text'
    if ('select' in element) element.select()
    else getSelection().selectAllChildren(element)
    const done = document.execCommand('copy')
    if (type === 'password') element.type = type
    return done
  }
  for (const element of document.querySelectorAll('[data-copy]')) {
    const name = element.dataset.copy
    const copy = button(element.id + '-copy', 'Copy', 'Copy: ' + name)
    copy.addEventListener('click', async () => {
      let done = true
      try {
        await navigator.clipboard.writeText(textOf(element))
      } catch {
        done = byHand(element)
      }
      if (done) keep(element)
      copy.textContent = done ? 'Copied' : 'Select it'
      said.textContent = done ? name + ': copied' : name + ': select the text and copy it'
      setTimeout(() => { copy.textContent = 'Copy'; said.textContent = '' }, 2500)
    })
    const bar = element.parentElement.querySelector('.bar')
    if (bar) bar.append(copy)
    else element.after(copy)
  }
  for (const input of document.querySelectorAll('[data-secret]')) {
    const show = button(input.id + '-show', 'Show', 'Show: ' + input.dataset.secret)
    const hide = (hidden) => {
      input.type = hidden ? 'password' : 'text'
      show.textContent = hidden ? 'Show' : 'Hide'
      show.setAttribute('aria-label', (hidden ? 'Show: ' : 'Hide: ') + input.dataset.secret)
    }
    show.addEventListener('click', () => hide(input.type === 'text'))
    hide(true)
    input.after(show)
  }
  for (const area of document.querySelectorAll('[data-download]')) {
    const save = button(area.id + '-download', 'Download .env', 'Download .env: ' + area.dataset.download)
    save.className = 'plain'
    save.addEventListener('click', () => {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([textOf(area) + '\\n'], { type: 'text/plain' }))
      link.download = area.dataset.download
      link.click()
      URL.revokeObjectURL(link.href)
      keep(area)
    })
    const place = document.getElementById(area.id + '-place')
    if (place) place.append(save)
    else area.after(save)
    const folded = area.closest('[data-folded]')
    if (folded) folded.hidden = true
  }
  if (!document.querySelector('[data-secret]')) return
  addEventListener('beforeunload', (event) => { if (!kept) event.preventDefault() })
})()
`,
)
