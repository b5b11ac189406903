// What somebody looks for who got hold of a dump or a log: known secrets in whatever spelling, and every string that
// could be a secret.

/** What a token, a secret, a link or a key may look like: long, and of the letters that they are written in. */
const candidate = /[A-Za-z0-9_=+/.~-]{16,4096}/g
/** The same without what stands between a name and its value, or between the parts of a path. */
const word = /[A-Za-z0-9_-]{16,4096}/g
/** Ours by their prefix, and tokens, wherever they stand in a longer string. */
const ours = /pcl_[a-z]{2}_[0-9A-Za-z]{43}|eyJ[\w-]+\.[\w-]+\.[\w-]+/g
const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The spellings of a secret that a log or a dump could have. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const bare = secret.replace(/^pcl_[a-z]{2}_/, '')
  // The part of a token without which the rest of it is nothing.
  const signature = /^eyJ[\w-]+\.[\w-]+\.([\w-]+)$/.exec(secret)?.[1] ?? secret
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  // Base64 without its ends, which depend on what stands beside it.
  const shifted = [0, 1, 2].map((pad) =>
    Buffer.concat([Buffer.alloc(pad), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  const spellings = [
    ...[secret, bare, signature, secret.replaceAll('-', ''), secret.toUpperCase(), secret.replace('.', '%2E')],
    ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase(), percent, percent.toUpperCase()],
    ...[encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1), JSON.stringify(secret)],
    ...[...shifted, ...shifted.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))],
  ]
  return [...new Set(spellings)].filter((text) => text.length >= Math.min(8, secret.length))
}

/** Which of the known secrets stand where, in any spelling. Empty: none does. */
export function foundSecrets(known: ReadonlyMap<string, string>, places: Readonly<Record<string, Buffer>>): string[] {
  return [...known].flatMap(([name, secret]) => {
    const spellings = spellingsOf(secret)
    return Object.entries(places)
      .filter(([, bytes]) => spellings.some((spelling) => bytes.includes(spelling)))
      .map(([source]) => `${source} has the ${name}`)
  })
}

/** Every string that could be a secret, each once; those that only name something (GUIDs) last. */
export function candidatesIn(places: Readonly<Record<string, Buffer>>): string[] {
  const found = new Set<string>()
  for (const bytes of Object.values(places)) {
    const text = bytes.toString('latin1')
    for (const pattern of [candidate, word, ours]) for (const [one] of text.matchAll(pattern)) found.add(one)
  }
  return [...found].sort((one, other) => Number(guid.test(one)) - Number(guid.test(other)))
}
