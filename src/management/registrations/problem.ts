// Why a registration cannot be planned, or a file not be read.

/**
 * `what_was_said`: a file, a map or a name is wrong. `what_there_is`: it is not possible as things are here. The message
 * is a sentence for a person; names in it are as they were written, so whatever shows it makes them printable.
 */
export class RegistrationProblem extends Error {
  readonly code: 'what_was_said' | 'what_there_is'

  constructor(code: RegistrationProblem['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RegistrationProblem'
    this.code = code
  }
}
