// The listeners of an instance, none of them listening yet. Each is a Fastify instance of its own: the public one, the
// command line's, the one where proxies ask, and here the bundled service's and the operator's.

import { join } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createBackend } from '../backend/index.js'
import { createSqlSource } from '../backend/sql-source.js'
import { createAssertionVerifier } from '../backend/verifier.js'
import { maskedSettings } from '../config/read/settings-mask.js'
import type { Settings } from '../config/settings/settings.js'
import { createOperatorServer } from '../http/operator.js'
import type { TlsFiles } from '../http/tls/tls.js'
import { deriveKey } from '../oauth/secrets/derived-key.js'
import { createForwardAuthListener } from './forward-auth-listener.js'
import { createManagementListener, openInProcess } from './management-listeners.js'
import { newestKey } from './master-keys.js'
import { createPublicListener } from './public-listener.js'
import type { InstanceFacts } from './room-dependencies.js'

export interface Listeners {
  public: FastifyInstance
  management: FastifyInstance
  backend: FastifyInstance
  operator: FastifyInstance
  /** Undefined where no proxy asks for decisions. */
  forwardAuth: FastifyInstance | undefined
}

/** Builds all of them. `tls`: undefined where the public one has none. */
export async function buildListeners(
  instance: InstanceFacts,
  log: FastifyBaseLogger,
  tls: TlsFiles | undefined,
): Promise<Listeners> {
  // Of the listeners within one hears only when something is wrong.
  const quiet = log.child({}, { level: 'warn' })
  const { settings, deps, gate } = instance
  const within = openInProcess(instance, quiet)
  return {
    public: await createPublicListener(instance, { log, tls, within }),
    management: await createManagementListener(instance, quiet, within),
    backend: backendListener(instance, quiet),
    operator: operatorListener(instance, quiet),
    forwardAuth: await createForwardAuthListener({ settings, deps, gate, log }),
  }
}

/** The bundled resource service believes assertions for its own name, and nothing else. */
function backendListener({ settings, deps, masterKeys }: InstanceFacts, log: FastifyBaseLogger): FastifyInstance {
  const verify = createAssertionVerifier({
    findKey: (kid) => deps.keyring.verificationKey('assertion', kid),
    audiences: builtinNames(settings),
    issuer: settings.server.baseUrl,
    leewaySeconds: 0,
  })
  const skipTokenKey = deriveKey(newestKey(masterKeys), 'backend-paging')
  const { baseUrl } = settings.server
  return createBackend({
    source: createSqlSource(deps.store, settings.quotas),
    verify,
    baseUrl,
    skipTokenKey,
    logger: { existing: log },
    now: deps.now,
  })
}

/**
 * What the bundled service is called now, and was called before the last reload: calls by that name are answered.
 */
function builtinNames(settings: Settings): () => readonly string[] {
  let of: Settings['upstreams'] | undefined
  let names: readonly string[] = []
  let before: readonly string[] = []
  return () => {
    if (of === settings.upstreams) return [...names, ...before]
    of = settings.upstreams
    const builtin = [...of.values()].filter(({ targets }) => targets.some(({ kind }) => kind === 'builtin'))
    before = names
    names = builtin.map(({ name }) => name)
    return [...names, ...before]
  }
}

function operatorListener({ settings, deps, readiness }: InstanceFacts, log: FastifyBaseLogger): FastifyInstance {
  const { metrics, view, feed, keyring, membership, leader } = deps
  return createOperatorServer({
    metrics,
    readiness: () => readiness.read(),
    configuration: () => maskedSettings(settings),
    refresh() {
      metrics.revocationEntries.set(view.entries)
      metrics.revocationStaleness.set(feed.ageMs() / 1000)
      metrics.instanceInfo.set({ instance: membership.instanceId }, 1)
      metrics.instances.set(membership.count())
      metrics.clockSkew.set(membership.skewMs() / 1000)
      metrics.leader.set(leader.isLeader() ? 1 : 0)
      metrics.signingKeys.reset()
      for (const { purpose, state } of keyring.describe()) metrics.signingKeys.inc({ purpose, state })
    },
    host: settings.server.operator.host,
    log,
  })
}

/**
 * Where the bundled resource service listens. Each worker has its own, so that the end of one takes no request of
 * another along.
 */
export function backendSocket(settings: Settings, workerPid: number | undefined): string {
  return join(settings.data.folder, workerPid === undefined ? 'backend.sock' : `backend.${workerPid}.sock`)
}
