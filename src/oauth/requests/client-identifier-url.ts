// Client identifiers that are URLs (draft-ietf-oauth-client-id-metadata-document-00 §3): the client says by its
// `client_id` where its metadata is. What such a URL may look like is decided before anything is fetched; it has one
// spelling, so that no two of them are one client, and nobody reads another host than the one that is called.

const longest = 512
const scheme = 'https://'

/** Whether a `client_id` is meant to be one. GUIDs and public keys never are. */
export function isClientIdentifierUrl(text: string | undefined): text is string {
  return text?.startsWith(scheme) === true
}

/** Why it is none that is taken, as a sentence for the developer of the client; undefined when it is one. */
export function clientIdentifierUrlProblem(text: string): string | undefined {
  if (text.length > longest) return `A client_id that is a URL has at most ${longest} characters.`
  if (!/^[\x21-\x7e]+$/.test(text) || !text.startsWith(scheme) || !URL.canParse(text)) {
    return 'A client_id that is a URL begins with https:// and is plain ASCII.'
  }
  if (text.includes('#')) return 'A client_id that is a URL has no fragment.'
  if (text.includes('?')) return 'A client_id that is a URL has no query.'
  const [authority = '', ...path] = text.slice(scheme.length).split('/')
  if (authority.includes('@')) return 'A client_id that is a URL has no user information.'
  if (path.join('/') === '') return 'A client_id that is a URL has a path, such as /client.json.'
  if (/\/(?:\.|%2e){1,2}(?:[/;]|$)/i.test(text) || /%(?:2e|2f|5c)/i.test(text)) {
    return 'A client_id that is a URL has no dot segments and no encoded dots or slashes.'
  }
  const { href } = new URL(text)
  return href === text
    ? undefined
    : 'A client_id that is a URL is written in its one canonical form, in lower case up to the path, without a default port.'
}
