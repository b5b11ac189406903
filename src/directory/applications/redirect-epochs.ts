// Which origins of an application's redirect URIs its people were prompted about (contract §8). Each change that brings
// an origin that was not among them begins an epoch, of which the new origins are; when an answer would go to an origin
// of a later epoch than the one in which a person, or an administrator for them, was last prompted, they are prompted
// once more. A number, so that no clock decides it.

export interface RedirectEpochs {
  /** The newest one; 0: as it was registered. */
  current: number
  /** Of each origin that came later, the epoch that it came in. */
  of: ReadonlyMap<string, number>
}

/** From the column of the application's row. */
export function readRedirectEpochs(column: string): RedirectEpochs {
  if (column === '') return { current: 0, of: new Map() }
  const { current, of } = JSON.parse(column) as { current: number; of: [string, number][] }
  return { current, of: new Map(of) }
}

/** The epochs after the list was replaced, as the column has them, the origins that are new, and all. */
export function nextRedirectEpochs(
  { redirectUris, redirectEpochs: before }: { redirectUris: readonly string[]; redirectEpochs: RedirectEpochs },
  after: readonly string[],
): { column: string; added: readonly string[]; all: readonly string[] } {
  const known = new Set(redirectUris.map(originOf))
  const origins = [...new Set(after.map(originOf))]
  const added = origins.filter((origin) => !known.has(origin))
  const current = before.current + (added.length > 0 ? 1 : 0)
  const of = origins.flatMap((origin): [string, number][] => {
    const epoch = known.has(origin) ? before.of.get(origin) : current
    return epoch === undefined ? [] : [[origin, epoch]]
  })
  return { column: current === 0 ? '' : JSON.stringify({ current, of }), added, all: origins }
}

/** The origin of a registered redirect URI, and its epoch. */
export function epochOf({ of }: RedirectEpochs, redirectUri: string): { origin: string; epoch: number } {
  const origin = originOf(redirectUri)
  return { origin, epoch: of.get(origin) ?? 0 }
}

/** Scheme, host and port; of a private-use scheme, the scheme. */
function originOf(uri: string): string {
  const { origin, protocol } = new URL(uri)
  return origin === 'null' ? protocol : origin
}
