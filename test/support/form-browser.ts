// A browser that only follows forms and redirects: it keeps cookies, reads the forms of a page with their hidden fields, and
// sends them as a browser without scripts would. It never leaves the server's origin: an address elsewhere is where it stops.

export interface FormAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface FormRequest {
  method: 'GET' | 'POST'
  /** Path and query on the server. */
  url: string
  headers: Record<string, string>
  payload?: string
}

export interface FormPage extends FormAnswer {
  /** Where it is, from the path on. */
  url: string
  /** Set when the server sent the browser somewhere else: the whole address. */
  left: string | undefined
  /** The heading. */
  title: string
}

export interface FormBrowser {
  open(url: string): Promise<FormPage>
  /** Sends a form of the page that is open. `button` is the id of what is pressed: its name and value go along. */
  submit(fields?: Record<string, string>, options?: { form?: string; button?: string }): Promise<FormPage>
  /** The page that is open. */
  readonly page: FormPage
  cookies: Map<string, string>
}

const mostRedirects = 12

/** `send` asks the server; `origin` is what it calls itself. */
export function createFormBrowser(origin: string, send: (request: FormRequest) => Promise<FormAnswer>): FormBrowser {
  const cookies = new Map<string, string>()
  let page: FormPage | undefined

  const current = (): FormPage => {
    if (page === undefined) throw new Error('no page is open')
    return page
  }

  async function go(first: Omit<FormRequest, 'headers'> & { headers?: Record<string, string> }): Promise<FormPage> {
    let request = first
    for (let redirects = 0; redirects < mostRedirects; redirects += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { ...request.headers, ...(cookie === '' ? {} : { cookie }) }
      const answer = await send({ ...request, headers })
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) keep(line)
      const location = answer.headers['location']
      if (typeof location !== 'string' || answer.status < 300 || answer.status > 399) {
        const title = decodeEntities(/<h1[^>]*>(.*?)<\/h1>/s.exec(answer.body)?.[1] ?? '')
        page = { ...answer, url: request.url, left: undefined, title }
        return page
      }
      const target = URL.canParse(location) ? new URL(location) : new URL(location, `${origin}${request.url}`)
      if (target.origin !== origin) {
        page = { ...answer, url: request.url, left: location, title: '' }
        return page
      }
      request = { method: 'GET', url: target.pathname + target.search }
    }
    throw new Error(`more than ${mostRedirects} redirects, the last to ${request.url}`)
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
    if (value === '' || /;\s*(?:Max-Age=0|Expires=Thu, 01 Jan 1970)/i.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }

  return {
    cookies,
    open: (url) => go({ method: 'GET', url }),
    async submit(fields = {}, { form, button } = {}) {
      const { body, url } = current()
      const found = formOf(body, form)
      const pressed = button === undefined ? {} : buttonOf(body, button)
      const payload = new URLSearchParams({ ...found.fields, ...fields, ...pressed }).toString()
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: 'null',
      }
      return go({ method: 'POST', url: found.action === '' ? url : found.action, headers, payload })
    },
    get page() {
      return current()
    },
  }
}

/** The action and the fields with their values of a form, the first one or that with an id. */
function formOf(body: string, id: string | undefined): { action: string; fields: Record<string, string> } {
  const forms = [...body.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
  const form = forms.find(([, attributes = '']) => id === undefined || attribute(attributes, 'id') === id)
  if (form === undefined) throw new Error(`the page has no form ${id ?? ''}:\n${body}`)
  const [, attributes = '', content = ''] = form
  const fields: Record<string, string> = {}
  for (const [, input = ''] of content.matchAll(/<input\b([^>]*)>/g)) {
    const name = attribute(input, 'name')
    const ticked = !/type="(?:checkbox|radio)"/.test(input) || /\bchecked\b/.test(input)
    if (name !== undefined && ticked) fields[name] = attribute(input, 'value') ?? ''
  }
  return { action: attribute(attributes, 'action') ?? '', fields }
}

function buttonOf(body: string, id: string): Record<string, string> {
  const buttons = [...body.matchAll(/<button\b([^>]*)>/g)].map(([, attributes = '']) => attributes)
  const button = buttons.find((attributes) => attribute(attributes, 'id') === id)
  if (button === undefined) throw new Error(`the page has no button ${id}:\n${body}`)
  const name = attribute(button, 'name')
  return name === undefined ? {} : { [name]: attribute(button, 'value') ?? '' }
}

function attribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1]
  return value === undefined ? undefined : decodeEntities(value)
}

function decodeEntities(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole
    return String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10))
  })
}
