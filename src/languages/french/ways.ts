// Refusals on the other ways in, in French.

import type { Texts } from '../english/texts.js'

export const ways: Texts['ways'] = {
  device: {
    again: 'Saisir un code',
    expired: {
      title: 'Ce code a expiré',
      what: 'Une décision a déjà été prise, il est trop ancien ou l’application a été désactivée.',
      remedy: 'Si l’appareil attend encore, faites-lui afficher un nouveau code et saisissez celui-ci.',
    },
    gone: {
      title: 'Cette page a expiré',
      what: 'L’opération est déjà terminée, peut-être dans un autre onglet, elle a duré trop longtemps ou elle a été ouverte dans un autre navigateur.',
      remedy: 'Regardez l’appareil : s’il continue, c’est terminé. S’il attend encore, saisissez de nouveau son code.',
    },
    tenant: {
      title: 'Vous ne pouvez pas utiliser cette application',
      what: 'Vous êtes connecté, mais vous n’êtes membre d’aucune organisation dans laquelle cette application peut être utilisée.',
      remedy:
        'Demandez à un administrateur de votre organisation d’installer l’application, ou déconnectez-vous et utilisez un autre compte.',
    },
    role: {
      title: 'Votre rôle ne le permet pas',
      what: 'L’appareil demande quelque chose que votre rôle dans cette organisation ne permet pas.',
      remedy: 'Demandez le rôle nécessaire à un administrateur de votre organisation.',
    },
    off: {
      title: 'Les codes d’appareil sont désactivés',
      what: 'Votre organisation n’autorise pas les appareils à se connecter avec un code. Rien n’a été autorisé.',
      remedy:
        'Connectez-vous sur l’appareil avec un navigateur ou adressez-vous à un administrateur de votre organisation.',
    },
    typed: {
      title: 'Saisissez le code vous-même',
      what: 'L’appareil demande des autorisations d’administrateur, et la personne qui vous a envoyé le lien pourrait les utiliser en votre nom. Rien n’a été autorisé.',
      remedy: 'Si vous êtes à l’origine de cette demande, saisissez le code affiché par votre appareil.',
    },
    factor: {
      title: 'Connectez-vous d’abord avec deux facteurs',
      what: 'L’appareil demande des autorisations d’administrateur : quiconque possède l’appareil pourrait modifier votre organisation en votre nom. Cela exige une connexion récente avec une clé d’accès ou une seconde étape. Rien n’a été autorisé.',
      remedy:
        'Déconnectez-vous, reconnectez-vous avec votre clé d’accès ou votre seconde étape, et saisissez aussitôt le code. Si vous n’avez ni l’une ni l’autre, activez d’abord l’une des deux.',
    },
    administrator: {
      title: 'Accord d’un administrateur requis',
      what: 'L’appareil demande quelque chose qui requiert l’accord d’un administrateur de votre organisation. Rien n’a été autorisé.',
      remedy: 'Demandez son accord à un administrateur, puis saisissez de nouveau le code.',
    },
    turnOn: 'Activer la seconde étape',
  },
  provider: {
    backToProviders: 'Retour à vos fournisseurs',
    unknown: {
      title: 'Fournisseur de connexion inconnu',
      what: 'Ce serveur n’a pas de fournisseur de ce nom.',
      remedy: 'Choisissez un autre moyen sur la page de connexion.',
    },
    notProven: (provider) => ({
      title: `Nous n’avons pas pu vérifier la réponse de ${provider}`,
      what: `La réponse de ${provider} n’a pas pu être vérifiée ; personne n’a donc été connecté. Elle était peut-être destinée à un autre endroit ou à une autre tentative, ou ${provider} est configuré autrement que ce serveur ne l’attend.`,
      remedy:
        'Réessayez ou connectez-vous autrement. Si cela se reproduit à chaque fois, communiquez le numéro de demande ci-dessous à l’exploitant de ce serveur.',
    }),
    ended: (provider) => ({
      title: 'Cette connexion a expiré',
      what: `La réponse de ${provider} appartient à une connexion déjà terminée, qui a attendu plus d’un quart d’heure ou qui a commencé dans un autre navigateur.`,
      remedy: 'Recommencez à partir d’ici.',
    }),
    noAccount: (provider) => ({
      title: 'Aucun compte n’est associé',
      what: `${provider} a confirmé votre identité, mais aucun compte ici n’est associé à celui que vous y avez.`,
      remedy: `Si vous avez un compte ici, connectez-vous autrement et associez ${provider} sur la page de votre compte. Sinon, demandez une invitation à un administrateur de votre organisation. Si votre organisation gère cela, demandez un lien à un administrateur.`,
    }),
    noTenant: (provider) => ({
      title: 'Nous n’avons pas pu créer de compte',
      what: `${provider} a confirmé votre identité, mais l’organisation que rejoignent les nouvelles personnes n’existe pas ou est désactivée.`,
      remedy: 'Communiquez le numéro de demande ci-dessous à l’exploitant de ce serveur.',
    }),
    away: (provider) => ({
      title: `${provider} est injoignable`,
      what: `${provider} n’a pas répondu à temps ou a donné une réponse non valide. Personne n’a été connecté.`,
      remedy: 'Attendez une minute et réessayez, ou connectez-vous autrement.',
    }),
    unfinished: (provider) => ({
      title: `Vous n’avez pas été connecté chez ${provider}`,
      what: `${provider} vous a renvoyé sans confirmer votre identité : la connexion y a été annulée ou refusée.`,
      remedy: 'Réessayez ou connectez-vous autrement.',
    }),
  },
}
