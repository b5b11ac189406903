// The services behind the gate as chapters of the document: each that has a document of its own, under the title that
// this gives it. No upstream is named, and nothing is said of operations that no route leads to.

import type { Settings } from '../../config/settings/settings.js'
import type { UpstreamSettings } from '../../config/settings/upstream-settings.js'
import type { OperationGroup } from '../../http/described-operations.js'
import type { PublishedService } from '../../openapi/published/publication.js'
import type { ApiFacts } from './document-types.js'

/** Who reads: anybody, or people who are signed in and members of a tenant. */
export type Reader = 'anybody' | 'members'

export interface ServiceChapter {
  group: OperationGroup
  service: PublishedService
  /** Its operations by the segments of their paths. */
  templates: readonly { method: string; path: string; segments: readonly string[] }[]
}

export interface Services {
  /** The chapter of an upstream; undefined: it has no document, or not for this reader. */
  of(upstream: string): ServiceChapter | undefined
  /** What the document of its service says of itself; undefined for a chapter of none. */
  factsOf(group: OperationGroup): ApiFacts | undefined
  /** Components of what was written so far. */
  schemas(): Record<string, object>
}

/** Of those with a document that `reader` may see. `taken`: names of chapters that there are already. */
export function serviceChapters(
  upstreams: Settings['upstreams'],
  { reader, taken }: { reader: Reader; taken: Iterable<string> },
): Services {
  const names = new Set(taken)
  const prefixes = new Set<string>()
  const byDigest = new Map<string, ServiceChapter>()
  const byUpstream = new Map<string, ServiceChapter>()
  for (const { name, description, documentation } of upstreams.values()) {
    if (description === undefined || !isFor(documentation, reader)) continue
    const known = byDigest.get(description.digest) ?? chapterOf(description, names, prefixes)
    byDigest.set(description.digest, known)
    byUpstream.set(name, known)
  }
  return {
    of: (upstream) => byUpstream.get(upstream),
    factsOf(group) {
      const found = [...byDigest.values()].find((chapter) => chapter.group === group)
      if (found === undefined) return undefined
      const { version, contact } = found.service
      return { ...(version === undefined ? {} : { version }), ...(contact === undefined ? {} : { contact }) }
    },
    schemas: () => Object.assign({}, ...[...byDigest.values()].map(({ service }) => service.schemas())),
  }
}

function isFor(documentation: UpstreamSettings['documentation'], reader: Reader): boolean {
  return documentation === 'everybody' || (documentation === 'members' && reader === 'members')
}

function chapterOf(
  description: NonNullable<UpstreamSettings['description']>,
  names: Set<string>,
  prefixes: Set<string>,
): ServiceChapter {
  const prefixOf = (title: string | undefined) => free(title?.replace(/[^A-Za-z0-9]+/g, '') || 'Service', prefixes, '')
  const service = description.publish(prefixOf)
  const tag = free(service.title ?? 'A service', names, ' ')
  return {
    group: {
      tag,
      description: service.description ?? `Operations of ${tag}, behind the gate.`,
      family: 'api',
      security: [],
      operations: {},
    },
    service,
    templates: service.operations.map((one) => ({ ...one, segments: one.path.split('/') })),
  }
}

/** The name, or with a number behind it; from then on it is taken. Names that differ by case are one to many tools. */
function free(name: string, taken: Set<string>, gap: string): string {
  const known = new Set([...taken].map((one) => one.toLowerCase()))
  let found = name
  for (let count = 2; known.has(found.toLowerCase()); count++) found = `${name}${gap}${count}`
  taken.add(found)
  return found
}
