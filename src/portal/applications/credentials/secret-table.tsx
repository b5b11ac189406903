// The private keys of an application: which is used, which ends when, which nobody would miss. Never the keys
// themselves.

import type { VNode } from 'preact'
import { displayName } from '../../../web/pages/display-name.js'
import { Notice } from '../../../web/pages/elements.js'
import { type Application, applicationPath } from '../../application-page.js'
import type { PortalContext } from '../../context.js'
import { date, dateTime, span } from '../../dates.js'
import { type Row, Table } from '../../table.js'

type Secret = Application['secrets'][number]

/** From so long before its end on one is warned. */
const soonMs = 14 * 86_400_000

/** The table with what there is to warn of. `nowMs`: the server's clock. */
export function SecretTable({
  context,
  application: { applicationId, secrets },
  nowMs,
}: {
  context: PortalContext
  application: Application
  nowMs: number
}): VNode {
  const last = lastUse(secrets)
  // The newest first: that is the one to be used.
  const ordered = [...secrets].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
  return (
    <>
      <Warnings secrets={secrets} nowMs={nowMs} />
      <Table
        id="secrets"
        columns={[
          { text: 'Private key (client secret)' },
          { text: 'Ends' },
          { text: 'Last used' },
          { text: 'State' },
          { text: '' },
        ]}
        rows={ordered.map((secret) =>
          rowOf(secret, {
            context,
            applicationId,
            nowMs,
            isUsedLast: secret.lastUsedAt !== null && secret.lastUsedAt === last,
          }),
        )}
      />
    </>
  )
}

/**
 * When one of several was used last; undefined when none was, or there is nothing to tell apart. Coarse to a minute.
 */
function lastUse(secrets: readonly Secret[]): string | undefined {
  if (secrets.length < 2) return undefined
  // Times of the API have one form, so their order as text is their order in time.
  return secrets
    .map(({ lastUsedAt }) => lastUsedAt ?? '')
    .sort()
    .at(-1)
}

interface Around {
  context: PortalContext
  applicationId: string
  nowMs: number
  isUsedLast: boolean
}

function rowOf(secret: Secret, { context, applicationId, nowMs, isUsedLast }: Around): Row {
  const { keyId, label, hint, endsAt, createdAt, lastUsedAt } = secret
  const leftMs = Date.parse(endsAt) - nowMs
  const path = `${applicationPath(applicationId)}/secrets/${keyId}/end`
  return {
    id: `secret-${keyId}`,
    cells: [
      <span key="what" class="what">
        <span class="name">{displayName(label)}</span>
        <span class="fine">
          <code>
            pcl_sk_{keyId}_{hint}…
          </code>
        </span>
        <span class="fine">made {date(Date.parse(createdAt))}</span>
      </span>,
      leftMs > 0 ? (
        <span key="ends" class="what">
          <span>{dateTime(Date.parse(endsAt))}</span>
          <span class="fine">in {span(leftMs)}</span>
        </span>
      ) : (
        dateTime(Date.parse(endsAt))
      ),
      <span key="used" class="what">
        <span>{lastUsedAt === null ? 'Never' : dateTime(Date.parse(lastUsedAt))}</span>
        {isUsedLast ? (
          <span>
            <span class="tag good">Used last</span>
          </span>
        ) : null}
      </span>,
      <State key="state" secret={secret} leftMs={leftMs} />,
      leftMs > 0 ? (
        <a
          key="end"
          class="button danger small"
          href={context.link(path)}
          aria-label={`End now: ${displayName(label)}`}
        >
          End now
        </a>
      ) : null,
    ],
  }
}

function State({ secret, leftMs }: { secret: Secret; leftMs: number }): VNode {
  if (leftMs <= 0) return <span class="tag">Ended</span>
  return (
    <span class="tags">
      <span class={leftMs < soonMs ? 'tag warn' : 'tag good'}>{leftMs < soonMs ? 'Ends soon' : 'Good'}</span>
      {secret.safeToDelete ? <span class="tag new">Safe to delete</span> : null}
    </span>
  )
}

function Warnings({ secrets, nowMs }: { secrets: readonly Secret[]; nowMs: number }): VNode | null {
  const live = secrets.filter(({ endsAt }) => Date.parse(endsAt) > nowMs)
  const latest = Math.max(...live.map(({ endsAt }) => Date.parse(endsAt)))
  if (live.length === 0) {
    return (
      <Notice id="no-secret" kind="error" title="No valid private key">
        <p>The application gets no tokens with a private key until you add one.</p>
      </Notice>
    )
  }
  if (latest - nowMs >= soonMs) return null
  return (
    <Notice id="ends-soon" kind="error" title={`The last private key ends in ${span(latest - nowMs)}`}>
      <p>Rotate now, so that the application has the new one before {dateTime(latest)}.</p>
    </Notice>
  )
}
