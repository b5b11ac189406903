// The scripts of the few pages that have one of their own. Pages work without them, passkeys excepted: they only show
// what the browser can do beyond a form, and hand it in through the form that stands there.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { asset } from './asset.js'

const resolve = createRequire(import.meta.url).resolve
/** The library's own bundle for browsers; it stands beside the module that the package names. */
const bundle = resolve('@simplewebauthn/browser').replace(
  /[\\/](?:script|esm)[\\/]index\.js$/,
  '/dist/bundle/index.umd.min.js',
)

/** Each password gets a button that shows what was typed; hidden again before it is sent. */
const showPassword = `
for (const input of document.querySelectorAll('input[type=password]')) {
  const button = document.createElement('button')
  const name = input.labels[0].textContent
  button.type = 'button'
  button.id = input.id + '-show'
  button.className = 'quiet show'
  const say = () => {
    const shown = input.type === 'text'
    const { show, hide } = input.dataset
    button.textContent = shown ? hide : show
    button.setAttribute('aria-label', (shown ? hide : show) + ': ' + name)
  }
  button.addEventListener('click', () => {
    input.type = input.type === 'text' ? 'password' : 'text'
    say()
  })
  input.form.addEventListener('submit', () => { input.type = 'password' })
  say()
  // Behind the field for who goes from field to field by keyboard; the stylesheet puts it beside the label.
  input.after(button)
  button.parentElement.classList.add('showable')
}
`

/** Forms with `data-passkey-get` or `data-passkey-create`: the options; the answer goes into the form's `passkey`. */
const passkeys = `
(() => {
  const kit = window.SimpleWebAuthnBrowser
  if (!kit || !kit.browserSupportsWebAuthn()) return
  const send = (form, answer) => {
    form.elements.passkey.value = JSON.stringify(answer)
    form.submit()
  }
  const failed = (form, error) => {
    if (error && (error.name === 'AbortError' || error.code === 'ERROR_CEREMONY_ABORTED')) return
    const place = form.querySelector('[data-passkey-failed]')
    if (place) place.hidden = false
  }
  for (const form of document.querySelectorAll('form[data-passkey-get]')) {
    const optionsJSON = JSON.parse(form.dataset.passkeyGet)
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      kit.startAuthentication({ optionsJSON }).then((answer) => send(form, answer), (error) => failed(form, error))
    })
    kit.browserSupportsWebAuthnAutofill().then((can) => {
      if (!can || !document.querySelector('input[autocomplete$=webauthn]')) return
      kit.startAuthentication({ optionsJSON, useBrowserAutofill: true }).then((answer) => send(form, answer), () => {})
    })
  }
  for (const form of document.querySelectorAll('form[data-passkey-create]')) {
    const optionsJSON = JSON.parse(form.dataset.passkeyCreate)
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      kit.startRegistration({ optionsJSON }).then((answer) => send(form, answer), (error) => failed(form, error))
    })
  }
  for (const place of document.querySelectorAll('[data-without-passkeys]')) place.hidden = true
})()
`

/** Lists with `data-copy`: their lines to the clipboard, or as a file. Without it they can be read and selected. */
const codes = `
for (const list of document.querySelectorAll('ul[data-copy]')) {
  const { copy, copied, download, file } = list.dataset
  const text = () => [...list.children].map((line) => line.textContent).join('\\n') + '\\n'
  const row = document.createElement('p')
  row.className = 'code-buttons'
  const said = document.createElement('span')
  said.className = 'fine'
  said.setAttribute('role', 'status')
  const button = (id, name, act) => {
    const made = document.createElement('button')
    made.type = 'button'
    made.id = list.id + id
    made.className = 'plain'
    made.textContent = name
    made.addEventListener('click', act)
    row.append(made)
  }
  const byHand = () => {
    getSelection().selectAllChildren(list)
    return document.execCommand('copy')
  }
  button('-copy', copy, async () => {
    let done = true
    try { await navigator.clipboard.writeText(text()) } catch { done = byHand() }
    said.textContent = done ? copied : ''
  })
  button('-download', download, () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text()], { type: 'text/plain' }))
    link.download = file
    link.click()
    URL.revokeObjectURL(link.href)
  })
  row.append(said)
  list.after(row)
}
`

/** For the page that shows recovery codes. */
export const codesScript = asset('js', codes)

/** For pages with a password field. */
export const passwordScript = asset('js', showPassword)

/** For pages on which a passkey is made or used. */
export const passkeyScript = asset('js', `${readFileSync(bundle, 'utf8')}\n${passkeys}${showPassword}`)
