// No check waits for ever: what does not answer in time is a finding too.

import type { Finding } from '../../output/finding.js'

/** Longer than any look at a service that is well; a person waits for it. */
const deadlineMs = 15_000

/** The findings of `look`, or one that says that it took too long or could not look. Never throws. */
export async function withinTime(
  check: string,
  look: () => Promise<readonly Finding[]>,
  ms = deadlineMs,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly Finding[]>((resolve) => {
    const message = `no answer within ${ms / 1000} s`
    const advice = 'is it reached from here? Networks that drop packets look like this'
    timer = setTimeout(() => resolve([{ check, state: 'fail', message, advice }]), ms)
  })
  try {
    return await Promise.race([look(), late])
  } catch (error) {
    const message = `this could not be looked at: ${error instanceof Error ? error.message : String(error)}`
    return [{ check, state: 'warn', message, advice: 'run it again; what is wrong may be on this side' }]
  } finally {
    clearTimeout(timer)
  }
}
