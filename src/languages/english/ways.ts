// Refusals on the two other ways in: with a device, and through a provider.

export const ways = {
  device: {
    again: 'Type a code',
    expired: {
      title: 'This code has expired',
      what: 'It was already decided on, it is too old, or the application was disabled.',
      remedy: 'If the device is still waiting, get a new code on it and enter that one.',
    },
    gone: {
      title: 'This page has expired',
      what: 'It was already completed, perhaps in another tab, it timed out, or it was opened in another browser.',
      remedy: 'Check the device: if it continues, you are done. If it is still waiting, enter its code again.',
    },
    tenant: {
      title: 'You cannot use this application',
      what: 'You are signed in, but you are not a member of an organisation in which this application can be used.',
      remedy:
        'Ask an administrator of your organisation to install the application, or sign out and use another account.',
    },
    role: {
      title: 'Your role does not allow this',
      what: 'The device asks for something that your role in this organisation does not allow.',
      remedy: 'Ask an administrator of your organisation for the required role.',
    },
    off: {
      title: 'Device codes are disabled',
      what: 'Your organisation does not allow devices to sign in with a code. Nothing was allowed.',
      remedy: 'Sign in on the device with a browser, or ask an administrator of your organisation.',
    },
    typed: {
      title: 'Type the code yourself',
      what: 'The device asks for administrator permissions, and the person who sent you the link could use them in your name. Nothing was allowed.',
      remedy: 'If you started this yourself, enter the code that your device shows.',
    },
    factor: {
      title: 'Sign in with two factors first',
      what: 'The device asks for administrator permissions: anybody who has the device could change your organisation in your name. That needs a fresh sign-in with a passkey or a second step. Nothing was allowed.',
      remedy:
        'Sign out, sign in with your passkey or second step, and type the code again at once. If you have neither, turn one on first.',
    },
    administrator: {
      title: 'Administrator approval required',
      what: 'The device asks for something that needs the consent of an administrator of your organisation. Nothing was allowed.',
      remedy: 'Ask an administrator to consent, then enter the code again.',
    },
    turnOn: 'Turn on the second step',
  },
  provider: {
    backToProviders: 'Back to your providers',
    unknown: {
      title: 'Unknown sign-in provider',
      what: 'This server has no provider with that name.',
      remedy: 'Choose another way on the sign-in page.',
    },
    notProven: (provider: string) => ({
      title: `We could not verify the answer of ${provider}`,
      what: `What came back from ${provider} could not be verified, so nobody was signed in. It may have been meant for another place or another attempt, or ${provider} is set up differently from what this server expects.`,
      remedy:
        'Try again, or sign in another way. If it happens each time, give the operator of this server the request number below.',
    }),
    ended: (provider: string) => ({
      title: 'This sign-in has expired',
      what: `What came back from ${provider} belongs to a sign-in that was already completed, waited for more than a quarter of an hour, or was started in another browser.`,
      remedy: 'Start again from here.',
    }),
    noAccount: (provider: string) => ({
      title: 'No account is linked',
      what: `${provider} confirmed who you are, but no account here is linked with you there.`,
      remedy: `If you have an account here, sign in another way and link ${provider} on your account page. If you have none, ask an administrator of your organisation for an invitation. Where your organisation keeps that, ask an administrator for a link.`,
    }),
    noTenant: (provider: string) => ({
      title: 'We could not create an account',
      what: `${provider} confirmed who you are, but the organisation that new people join does not exist or is disabled.`,
      remedy: 'Give the operator of this server the request number below.',
    }),
    away: (provider: string) => ({
      title: `${provider} cannot be reached`,
      what: `${provider} did not answer in time, or gave an invalid answer. Nobody was signed in.`,
      remedy: 'Wait a minute and try again, or sign in another way.',
    }),
    unfinished: (provider: string) => ({
      title: `You were not signed in at ${provider}`,
      what: `${provider} sent you back without confirming who you are: the sign-in was cancelled or refused there.`,
      remedy: 'Try again, or sign in another way.',
    }),
  },
}
