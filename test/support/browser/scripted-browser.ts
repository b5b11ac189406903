// A browser without a screen: keeps cookies, follows redirects on one origin, fills in the forms of a page. Over any
// way of sending a request: app.inject, or real HTTPS.

export interface SentRequest {
  method: 'GET' | 'POST'
  /** Path and query on our origin. */
  path: string
  headers: Record<string, string>
  body: string | undefined
  /** Instead of it: a form with files. */
  bytes?: Buffer
}

export interface Received {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface Shown extends Received {
  /** Path and query that gave it. */
  path: string
  /** Where it redirects to, as written. */
  location: string | undefined
}

export interface ScriptedBrowser {
  cookies: Map<string, string>
  /** One request, without following anything. */
  get(path: string): Promise<Shown>
  post(path: string, fields: Record<string, string> | string | Buffer, headers?: Record<string, string>): Promise<Shown>
  /** Follows redirects that stay on our origin. */
  follow(shown: Shown): Promise<Shown>
  /** get and follow. */
  open(path: string): Promise<Shown>
  /** Sends the form with that id as it is, with `fields` over it, and follows. */
  submit(page: Shown, formId: string, fields?: Record<string, string>): Promise<Shown>
}

/** A new browser. `origin` is ours, `send` the way to it. */
export function createScriptedBrowser(
  origin: string,
  send: (request: SentRequest) => Promise<Received>,
): ScriptedBrowser {
  const cookies = new Map<string, string>()

  async function exchange(
    method: 'GET' | 'POST',
    path: string,
    sent?: string | Buffer,
    more: Record<string, string> = {},
  ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...more }
    const received = await send({ method, path, headers, ...contentOf(sent) })
    for (const line of [received.headers['set-cookie'] ?? []].flat()) keep(cookies, line)
    const { location } = received.headers
    return { ...received, path, location: typeof location === 'string' ? location : undefined }
  }

  const browser: ScriptedBrowser = {
    cookies,
    get: (path) => exchange('GET', path),
    post: (path, fields, headers = {}) =>
      exchange(
        'POST',
        path,
        typeof fields === 'string' || Buffer.isBuffer(fields) ? fields : new URLSearchParams(fields).toString(),
        {
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
      ),
    async follow(shown) {
      let now = shown
      for (let hops = 0; hops < 20; hops += 1) {
        const path = ownPath(origin, now.location)
        if (path === undefined) return now
        now = await browser.get(path)
      }
      throw new Error(`the redirects do not end: ${now.path}`)
    },
    open: async (path) => browser.follow(await browser.get(path)),
    async submit(page, formId, fields = {}) {
      const form = formOf(page, formId)
      const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
      return browser.follow(await browser.post(form.action, { ...form.fields, ...fields }, headers))
    },
  }
  return browser
}

function contentOf(sent: string | Buffer | undefined): Pick<SentRequest, 'body' | 'bytes'> {
  return Buffer.isBuffer(sent) ? { body: undefined, bytes: sent } : { body: sent }
}

/** A form of a page: where it goes, and its hidden fields. Throws when the page has no such form. */
export function formOf(page: Received, formId: string): { action: string; fields: Record<string, string> } {
  const form = new RegExp(`<form\\b[^>]*\\bid="${formId}"[^>]*>([\\s\\S]*?)</form>`).exec(page.body)
  if (form === null) throw new Error(`no form ${formId} (status ${page.status}): ${page.body.slice(0, 3000)}`)
  const fields: Record<string, string> = {}
  for (const [input] of (form[1] ?? '').matchAll(/<input\b(?:[^>"]|"[^"]*")*>/g)) {
    const name = attribute(input, 'name')
    if (name !== undefined && attribute(input, 'type') === 'hidden') fields[name] = attribute(input, 'value') ?? ''
  }
  return { action: attribute(form[0], 'action') ?? '', fields }
}

/** The text of the element with that id, without tags. */
export function textOf(page: Received, id: string): string {
  const found = new RegExp(`<([a-z0-9]+)[^>]*\\bid="${id}"[^>]*>([\\s\\S]*?)</\\1>`).exec(page.body)
  return decode((found?.[2] ?? '').replace(/<[^>]*>/g, ''))
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return found === undefined ? undefined : decode(found)
}

function decode(text: string): string {
  return text
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&#39;|&apos;/g, "'")
    .replace(/&amp;/g, '&')
}

function ownPath(origin: string, location: string | undefined): string | undefined {
  if (location === undefined) return undefined
  if (location.startsWith('/') && !location.startsWith('//')) return location
  return location.startsWith(`${origin}/`) ? location.slice(origin.length) : undefined
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';')
  const equals = pair.indexOf('=')
  const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
  const gone = value === '' || attributes.some((each) => /^\s*max-age=0$/i.test(each))
  if (gone) cookies.delete(name)
  else cookies.set(name, value)
}
