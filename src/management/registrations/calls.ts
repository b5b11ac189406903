// The calls of the management API that planning and carrying out registrations make. The command line makes them to a
// server, and the server itself in the name of a caller. No call does more than its caller may.

import type { BrandBody } from '../brands/brand-schemas.js'
import type { Answer, Body } from '../schemas.js'

type ApplicationSummary = Answer<'applications'>['value'][number]

/** `unlessChangedFrom`: the entity tag that was read before; with another state the change is refused. */
export interface ChangeCondition {
  unlessChangedFrom?: string | undefined
}

/** What is there. */
export interface RegistrationReads {
  listPermissions(): Promise<Answer<'permissions'>['value']>
  listPlans(): Promise<{ name: string }[]>
  listApplications(): Promise<Pick<ApplicationSummary, 'tenantId' | 'name' | 'applicationId'>[]>
  /** With its entity tag. */
  readApplication(applicationId: string): Promise<{ application: Answer<'application'>; tag: string | undefined }>
}

/** What is done. Each throws whatever its caller throws for a refusal. */
export interface RegistrationWrites {
  createApplication(body: Body<'createApplication'>): Promise<Answer<'createdApplication'>>
  showApplication(applicationId: string): Promise<Answer<'application'>>
  changeApplication(
    applicationId: string,
    body: Body<'changeApplication'>,
    condition?: ChangeCondition,
  ): Promise<Answer<'application'>>
  configurePermissions(
    applicationId: string,
    body: Body<'configurePermissions'>,
    condition?: ChangeCondition,
  ): Promise<unknown>
  changePlan(applicationId: string, body: { plan: string | null }, condition?: ChangeCondition): Promise<unknown>
  replaceOwners(applicationId: string, owners: readonly string[], condition?: ChangeCondition): Promise<unknown>
  /** What it says of itself; no condition: it is no part of what the entity tag is of. */
  changeBrand(applicationId: string, body: BrandBody<'application'>): Promise<unknown>
  grantConsent(applicationId: string, body: Body<'grantConsent'>): Promise<unknown>
}
