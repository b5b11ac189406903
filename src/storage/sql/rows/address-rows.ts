// The tables of e-mail addresses and of mail. Text ids, epoch milliseconds, as in tables.ts, which takes these in.

/** An address that somebody requested and nobody confirmed yet. It is not unique: a request alone reserves nothing. */
interface EmailChangesTable {
  user_id: string
  email: string
  /** Hex SHA-256 of the link that was mailed to it; null: no mail is sent here, an administrator confirms it. */
  hash: string | null
  created_at: number
  expires_at: number
}

/** The present address of this person was confirmed by an administrator of this tenant, for that tenant only. */
interface EmailVouchersTable {
  user_id: string
  tenant_id: string
  created_at: number
}

/**
 * How much mail may still go (limits of mail): each one moves `used_until` on, and it may be only so far ahead of now.
 */
interface MailAllowancesTable {
  /** What is counted, and a digest of whom. */
  subject: string
  used_until: number
}

/** Their part of the tables. */
export interface AddressTables {
  email_changes: EmailChangesTable
  email_vouchers: EmailVouchersTable
  mail_allowances: MailAllowancesTable
}
