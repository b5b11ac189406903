// What mails say. `host` is where this server is; `name` is what an organisation is called.

export const mails = {
  invitation: (host: string, url: string, name: string | undefined) => ({
    subject: `Invitation to ${host}`,
    text: `You are invited to join ${name === undefined ? `an organisation at ${host}` : `the organisation “${name}” at ${host}`}.\n\nOpen this link to accept. It works once, for seven days:\n${url}\n\nIf you do not expect this, ignore it: nothing happens.\n`,
  }),
  passwordReset: (host: string, url: string) => ({
    subject: `A new password at ${host}`,
    text: `Somebody, probably you, requested a new password at ${host}.\n\nOpen this link to choose one. It works once, for an hour:\n${url}\n\nIf it was not you, ignore this: your password stays as it is.\n`,
  }),
  confirmEmail: (host: string, url: string) => ({
    subject: `Confirm your e-mail address at ${host}`,
    text: `An account at ${host} asks for this e-mail address.\n\nIf the account is yours, open this link in the browser where you are signed in. It works for a day:\n${url}\n\nIf it is not, ignore this: nothing happens.\n`,
  }),
  addressInUse: (host: string) => ({
    subject: `Your e-mail address at ${host}`,
    text: `Somebody tried at ${host} to use this e-mail address for another account. It belongs to an account already, so nothing was changed.\n\nIf it was you, sign in with this address instead.\n`,
  }),
  addressChanged: (host: string) => ({
    subject: `Your e-mail address at ${host} was changed`,
    text: `Your account at ${host} has another e-mail address from now on; this one no longer signs in.\n\nIf it was not you, tell an administrator of your organisation at once.\n`,
  }),
  manyFailures: (host: string, url: string) => ({
    subject: `Many failed sign-ins to your account at ${host}`,
    text: `Somebody has tried many wrong passwords for your account at ${host}. None of them was right. For an hour, browsers in which you have never signed in have to wait.\n\nYou sign in as always in a browser that you have used before, with a passkey, or with a link for a new password:\n${url}\n\nIf your password is short, or used elsewhere as well, change it.\n`,
  }),
  newOrigins: (
    host: string,
    url: string,
    { name, origins, applications }: { name: string | undefined; origins: number; applications: number },
  ) => ({
    subject: `New redirect addresses at ${host}`,
    text: `Somebody gave ${counted(applications, 'application')} of ${name === undefined ? `your organisation at ${host}` : `the organisation “${name}” at ${host}`} redirect addresses on ${counted(origins, 'new site')}. People who sign in there are sent to them, and the owner of such a site learns who they are.\n\nYou get this as an administrator. See which sites they are and who added them, and remove what you do not know:\n${url}\n`,
  }),
}

function counted(count: number, what: string): string {
  return count === 1 ? `one ${what}` : `${count} ${what}s`
}
