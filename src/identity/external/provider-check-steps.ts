// What a check of a provider says, step by step, and by what it sends its requests.

/** `unknown`: it could not be tried, or the answer says neither. */
export interface CheckStep {
  step: 'discovery' | 'issuer' | 'endpoints' | 'keys' | 'client'
  state: 'ok' | 'fail' | 'unknown'
  message: string
  /** What to do; undefined where nothing has to be. */
  advice?: string | undefined
}

/** What an answer of the provider is, as far as it is looked at. */
export interface ProviderAnswer {
  status: number
  /** Undefined: it is no JSON object. */
  document: Readonly<Record<string, unknown>> | undefined
}

export type Ask = (url: string, form?: { body: string; headers: Record<string, string> }) => Promise<ProviderAnswer>
