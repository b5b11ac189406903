// Which changes through the management API ask a person for a recent sign-in (decision 97). Every route that changes
// something stands in one of the two tables; one that was forgotten has weight. What hands out power, opens a way in,
// or takes something away for good has weight. What only ends access has none: stopping a leak must not require a
// sign-in first.

/** Whether this request has weight, by its body, which the route's schema has checked. */
export type Weight = (body: Readonly<Record<string, unknown>>) => boolean

/** It always has. */
export const always: Weight = () => true

/** Whether the body says more than these fields, or than that something is to be disabled. */
function beyond(...light: readonly string[]): Weight {
  return (body) =>
    Object.entries(body).some(([name, value]) => {
      if (value === undefined || light.includes(name)) return false
      return !(name === 'state' && value === 'disabled')
    })
}

function isOnlyNever(rules: unknown): boolean {
  return Array.isArray(rules) && rules.every((one: { rule?: unknown } | null) => one?.rule === 'never')
}

const powerful: ReadonlySet<unknown> = new Set(['administrator', 'owner'])

/** Acts with weight, by method and path below /api/v2. */
export const weightyActs: Readonly<Record<string, Weight>> = {
  'POST /applications': ({ consent, verified }) => consent === true || verified === true,
  'PATCH /applications/:id': beyond('name', 'publisher', 'idTokenAlg'),
  'DELETE /applications/:id': always,
  'POST /deletedApplications/:id/restore': always,
  'DELETE /deletedApplications/:id': always,
  'POST /applications/:id/secrets': always,
  // With it one is the application, for as long as it lives.
  'POST /applications/:id/token': always,
  'POST /applications/:id/federatedCredentials': always,
  'POST /applications/:id/owners': always,
  'PUT /applications/:id/owners': always,
  'DELETE /applications/:id/owners/:ownerId': always,
  // A notice for the administrators, which somebody who changed an address would rather have gone.
  'DELETE /applications/:id/newRedirectOrigins': always,
  // What people see where they decide about it.
  'PATCH /applications/:id/brand': always,
  'PUT /applications/:id/plan': always,
  'POST /planRequests/:id/approve': always,
  'POST /registrationTokens': always,
  // As for registering and changing one by one, which an import does.
  'POST /imports': ({ update }) => update === true,
  'POST /applications/:id/consents': always,
  'POST /consents': always,
  'POST /consentRequests/:id/approve': always,
  'PATCH /apis/:id': beyond('name'),
  'DELETE /apis/:id': always,
  'POST /tenants': always,
  'PATCH /tenants/:id': beyond('name'),
  // Who only says that nobody calls a tool stops a leak.
  'PATCH /tenants/:id/toolRules': ({ rules }) => !isOnlyNever(rules),
  // What people believe the page to be on which they type their passwords.
  'PATCH /tenants/:id/brand': always,
  'DELETE /tenants/:id/brand': always,
  'POST /tenants/:id/brand/removal': always,
  'POST /applications/:id/brand/removal': always,
  'POST /tenants/:id/memberships': always,
  'PATCH /tenants/:id/memberships/:userId': always,
  'DELETE /tenants/:id/memberships/:userId': always,
  'POST /users': always,
  'PATCH /users/:id': beyond('name'),
  'DELETE /users/:id': always,
  'POST /users/:id/passwordReset': always,
  'POST /users/:id/providerLink': always,
  'POST /invitations': ({ role }) => powerful.has(role),
  'POST /setUpLinks': always,
  'POST /recoveryLinks': always,
  'POST /webhooks': always,
  'PATCH /webhooks/:id': beyond(),
  'POST /webhooks/:id/secret': always,
  'POST /configuration/reload': always,
  'POST /auditEvents/pruning': always,
  'POST /toolChanges/:id/approve': always,
  'POST /keys/rotate': always,
  'DELETE /keys/:kid': always,
}

/** Acts without weight, each with the reason. */
export const lightActs: Readonly<Record<string, string>> = {
  'DELETE /applications/:id/secrets/:keyId': 'ends access',
  'DELETE /applications/:id/federatedCredentials/:credentialId': 'ends access',
  'DELETE /registrationTokens/:id': 'ends access',
  'DELETE /applications/:id/consents/:tenantId': 'ends access',
  'POST /consents/withdraw': 'ends access',
  'POST /consentRequests/:id/decline': 'gives nothing',
  'POST /applications/:id/consentRequests': 'gives nothing until an administrator approves',
  'DELETE /applications/:id/consentRequests/:requestId': 'gives nothing',
  'POST /applications/:id/planRequest': 'gives nothing until somebody approves',
  'DELETE /applications/:id/brand': 'takes a claim away',
  'DELETE /consentRequests/:id': 'gives nothing',
  'DELETE /applications/:id/planRequest': 'gives nothing',
  'POST /planRequests/:id/decline': 'gives nothing',
  'PUT /applications/:id/permissions': 'what is listed permits nothing until somebody consents',
  'POST /applications/:id/removeUnused': 'ends access',
  'POST /apis': 'a new API permits nothing until somebody consents',
  'POST /users/:id/signOut': 'ends access',
  'DELETE /sessions/:id': 'ends access',
  'DELETE /invitations/:id': 'ends access',
  'POST /revocations': 'ends access',
  'DELETE /webhooks/:id': 'ends access',
  'POST /webhooks/:id/test': 'sends a test event where events go already',
  'POST /webhooks/:id/deliveries/:deliveryId/redeliver': 'sends once more what was sent there',
  'POST /webhooks/:id/replay': 'sends once more what was given up there',
  'POST /providers/:name/check': 'changes nothing',
  'POST /imports/plan': 'changes nothing',
  'POST /explain': 'changes nothing',
  'POST /auditEvents/verification': 'changes nothing',
}
