// The account page and those below it, in French.

import type { Texts } from '../english/texts.js'
import { plural } from '../plural.js'

export const account: Texts['account'] = {
  title: 'Votre compte',
  aboutYou: 'À propos de vous',
  change: 'Modifier',
  name: 'Nom',
  none: 'aucune',
  verified: 'vérifiée',
  accountFrom: 'Compte provenant de',
  signingIn: 'Connexion',
  manage: 'Gérer',
  turnOn: 'Activer',
  passwordSet: 'Défini',
  passwordNone: 'Aucun',
  secondStep: 'Seconde étape',
  secondStepOn: 'Activée : un code de votre application d’authentification',
  secondStepOff: 'Désactivée',
  passkeys: 'Clés d’accès',
  countedPasskeys: (count) =>
    count === 0
      ? 'Aucune clé d’accès'
      : plural('fr', count, { one: `${count} clé d’accès`, other: `${count} clés d’accès` }),
  providers: 'Fournisseurs associés',
  countedProviders: (count) =>
    count === 0
      ? 'Aucun fournisseur'
      : plural('fr', count, { one: `${count} fournisseur`, other: `${count} fournisseurs` }),
  sessions: 'Sessions ouvertes',
  countedSessions: (count) =>
    plural('fr', count, {
      one: `Connecté dans ${count} navigateur`,
      other: `Connecté dans ${count} navigateurs`,
    }),
  applications: 'Vos applications',
  applicationsText: 'Ce que vous avez autorisé des applications à faire en votre nom, et comment y mettre fin.',
  consentRequests: 'Demandes d’accord adressées aux administrateurs',
  organisations: 'Vos organisations',
  noOrganisation: 'Vous n’appartenez encore à aucune organisation.',
  roleHere: (role) => `Votre rôle ici : ${role}`,
  toPortal: 'Accéder au portail',
  portalOf: (tenant) => `Portail de ${tenant}`,
  delete: 'Supprimer ce compte',
  language: 'Langue',
  languageHint: 'Pour les pages que vous voyez une fois connecté et pour les e-mails que vous recevez.',
  ofBrowser: 'Celle du navigateur',
  save: 'Enregistrer',
  done: {
    details: 'Vos informations sont enregistrées.',
    requested:
      'Vos informations sont enregistrées. L’adresse changera lorsque vous ouvrirez le lien qui vient d’y être envoyé ; d’ici là, l’adresse actuelle reste valable.',
    waiting:
      'Vos informations sont enregistrées. L’adresse changera lorsqu’un administrateur de votre organisation l’aura confirmée ; d’ici là, l’adresse actuelle reste valable.',
    email: 'Votre adresse est confirmée.',
    password:
      'Votre mot de passe est modifié. Tous les autres navigateurs sont déconnectés, et les applications devront vous redemander votre autorisation.',
    'second-factor-off':
      'La seconde étape est désactivée. Tous les autres navigateurs sont déconnectés, et les applications devront vous redemander votre autorisation.',
    passkey: 'La clé d’accès est enregistrée.',
    'passkey-renamed': 'La clé d’accès porte son nouveau nom.',
    'passkey-removed':
      'La clé d’accès est supprimée. Les autres navigateurs connectés avec une clé d’accès sont déconnectés.',
    'provider-linked': 'Le fournisseur est associé : vous pouvez désormais l’utiliser pour vous connecter.',
    'provider-unlinked':
      'Le fournisseur est dissocié. Les autres navigateurs connectés par un fournisseur sont déconnectés.',
    session: 'Ce navigateur est déconnecté.',
  },
  details: {
    workMail:
      'Messages sur ce qui m’attend : demandes de consentement, consentements accordés, clés privées qui expirent',
    emailHint: 'Elle vous sert à vous connecter. Une nouvelle adresse est valable une fois confirmée.',
    unconfirmed:
      'Cette adresse n’a pas encore été confirmée ; elle n’est donc pas communiquée aux applications. Enregistrez pour la faire confirmer.',
  },
  confirmEmail: {
    title: 'Confirmez votre adresse',
    intro: 'Elle vous servira ensuite à vous connecter.',
    becomes: (email) => ['L’adresse de ce compte devient ', email, '.'],
    replaces: (email, former) => ['L’adresse de ce compte devient ', email, ' à la place de ', former, '.'],
    confirm: 'Confirmer l’adresse',
  },
  deletion: {
    intro: 'Cette action est irréversible.',
    consequence:
      'Vous êtes déconnecté partout, les applications perdent ce que vous leur avez autorisé, et vos appartenances, vos clés d’accès et votre profil sont supprimés.',
    type: 'Pour confirmer, saisissez ceci',
    wrong: 'Cela ne correspond pas à ce qui figure ci-dessus.',
    delete: 'Supprimer le compte',
    onlyOwner:
      'Vous êtes le seul propriétaire d’une organisation. Quelqu’un d’autre doit d’abord en devenir propriétaire.',
  },
  password: {
    title: 'Modifier votre mot de passe',
    intro:
      'Tous les autres navigateurs seront déconnectés, et les applications devront vous redemander votre autorisation.',
    current: 'Mot de passe actuel',
    change: 'Modifier le mot de passe',
    none: 'Ce compte n’a pas de mot de passe. Demandez à un administrateur un lien pour en choisir un.',
  },
  passkey: {
    intro:
      'Une clé d’accès vous connecte avec votre empreinte digitale, votre visage ou une clé de sécurité : rien à retenir, rien à voler.',
    notSaved: 'Cette clé d’accès n’a pas pu être enregistrée. Réessayez.',
    none: 'Vous n’avez pas encore de clé d’accès.',
    add: 'Ajouter une clé d’accès',
    unavailable: 'Ce navigateur ne connaît pas les clés d’accès ou n’exécute pas de scripts.',
    nameHint: 'Pour la reconnaître, par exemple « Téléphone ».',
    notMade: 'Aucune clé d’accès n’a été créée. Réessayez.',
    made: (when) => ['Créée le ', when, ' · pas encore utilisée'],
    madeAndUsed: (when, used) => ['Créée le ', when, ' · dernière utilisation le ', used],
    rename: 'Renommer',
    newName: 'Nouveau nom',
    saveName: 'Enregistrer le nom',
    remove: 'Supprimer',
    proposed: 'Clé d’accès',
  },
  secondFactor: {
    turnOnTitle: 'Activer la seconde étape',
    turnOnIntro:
      'Après votre mot de passe, vous saisirez un code affiché par une application d’authentification sur votre téléphone.',
    first: '1. Ajoutez Portcullis à votre application',
    scan: 'Scannez cette image avec l’application ou saisissez la clé à la main.',
    key: 'Clé',
    picture: 'Code QR de la clé',
    second: '2. Saisissez le code qu’elle affiche',
    isOn: 'La seconde étape est activée',
    newCodes: 'Nouveaux codes de récupération',
    keep: 'Conservez ces codes de récupération',
    keepText:
      'Chacun permet de vous connecter une fois lorsque vous n’avez pas votre téléphone. Ils ne s’affichent que maintenant : imprimez-les ou placez-les dans votre gestionnaire de mots de passe.',
    formerCodes: 'Vos codes précédents ne fonctionnent plus.',
    kept: 'Je les ai conservés',
    copy: 'Copier',
    copied: 'Copié',
    download: 'Télécharger',
    manageIntro: 'Elle est activée : la connexion demande votre mot de passe et un code.',
    codes: 'Codes de récupération',
    codesText: 'De nouveaux codes remplacent ceux que vous avez.',
    showNew: 'Afficher de nouveaux codes de récupération',
    off: 'La désactiver',
    offText:
      'Le mot de passe suffira alors. Tous les autres navigateurs seront déconnectés, et les applications devront vous redemander votre autorisation.',
    turnOff: 'Désactiver la seconde étape',
  },
  session: {
    intro: 'Les navigateurs dans lesquels vous êtes connecté.',
    thisBrowser: 'ce navigateur',
    lastUsed: (when, address) => ['Dernière utilisation le ', when, ` depuis ${address}`],
    signedIn: (when) => ['Connecté le ', when],
    signOutOf: (browser) => `Déconnecter ${browser}`,
    everywhere: 'Partout',
    everywhereText:
      'Met fin à toutes ces sessions, y compris celle-ci, et à ce que les applications détiennent en votre nom.',
    signOutEverywhere: 'Se déconnecter partout',
    someBrowser: 'Un navigateur',
    browserOn: (browser, system) => `${browser} sous ${system}`,
  },
  provider: {
    intro: 'Les autres fournisseurs avec lesquels vous pouvez vous connecter.',
    none: 'Aucun fournisseur n’est encore associé.',
    linked: (when) => ['Associé le ', when],
    link: 'Associer',
    unlink: 'Dissocier',
    byLink: {
      title: 'Se connecter avec le compte de votre organisation',
      intro: (tenant, address) =>
        `Un administrateur de ${tenant} indique que vous êtes ${address} chez un fournisseur. Connectez-vous-y une fois avec ce compte ; il vous ouvrira ensuite ${tenant}.`,
      none: 'Il n’y a actuellement aucun fournisseur de ce genre. Adressez-vous à un administrateur.',
    },
    kept: (tenant) => `Géré par ${tenant} : ses administrateurs indiquent quel compte y est le vôtre.`,
    linkTitle: (provider) => `Associer ${provider}`,
    linkIntro: (host) => `Vous vous connectez chez ${host} et revenez ici.`,
    goOn: (provider) => `Continuer vers ${provider}`,
  },
}
