// Whether the audit log is what was written; to operators also where it is not.

import type { VNode } from 'preact'
import type { VerificationAnswer } from '../../management/audit/audit-schemas.js'
import { Notice } from '../../web/pages/elements.js'
import type { AuditListPage } from './lists.js'

const mostProblems = 20

/** Above the events. */
export function ChainNotice({
  found,
  scope,
}: {
  found: VerificationAnswer | 'running'
  scope: AuditListPage['scope']
}): VNode {
  if (found === 'running') {
    return (
      <Notice id="chain" kind="info" title="The audit log is being verified">
        <p>It is long, so this takes a while. Load this page again in a minute.</p>
      </Notice>
    )
  }
  const { clean, count, checkpoints, problems } = found
  const number = (value: number) => new Intl.NumberFormat('en-GB').format(value)
  const events = `${number(count)} ${count === 1 ? 'event' : 'events'}`
  if (clean) {
    return (
      <Notice id="chain" kind="success" title="The audit log is intact">
        <p>
          All {events} of this server follow from one another: none was changed, taken out or put in.
          {scope === 'server'
            ? ` ${number(checkpoints)} ${checkpoints === 1 ? 'checkpoint was' : 'checkpoints were'} compared.`
            : ''}
        </p>
      </Notice>
    )
  }
  return (
    <Notice id="chain" kind="error" title="The audit log has been tampered with">
      <p>
        Among {events} of this server some were changed, taken out or put in. The operator sees where with{' '}
        <code>portcullis audit verify</code>.
      </p>
      {scope === 'server' && problems.length > 0 ? (
        <ul>
          {problems.slice(0, mostProblems).map(({ kind, position, until }) => (
            <li key={`${kind} ${position}`}>
              <code>{kind}</code> at number {position}
              {until === undefined ? '' : ` to ${until}`}
            </li>
          ))}
        </ul>
      ) : null}
    </Notice>
  )
}
