// A token that was just issued, with what is in it. It is in this answer and nowhere else.

import type { VNode } from 'preact'
import { Table } from '../table.js'
import type { ClaimLine } from './claims.js'

/** The card. */
export function TokenView({
  token,
  lines,
  expiresAt,
}: {
  token: string
  lines: readonly ClaimLine[]
  /** Epoch ms. */
  expiresAt: number
}): VNode {
  return (
    <section class="card" id="token-card" aria-labelledby="token-title">
      <div class="toolbar">
        <h2 id="token-title">The token</h2>
        <p class="tag new" id="expires" data-expires={String(expiresAt)} role="timer">
          Good until {new Date(expiresAt).toISOString().slice(11, 19)} UTC
        </p>
      </div>
      <div class="field">
        <label for="token">Access token</label>
        <p class="hint" id="token-hint">
          Real, and written down in the audit log as yours. It lives five minutes.
        </p>
        <span class="copy">
          <input
            id="token"
            class="code"
            type="text"
            readonly
            autocomplete="off"
            spellcheck={false}
            value={token}
            data-copy="Access token"
            aria-describedby="token-hint"
          />
        </span>
      </div>
      <details>
        <summary>What is in it</summary>
        <Table
          id="claims"
          columns={[{ text: 'Claim' }, { text: 'Value' }, { text: 'Meaning' }]}
          rows={lines.map(({ name, value, meaning }) => ({
            id: `claim-${name}`,
            cells: [<code key="name">{name}</code>, <code key="value">{value}</code>, meaning],
          }))}
        />
      </details>
    </section>
  )
}
