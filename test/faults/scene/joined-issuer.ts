// Tokens for users, and the end of users and grants: nothing issues or revokes those over the wire before sign-in is
// built. So this process joins the cluster as one more instance, with the product's own storage and keys, and does what
// it will do.

import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { loadSettings } from '../../../src/config/read/load.js'
import { createCollaborators } from '../../../src/instance/collaborators.js'
import { loadMasterKeys } from '../../../src/instance/first-start/master-key.js'
import { createLog } from '../../../src/observability/process-log.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { issueAccessToken } from '../../../src/tokens/issue.js'
import type { Cluster } from '../../support/cluster/cluster.js'
import { type LedgerToken, ledgerToken } from '../../support/cluster/token-ledger.js'
import type { TestApplication } from './provision.js'

export interface UserToken {
  token: LedgerToken
  userId: string
  grantId: string
}

export interface JoinedIssuer {
  /** A delegated token of a user and a grant of its own. */
  userToken(application: TestApplication): Promise<UserToken>
  /** Resolves when the product would answer 200. */
  revoke(what: 'user' | 'grant', id: string): Promise<unknown>
  leave(): Promise<void>
}

/** Joins by the configuration of the instances, past their fault proxies. */
export async function joinCluster(cluster: Cluster): Promise<JoinedIssuer> {
  const [first] = cluster.instances
  if (first === undefined) throw new Error('there is no instance')
  const settings = loadSettings({
    file: first.configFile,
    env: {
      ...first.env,
      PORTCULLIS_DATA: join(cluster.folder, 'joined'),
      PORTCULLIS_STORE: cluster.postgres.url,
      PORTCULLIS_REDIS: cluster.redis.url,
    },
  })
  const deps = await createCollaborators({
    settings,
    masterKeys: loadMasterKeys(settings, randomBytes),
    instanceId: randomBytes(4).toString('hex'),
    log: createLog({ level: 'silent', format: 'json' }),
    onError: () => {},
  })
  const { keyring, view, now, writes } = deps
  return {
    async userToken({ applicationId, keyId, tenantId }) {
      const [userId, grantId] = [randomUUID(), randomUUID()]
      const iat = Math.floor(now() / 1000)
      const text = await issueAccessToken(keyring, {
        iss: settings.server.baseUrl,
        aud: settings.catalogue.own.id,
        sub: userId,
        client_id: applicationId,
        iat,
        nbf: iat,
        exp: iat + settings.tokens.lifetimeSeconds,
        jti: randomUUID(),
        tid: tenantId,
        idtyp: 'user',
        scope: 'assets_read assets_create',
        gid: grantId,
        cid: keyId,
        seq: view.seq,
      })
      return { token: ledgerToken(text), userId, grantId }
    },
    revoke: (what, id) => revoke(writes, { what, id }),
    async leave() {
      await deps.leave()
      await deps.close()
    },
  }
}
