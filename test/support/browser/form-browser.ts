// A scripted browser that has one page open, as a person has: forms are sent with what they are filled in with, by the
// button that is pressed, and an address elsewhere is where it stops.

import { createScriptedBrowser, formOf, type Received, type Shown } from './scripted-browser.js'

export type FormAnswer = Received

export interface FormRequest {
  method: 'GET' | 'POST'
  /** Path and query on the server. */
  url: string
  headers: Record<string, string>
  payload?: string
}

export interface FormPage extends Shown {
  /** Where it is, from the path on. */
  url: string
  /** Set when the server sent the browser somewhere else: the whole address. */
  left: string | undefined
  /** The heading. */
  title: string
}

export interface FormBrowser {
  open(path: string): Promise<FormPage>
  /**
   * Sends a form of the page that is open, the first one unless `form` names it. `button`: the id of what is pressed.
   */
  submit(fields?: Record<string, string>, options?: { form?: string; button?: string }): Promise<FormPage>
  /** The page that is open. */
  readonly page: FormPage
  cookies: Map<string, string>
}

/** A new browser. `origin` is ours, `send` the way to it. */
export function createFormBrowser(origin: string, send: (request: FormRequest) => Promise<FormAnswer>): FormBrowser {
  const browser = createScriptedBrowser(origin, ({ path, body, ...rest }) =>
    send({ ...rest, url: path, ...(body === undefined ? {} : { payload: body }) }),
  )
  let open: FormPage | undefined
  const current = () => {
    if (open === undefined) throw new Error('no page is open')
    return open
  }
  const show = (shown: Shown): FormPage => {
    open = { ...shown, url: shown.path, left: shown.location, title: /<h1[^>]*>([^<]*)/.exec(shown.body)?.[1] ?? '' }
    return open
  }
  return {
    cookies: browser.cookies,
    open: async (path) => show(await browser.open(path)),
    async submit(fields = {}, { form, button } = {}) {
      const page = current()
      const id = form ?? attribute(/<form\b[^>]*>/.exec(page.body)?.[0], 'id') ?? ''
      const filled = { ...filledIn(page, id), ...fields, ...pressed(page, button) }
      return show(await browser.submit(page, id, filled))
    },
    get page() {
      return current()
    },
  }
}

/** What the form's text fields say as they came. */
function filledIn(page: Shown, id: string): Record<string, string> {
  // Throws when the page has no such form.
  formOf(page, id)
  const form = new RegExp(`<form\\b[^>]*\\bid="${id}"[^>]*>([\\s\\S]*?)</form>`).exec(page.body)?.[1] ?? ''
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([input]) => input)
  const texts = inputs.filter((input) => /\btype="(?:text|email)"/.test(input))
  return Object.fromEntries(texts.map((input) => [attribute(input, 'name') ?? '', attribute(input, 'value') ?? '']))
}

function pressed(page: Shown, id: string | undefined): Record<string, string> {
  if (id === undefined) return {}
  const button = new RegExp(`<button\\b[^>]*\\bid="${id}"[^>]*>`).exec(page.body)?.[0]
  if (button === undefined) throw new Error(`the page has no button ${id}: ${page.body}`)
  const name = attribute(button, 'name')
  return name === undefined ? {} : { [name]: attribute(button, 'value') ?? '' }
}

function attribute(tag: string | undefined, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag ?? '')?.[1]
}
