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
  newSignIn: (host: string, url: string, when: string) => ({
    subject: `New sign-in to your account at ${host}`,
    text: `Somebody signed in to your account at ${host} with a browser that had not done so before: ${when}.\n\nIf it was you, there is nothing to do. If it was not, choose a new password and end that session:\n${url}\n`,
  }),
  accountChanged: (host: string, url: string, what: string) => ({
    subject: `Your account at ${host} was changed`,
    text: `${what}\n\nIf it was you, there is nothing to do. If it was not, choose a new password, sign out everywhere, and tell an administrator of your organisation at ${host}:\n${url}\n`,
  }),
  changes: {
    secondFactorAdded: 'Codes of an app were set up as the second factor of your account.',
    secondFactorRemoved: 'The codes of an app no longer belong to your account.',
    recoveryCodesRenewed: 'Your account has new recovery codes; the former ones no longer work.',
    recoveryCodeUsed: 'A recovery code of your account was used.',
    passkeyAdded: 'A passkey was added to your account.',
    passkeyRemoved: 'A passkey was removed from your account.',
    passwordChanged: 'The password of your account was changed.',
    providerLinked: 'Another provider was linked to your account: it signs in to it from now on.',
    providerUnlinked: 'A provider was unlinked from your account.',
  },
  moreChanges: 'There were more changes like this one; not each of them is mailed. Your account shows what holds now.',
  consentGranted: (host: string, url: string) => ({
    subject: `An application was allowed more at ${host}`,
    text: `An administrator of your organisation at ${host} consented for everybody to what an application may do.\n\nSee which applications have access:\n${url}\n\nYou get this as an administrator; you can switch such mails off in the details of your account.\n`,
  }),
  consentWaits: (host: string, url: string) => ({
    subject: `A request for consent waits at ${host}`,
    text: `Somebody of your organisation at ${host} asks for consent to what an application may do.\n\nDecide on it:\n${url}\n\nYou get this as an administrator; you can switch such mails off in the details of your account.\n`,
  }),
  secretEnds: (host: string, url: string, days: number) => ({
    subject: `A private key ends soon at ${host}`,
    text: `A private key of an application at ${host} ends in ${days === 1 ? 'one day' : `${days} days`}. The application gets no tokens with it then.\n\nMake a new one in time:\n${url}\n\nYou get this because you look after the application; you can switch such mails off in the details of your account.\n`,
  }),
  newOrigins: (
    host: string,
    url: string,
    { name, origins, applications }: { name: string | undefined; origins: number; applications: number },
  ) => ({
    subject: `New redirect addresses at ${host}`,
    text: `Somebody gave ${counted(applications, 'application')} of ${name === undefined ? `your organisation at ${host}` : `the organisation “${name}” at ${host}`} redirect addresses on ${counted(origins, 'new site')}. People who sign in there are sent to them, and the owner of such a site learns who they are.\n\nYou get this as an administrator. See which sites they are and who added them, and remove what you do not know:\n${url}\n`,
  }),
  foot: {
    from: (server: string, host: string) => `This mail is from ${server}, at ${host}.`,
    about: (name: string) => `It is about the organisation “${name}”.`,
    both: (from: string, about: string) => `${from} ${about}`,
    itsAddresses: 'The organisation gives these addresses itself:',
    address: (label: string, url: string) => `${label}: ${url}`,
  },
}

function counted(count: number, what: string): string {
  return count === 1 ? `one ${what}` : `${count} ${what}s`
}
