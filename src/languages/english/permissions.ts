// The permissions of the management API, in plain words for those who consent. The keys are their ids.

export const permissions = {
  'Application.Read.All': 'Read the applications that are registered in the tenant',
  'Application.ReadWrite.All': 'Register, change and delete applications of the tenant, and give them credentials',
  'Usage.Read.All': 'Read how applications of the tenant are used',
  'Tenant.Read.All': 'Read the settings of the tenant',
  'Tenant.ReadWrite.All': 'Change the settings of the tenant',
  'Consent.Read.All': 'Read consents in the tenant, and requests for them',
  'Consent.ReadWrite.All': 'Grant and withdraw consent in the tenant, and decide on requests for it',
  'Member.Read.All': 'Read who belongs to the tenant',
  'Member.ReadWrite.All': 'Invite, change and remove people of the tenant',
  'AuditLog.Read.All': 'Read what was done in the tenant',
  'Event.ReadWrite.All': 'Send events of the tenant to other services',
  'Server.Read': 'See all tenants, signing keys, routes and the state of this server',
  'Server.ReadWrite': 'Create tenants and rotate the signing keys of this server',
}
