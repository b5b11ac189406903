// A button on each block of code that copies it. Without scripts, and where the browser has no clipboard for the page,
// a block is text that can be selected.

import { asset } from '../pages/asset.js'

/** For every page of the documentation. */
export const copyScript = asset(
  'js',
  `
(() => {
  const blocks = document.querySelectorAll('.prose pre')
  if (blocks.length === 0 || !navigator.clipboard) return
  const said = document.createElement('p')
  said.className = 'unseen'
  said.setAttribute('role', 'status')
  document.querySelector('main').append(said)
  for (const block of blocks) {
    const text = block.textContent.replace(/\\n$/, '')
    const copy = document.createElement('button')
    copy.type = 'button'
    copy.className = 'quiet'
    copy.textContent = 'Copy'
    copy.setAttribute('aria-label', 'Copy: ' + text.split('\\n')[0].slice(0, 60))
    let back
    copy.addEventListener('click', async () => {
      let word = 'Copied'
      try {
        await navigator.clipboard.writeText(text)
      } catch {
        getSelection().selectAllChildren(block)
        word = 'Selected'
      }
      copy.textContent = said.textContent = word
      clearTimeout(back)
      back = setTimeout(() => { copy.textContent = 'Copy'; said.textContent = '' }, 2000)
    })
    const frame = document.createElement('div')
    frame.className = 'copied'
    block.replaceWith(frame)
    frame.append(block, copy)
  }
})()
`,
)
