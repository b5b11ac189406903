// What services were told about a caller and may be told again: beside the remembered token, and shared by all tokens
// of that caller. gateway/forward/assertions.ts fills and reads it.

/** One assertion, whole. */
export interface HeldAssertion {
  /** The value of the Authorization field. */
  readonly value: string
  /** The permissions that it names, with spaces between. */
  readonly scope: string
  /** Its `exp`, epoch seconds. */
  readonly endsAt: number
  /** Epoch ms until which it is used again. */
  readonly untilMs: number
  /** Of the keys that it was signed under. */
  readonly generation: number
}

/** Of one caller, by what decides their audience and permissions; see RoutePlan.assertionSlot. */
export type HeldAssertions = Map<object, readonly HeldAssertion[]>
