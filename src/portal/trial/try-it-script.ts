// The script of Try it: it calls paths of this origin with the token of the page and shows what came back, as text
// only.

import { asset } from '../../web/pages/asset.js'

/**
 * Looks for `#call-form` and what stands around it (call-console.tsx). No cookies go along, no redirect is followed,
 * and an address elsewhere is refused before anything is sent.
 */
export const tryItScript = asset(
  'js',
  `
(() => {
  const at = (id) => document.getElementById(id)
  const form = at('call-form')
  if (!form) return
  const token = at('token').value
  const [method, path, body, curl] = ['method', 'path', 'body', 'curl'].map(at)
  const longest = 200000
  form.hidden = false
  at('without-scripts').hidden = true

  const expires = Number(at('expires').dataset.expires)
  const tick = () => {
    const left = Math.floor((expires - Date.now()) / 1000)
    at('expires').textContent = left > 0
      ? 'Expires in ' + Math.floor(left / 60) + ':' + String(left % 60).padStart(2, '0')
      : 'Expired: get another one'
    if (left <= 0) clearInterval(ticking)
  }
  const ticking = setInterval(tick, 1000)
  tick()

  const hasBody = () => !['GET', 'DELETE'].includes(method.value) && body.value !== ''
  const quoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'"
  const command = (shown) => [
    form.dataset.curl + (method.value === 'GET' ? '' : ' -X ' + method.value) + ' ' + quoted(location.origin + path.value),
    "  -H " + quoted('Authorization: Bearer ' + shown),
    ...(hasBody() ? ["  -H 'Content-Type: application/json'", '  -d ' + quoted(body.value)] : []),
  ].join(' \\\\\\n')
  let revealed = false
  const say = () => {
    at('body-field').hidden = ['GET', 'DELETE'].includes(method.value)
    curl.textContent = command(revealed ? token : token.slice(0, 12) + '…')
  }
  // The copy button takes the value, which works as it is; what is shown is short.
  Object.defineProperty(curl, 'value', { get: () => command(token) })
  const reveal = document.createElement('button')
  reveal.type = 'button'
  reveal.id = 'reveal'
  reveal.className = 'quiet'
  reveal.textContent = 'Show the token'
  reveal.addEventListener('click', () => {
    revealed = !revealed
    reveal.textContent = revealed ? 'Hide the token' : 'Show the token'
    say()
  })
  curl.parentElement.querySelector('.bar').append(reveal)
  for (const field of [method, path, body]) field.addEventListener('input', say)
  for (const example of document.querySelectorAll('[data-path]')) {
    example.addEventListener('click', () => {
      method.value = 'GET'
      path.value = example.dataset.path
      say()
      form.requestSubmit()
    })
  }
  say()

  const element = (name, text) => {
    const made = document.createElement(name)
    made.textContent = text
    return made
  }
  const pretty = (text, type) => {
    if (!/json/.test(type)) return text
    try {
      return JSON.stringify(JSON.parse(text), null, 2)
    } catch {
      return text
    }
  }
  const show = (status, kind, details) => {
    at('answer').hidden = false
    at('answer-status').textContent = status
    at('answer-status').className = 'status ' + kind
    at('answer-time').textContent = details.ms === undefined ? '' : details.ms + ' ms'
    const place = at('answer-request')
    place.replaceChildren()
    if (details.requestId) {
      const link = element('a', details.requestId)
      link.href = at('answer').dataset.explain + encodeURIComponent(details.requestId)
      place.append(element('span', 'request-id '), link)
    }
    at('answer-headers').replaceChildren(...(details.headers || []).map(([name, value]) => {
      const row = document.createElement('div')
      row.append(element('dt', name), element('dd', value))
      return row
    }))
    const answered = at('answer-body')
    answered.value = details.body || ''
    answered.hidden = !details.body
    answered.rows = Math.min(24, Math.max(2, answered.value.split('\\n').length))
    at('answer').focus()
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    let url
    try {
      url = new URL(path.value, location.origin)
    } catch {
      url = undefined
    }
    if (!path.value.startsWith('/') || !url || url.origin !== location.origin) {
      show('Not sent', 'bad', { body: 'A path of this server begins with one slash, such as /api/v2/me.' })
      return
    }
    const began = performance.now()
    try {
      const response = await fetch(url, {
        method: method.value,
        headers: { authorization: 'Bearer ' + token, ...(hasBody() ? { 'content-type': 'application/json' } : {}) },
        ...(hasBody() ? { body: body.value } : {}),
        credentials: 'omit',
        redirect: 'manual',
        cache: 'no-store',
      })
      if (response.type === 'opaqueredirect') {
        show('A redirect', '', { body: 'The answer leads to another address. It is not followed from here.' })
        return
      }
      const text = await response.text()
      const ms = Math.round(performance.now() - began)
      const type = response.headers.get('content-type') || ''
      const shown = pretty(text, type)
      show(response.status + ' ' + response.statusText, response.ok ? 'good' : 'bad', {
        ms,
        requestId: response.headers.get('request-id'),
        headers: [...response.headers],
        body: shown.length > longest ? shown.slice(0, longest) + '\\n… (' + shown.length + ' characters)' : shown,
      })
    } catch (error) {
      show('No answer', 'bad', { body: String(error) })
    }
  })
})()
`,
)
