// Names that lead somewhere: URLs, e-mail addresses, domains. A reader of such a name in a mail or on a page would go
// there.

/** Generic top-level domains that people know, or that are sold to those who want to be clicked. */
const generic = new Set(
  `com org net edu gov mil int info biz name pro app dev page pages site online shop store xyz top club live cloud tech link click
  work email mail support security help vip icu life world today space website digital agency company services solutions group
  media news blog wiki zone center team systems network host hosting web ltd inc gmbh bank finance money pay zip mov foo new day
  fun one art design global asia tel jobs mobi travel museum aero coop post onion local localhost example test invalid`.split(
    /\s+/,
  ),
)
/** Two letters are a country's, but these are read as kinds of files. */
const files = new Set([
  'js',
  'ts',
  'md',
  'py',
  'rs',
  'sh',
  'pl',
  'ps',
  'cs',
  'vb',
  'go',
  'rb',
  'db',
  'kt',
  'hs',
  'ex',
  'mm',
])
/** Products that are called so. */
const products = new Set(['asp.net', 'ado.net', 'vb.net', 'ml.net', 'socket.io'])

/**
 * What in the name is an address, undefined for nothing. `strict`: every two words with a dot between, as for names
 * that stand in mails; else those with a top-level domain at their end, so that Node.js, v2.0 and ASP.NET may be.
 */
export function addressIn(name: string, strict: boolean): string | undefined {
  const plain = name
    .normalize('NFKC')
    .replace(/[\u3002\uff61\u2024\u00b7\u2027]/gu, '.')
    .toLowerCase()
  const words = plain.split(/\s/u)
  const direct = words.find((word) => isLink(word) || isMailAddress(word) || (strict && /[@\\]|\/\//u.test(word)))
  return direct ?? dotted(plain).find((each) => isDomain(each, strict))
}

/** The word of a person's name that is a link; undefined for none. People may be called by their e-mail address. */
export function linkIn(name: string): string | undefined {
  return name.split(/\s/u).find((word) => word.includes('://') || /\bwww\./iu.test(word))
}

function isLink(word: string): boolean {
  return word.includes('://') || /\bwww\d*\./u.test(word) || /\b(?:https?|mailto|javascript|data|tel):/u.test(word)
}

/** Something before an @, and a dot within what comes after it. */
function isMailAddress(word: string): boolean {
  const at = word.indexOf('@', 1)
  return at !== -1 && word.lastIndexOf('.', word.length - 2) > at + 1
}

/** Every run of letters, digits and hyphens with single dots between. */
function dotted(text: string): string[] {
  const runs = text.split(/[^\p{L}\p{N}.-]/u).flatMap((run) => run.split('..'))
  return runs.map((run) => run.replace(/^\./u, '').replace(/\.$/u, '')).filter((run) => run.includes('.'))
}

function isDomain(text: string, strict: boolean): boolean {
  const labels = text.split('.')
  const last = labels.at(-1) ?? ''
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return true
  if (!/^(?:\p{L}{2,}|xn--[a-z0-9-]+)$/u.test(last)) return false
  if (strict) return true
  if (products.has(text)) return false
  return generic.has(last) || /^xn--/.test(last) || (/^[a-z]{2}$/.test(last) && !files.has(last))
}
