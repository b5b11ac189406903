// Names that lead somewhere: URLs, e-mail addresses, domains. Whoever reads such a name in a mail or on a page would go there.

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
 * What in the name is an address, undefined for nothing. `strict`: every two words with a dot between, as for names that stand in
 * mails; else those with a top-level domain at their end, so that Node.js, v2.0 and ASP.NET may be.
 */
export function addressIn(name: string, strict: boolean): string | undefined {
  const plain = name
    .normalize('NFKC')
    .replace(/[\u3002\uff61\u2024\u00b7\u2027]/gu, '.')
    .toLowerCase()
  const direct =
    /[a-z][a-z0-9+.-]*:\/\/\S*|\bwww\d*\.\S*|\b(?:https?|mailto|javascript|data|tel):\S*|\S+@\S+\.\S+/u.exec(plain)
  if (direct !== null) return direct[0]
  if (strict && /[@\\]|\/\//u.test(plain)) return /\S*(?:[@\\]|\/\/)\S*/u.exec(plain)?.[0]
  return (plain.match(/[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu) ?? []).find((each) => isDomain(each, strict))
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
