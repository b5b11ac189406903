// The history of the schema, oldest first. A new migration is a file of its own and one more line here.

import { exchangeTable } from '../consents/exchange-table.js'
import { callApprovalTables } from '../grants/call-approval-tables.js'
import { withdrawnColumn } from '../grants/withdrawn-column.js'
import { historyTables } from '../history/history-tables.js'
import { memberTables } from '../ledger/member-tables.js'
import { ledgerStartTable } from '../ledger/start-table.js'
import { ledgerTimeIndex } from '../ledger/time-bounds.js'
import { peopleIndexes } from '../lists/people-indexes.js'
import { nameKeyColumn } from '../overview/name-keys.js'
import { administratorsColumn } from '../people/administrators-column.js'
import { factorColumns } from '../people/factor-columns.js'
import { languageColumn } from '../people/language-column.js'
import { noticeTables } from '../people/notices/notice-cursor.js'
import { waitingNoticeTable } from '../people/notices/waiting-notices.js'
import { wayColumns } from '../people/ways/way-columns.js'
import { brandTables } from '../registrations/brands/brand-tables.js'
import { deletedTables } from '../registrations/deleted/deleted-tables.js'
import { documentTables } from '../registrations/documents/document-tables.js'
import { pkceTables } from '../registrations/pkce/pkce-tables.js'
import { planDecisions, planTables } from '../registrations/plans/plan-tables.js'
import { newOriginTables } from '../registrations/redirect-origins/new-origin-tables.js'
import { toolRuleTables } from '../registrations/tools/tool-rule-tables.js'
import { definitionTable } from '../tool-definitions/definition-table.js'
import { usageDayTables, usageOrderIndex } from '../usage/usage-day-tables.js'
import { deliveryColumns } from '../webhooks/delivery-columns.js'
import { addressTables } from './address-tables.js'
import { apiTables, apiTranslations } from './api-tables.js'
import { decisionTables } from './decision-tables.js'
import { delegationTables } from './delegation-tables.js'
import { feedGapTables } from './feed-gap-tables.js'
import { firstTables } from './first-tables.js'
import { instanceTables } from './instance-tables.js'
import { ledgerColumns } from './ledger-columns.js'
import { ledgerTables } from './ledger-tables.js'
import { listIndexes } from './list-indexes.js'
import { operatorColumns } from './operator-columns.js'
import { ownerTables } from './owner-tables.js'
import { peopleTables } from './people-tables.js'
import { registrationTables } from './registration-tables.js'
import { revocationColumns } from './revocation-columns.js'
import type { Migration } from './schema-history.js'
import { singleUseTables } from './single-use-tables.js'
import { usageTables } from './usage-tables.js'
import { webhookTables } from './webhook-tables.js'

/** Versions count from 1 without gaps; a test holds their statements to the tables of tables.ts. */
export const migrations: readonly Migration[] = [
  firstTables,
  instanceTables,
  peopleTables,
  delegationTables,
  ledgerTables,
  operatorColumns,
  usageTables,
  registrationTables,
  apiTables,
  decisionTables,
  webhookTables,
  singleUseTables,
  revocationColumns,
  feedGapTables,
  addressTables,
  listIndexes,
  ownerTables,
  ledgerColumns,
  newOriginTables,
  pkceTables,
  ledgerStartTable,
  peopleIndexes,
  administratorsColumn,
  memberTables,
  historyTables,
  planTables,
  planDecisions,
  deliveryColumns,
  factorColumns,
  ledgerTimeIndex,
  languageColumn,
  noticeTables,
  usageDayTables,
  brandTables,
  waitingNoticeTable,
  apiTranslations,
  nameKeyColumn,
  deletedTables,
  wayColumns,
  usageOrderIndex,
  exchangeTable,
  documentTables,
  definitionTable,
  toolRuleTables,
  callApprovalTables,
  withdrawnColumn,
]
