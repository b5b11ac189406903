// Migration 34: what the pages of a tenant look like, and what an application says of itself on them (decision 125). It
// only adds: a tenant or application without a row has no brand. tables.ts takes the tables in.

import type { Migration } from '../../schema/schema-history.js'

/** Empty text: not said. */
interface TenantBrandsTable {
  tenant_id: string
  /** What its pages are headed with; empty: the tenant's name. */
  name: string
  /** #rrggbb, for the light page; checked for contrast. */
  accent: string
  /** For the dark one. */
  accent_dark: string
  /** https addresses; support may be mailto:. */
  terms: string
  privacy: string
  support: string
  updated_at: number
}

interface ApplicationBrandsTable {
  application_id: string
  /** https addresses. */
  home: string
  terms: string
  privacy: string
  updated_at: number
}

/** Pictures: at most two of a tenant, one of an application. One of the two owners is null. */
interface BrandLogosTable {
  /** What it is served as: made of its owner and its content. */
  digest: string
  tenant_id: string | null
  application_id: string | null
  /** light | dark */
  theme: string
  media_type: string
  width: number
  height: number
  /** Base64, as branding/logo.ts left it. */
  picture: string
  created_at: number
}

/** Their part of the tables. */
export interface BrandTables {
  tenant_brands: TenantBrandsTable
  application_brands: ApplicationBrandsTable
  brand_logos: BrandLogosTable
}

/** Creates the tables. */
export const brandTables: Migration = {
  version: 34,
  name: 'brands',
  statements: [
    `create table tenant_brands (
      tenant_id text primary key references tenants (id) on delete cascade, name text not null, accent text not null,
      accent_dark text not null, terms text not null, privacy text not null, support text not null,
      updated_at bigint not null)`,
    `create table application_brands (
      application_id text primary key references applications (id) on delete cascade, home text not null,
      terms text not null, privacy text not null, updated_at bigint not null)`,
    `create table brand_logos (
      digest text primary key, tenant_id text references tenants (id) on delete cascade,
      application_id text references applications (id) on delete cascade, theme text not null,
      media_type text not null, width integer not null, height integer not null, picture text not null,
      created_at bigint not null)`,
    'create unique index brand_logos_by_tenant on brand_logos (tenant_id, theme)',
    'create unique index brand_logos_by_application on brand_logos (application_id, theme)',
  ],
}
