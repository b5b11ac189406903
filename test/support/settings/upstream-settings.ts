// Services behind the gate as settings, with what a test does not care about filled in: one target that is never left
// out, nothing sent again, no health checks, no shares.

import type { TargetPlace, UpstreamSettings } from '../../../src/config/settings/upstream-settings.js'

export type UpstreamInput = Partial<UpstreamSettings> & { target?: TargetPlace }

/** Nothing said of certificates: the system's authorities, and none of our own. */
export const noTls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined }

export function upstreamSettings(name: string, { target, ...given }: UpstreamInput): UpstreamSettings {
  const connections = given.connections ?? 16
  return {
    name,
    targets: target === undefined ? [] : [{ ...target, weight: 1 }],
    balance: 'round-robin',
    identity: 'jwt',
    connectMs: 1_000,
    headersMs: 5_000,
    idleMs: 5_000,
    connections,
    maxInFlight: connections * 2,
    maxStreams: given.maxInFlight ?? connections * 2,
    sharePercent: 100,
    queueMs: 5_000,
    overallMs: 60_000,
    tls: noTls,
    health: undefined,
    eject: { failures: 0, forMs: 30_000, maxPercent: 50 },
    retry: { attempts: 0, when: [], budgetPercent: 20 },
    resolveEveryMs: 30_000,
    documentation: 'everybody',
    position: { file: 'test', line: 1, column: 1 },
    ...given,
  }
}
