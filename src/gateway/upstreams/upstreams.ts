// The services behind the gate, from one configuration to the next: what stays the same keeps its connections.

import { createHash } from 'node:crypto'
import type { UpstreamSettings } from '../../config/settings/upstream-settings.js'
import { createUpstream, type Upstream, type UpstreamOptions } from './upstream.js'

/** The upstreams of one configuration. */
export interface PreparedUpstreams {
  byName: ReadonlyMap<string, Upstream>
  /** From now on these are the ones; those that nothing names any more end with their last request. */
  take(): void
}

export interface Upstreams {
  /**
   * Those of another configuration; the ones whose settings are the same are the same. Throws Error for an unknown
   * bundled service.
   */
  prepare(settings: ReadonlyMap<string, UpstreamSettings>): PreparedUpstreams
  close(): Promise<void>
}

/** Nothing connects before the first request. */
export function createUpstreams(options: UpstreamOptions): Upstreams {
  let current = new Map<string, { fingerprint: string; upstream: Upstream }>()
  const retired = new Set<Upstream>()
  return {
    prepare(settings) {
      const next = new Map(
        [...settings].map(([name, one]) => {
          const fingerprint = fingerprintOf(one)
          const known = current.get(name)
          if (known?.fingerprint === fingerprint) return [name, known]
          return [name, { fingerprint, upstream: createUpstream(one, options) }]
        }),
      )
      return {
        byName: new Map([...next].map(([name, { upstream }]) => [name, upstream])),
        take() {
          const before = current
          current = next
          for (const [name, { upstream }] of before) {
            if (next.get(name)?.upstream === upstream) continue
            upstream.end()
            retire(upstream, retired)
          }
          for (const [name, { upstream }] of next) {
            const one = settings.get(name)
            // What did not change may stand on another line now.
            if (one !== undefined) upstream.settings = one
            const known = before.get(name)?.upstream
            if (known !== upstream) upstream.begin(known)
          }
        },
      }
    },
    async close() {
      const all = [...current.values()].map(({ upstream }) => upstream)
      await Promise.all([...all, ...retired].map((upstream) => upstream.close()))
    },
  }
}

/**
 * Everything but where it stands in the file, and what routes compare requests with. A key hides from JSON, so its
 * digest stands for it.
 */
function fingerprintOf({ position: _, description: __, ...settings }: UpstreamSettings): string {
  const { key } = settings.tls
  const keyDigest = key === undefined ? '' : createHash('sha256').update(key.reveal()).digest('hex')
  return JSON.stringify([settings, keyDigest])
}

/** Requests that began before may still be deciding whether they go there: for two answers of a slow Store at most. */
const graceMs = 15_000

function retire(upstream: Upstream, retired: Set<Upstream>): void {
  retired.add(upstream)
  const close = () => {
    if (upstream.requests.underWay + upstream.openStreams() > 0) return void setTimeout(close, 1_000).unref()
    retired.delete(upstream)
    void upstream.close()
  }
  setTimeout(close, graceMs).unref()
}
