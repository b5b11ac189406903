// The tables of the APIs that tenants define beside those of the configuration.

interface ApisTable {
  id: string
  /** The identifier URI: `aud` of its tokens. Made here, unique. */
  identifier: string
  tenant_id: string
  name: string
  created_at: number
  updated_at: number
}

interface ApiPermissionsTable {
  api_id: string
  /** The permission's id, such as `read`. */
  permission_id: string
  /** In plain words, for the person who consents. */
  describe: string
  /** `application`, `delegated`, or both with a comma between. */
  kinds: string
  /** 1: a delegated grant needs an administrator too. */
  admin_consent: number
  /** The least role of a person who may use it. */
  role: string
  /** `describe` in other languages: JSON by language, or empty. */
  translations: string
}

/** By name; tables.ts takes them in. */
export interface ApiTables {
  apis: ApisTable
  api_permissions: ApiPermissionsTable
}
