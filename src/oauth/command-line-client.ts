// The command line as a client of a server elsewhere: one native application that every Portcullis has, under the same
// identifier, so that `portcullis login` needs to know nothing but the address (decision 65).

export const commandLineClient = {
  /** The only identifier that is not made by the server that has it. */
  applicationId: 'b7d2f0a4-6c53-4c1e-9f0b-2d9e1c6a7f58',
  name: 'Portcullis command line',
  /** RFC 8252 §7.3: on whatever port is free. */
  redirectUri: 'http://127.0.0.1/callback',
} as const
