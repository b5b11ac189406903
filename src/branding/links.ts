// Where a brand may lead: pages over https, and for support an address to write to. Nothing that runs (javascript:, data:),
// that carries credentials, or that writes the mail for the reader.

/** Which link; the terms, the statement on privacy, where help is, and the home page of an application. */
export type LinkKind = 'terms' | 'privacy' | 'support' | 'home'

const longestLink = 512
const mailbox =
  /^mailto:(?=[\x21-\x7e]+$)[^\s@?&#%<>"(),:;\\/]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i

/** What is wrong with it, as the end of a sentence that begins with its name; undefined for one that may be shown. */
export function linkProblem(text: string, kind: LinkKind): string | undefined {
  if (text.length > longestLink) return `is at most ${longestLink} characters long`
  if (kind === 'support' && /^mailto:/i.test(text)) {
    return mailbox.test(text) ? undefined : 'is mailto: and one address in ASCII, without a subject or anything else'
  }
  const wanted = kind === 'support' ? 'is an https:// address, or mailto: and one address' : 'is an https:// address'
  // A browser drops line ends and tabs inside an address, and reads \ as /.
  if (!/^https:\/\/[^\s\\\p{C}]+$/iu.test(text) || !URL.canParse(text)) return wanted
  const { protocol, username, password, hostname } = new URL(text)
  if (protocol !== 'https:' || hostname === '') return wanted
  return username === '' && password === '' ? undefined : 'has no name or password in it'
}
