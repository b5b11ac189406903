// `exchange` of a resource, in the settings.

/** Who may call further resources on behalf of the callers of one (decision 154). */
export interface ExchangeSettings {
  /** By applicationId. */
  applications: readonly string[]
  /** `caller`: never more than the calling application could have itself; `person`: their role is the bound. */
  ceiling: 'caller' | 'person'
}
