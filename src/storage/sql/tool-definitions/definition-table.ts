// Migration 43: which definition of each tool behind the gate was approved, and which other one its server gives since.
// It only adds.

import type { Migration } from '../schema/schema-history.js'

/** A tool of a route whose definitions are pinned (decision 155). */
interface ToolDefinitionsTable {
  /** Made of route and tool: tool-definitions.ts has how. */
  id: string
  /** The id of the route. */
  route: string
  tool: string
  /** SHA-256 of the canonical form, base64url. */
  approved_digest: string
  /** The canonical form; null: it is larger than what is kept. */
  approved_text: string | null
  approved_at: number
  /** Who approved it: the id of a person or application, `operator`, or empty for the first one that was seen. */
  approved_by: string
  /** The definition that the server gives instead; null: it gives the approved one. */
  pending_digest: string | null
  pending_text: string | null
  pending_at: number | null
  /** 1: the ledger tells of the pending one. */
  pending_announced: number
  /** When the ledger last told of a change since an approval; null: not yet. */
  announced_at: number | null
  /** Since when the configuration names it no more; null: it does. */
  unnamed_at: number | null
}

/** Its part of the tables. */
export interface DefinitionTables {
  tool_definitions: ToolDefinitionsTable
}

/** Creates the table. */
export const definitionTable: Migration = {
  version: 43,
  name: 'tool definitions',
  statements: [
    `create table tool_definitions (
      id text primary key, route text not null, tool text not null, approved_digest text not null, approved_text text,
      approved_at bigint not null, approved_by text not null, pending_digest text, pending_text text, pending_at bigint,
      pending_announced integer not null, announced_at bigint, unnamed_at bigint)`,
    'create index tool_definitions_by_route on tool_definitions (route)',
  ],
}
