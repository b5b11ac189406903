// What mails say, in French.

import type { Texts } from '../english/texts.js'
import { plural } from '../plural.js'

export const mails: Texts['mails'] = {
  invitation: (host, url, name) => ({
    subject: `Invitation à ${host}`,
    text: `Vous êtes invité à rejoindre ${name === undefined ? `une organisation sur ${host}` : `l’organisation « ${name} » sur ${host}`}.\n\nOuvrez ce lien pour accepter. Il fonctionne une seule fois, pendant sept jours :\n${url}\n\nSi vous n’attendiez pas ce message, ignorez-le : il ne se passera rien.\n`,
  }),
  passwordReset: (host, url) => ({
    subject: `Un nouveau mot de passe sur ${host}`,
    text: `Quelqu’un, probablement vous, a demandé un nouveau mot de passe sur ${host}.\n\nOuvrez ce lien pour en choisir un. Il fonctionne une seule fois, pendant une heure :\n${url}\n\nSi ce n’était pas vous, ignorez ce message : votre mot de passe reste le même.\n`,
  }),
  confirmEmail: (host, url) => ({
    subject: `Confirmez votre adresse e-mail sur ${host}`,
    text: `Un compte sur ${host} demande à utiliser cette adresse e-mail.\n\nSi ce compte est le vôtre, ouvrez ce lien dans le navigateur où vous êtes connecté. Il fonctionne pendant une journée :\n${url}\n\nSinon, ignorez ce message : il ne se passera rien.\n`,
  }),
  addressInUse: (host) => ({
    subject: `Votre adresse e-mail sur ${host}`,
    text: `Quelqu’un a essayé, sur ${host}, d’utiliser cette adresse e-mail pour un autre compte. Elle appartient déjà à un compte ; rien n’a donc été modifié.\n\nSi c’était vous, connectez-vous plutôt avec cette adresse.\n`,
  }),
  addressChanged: (host) => ({
    subject: `Votre adresse e-mail sur ${host} a été modifiée`,
    text: `Votre compte sur ${host} a désormais une autre adresse e-mail ; celle-ci ne permet plus de se connecter.\n\nSi ce n’était pas vous, prévenez immédiatement un administrateur de votre organisation.\n`,
  }),
  manyFailures: (host, url) => ({
    subject: `De nombreux échecs de connexion à votre compte sur ${host}`,
    text: `Quelqu’un a essayé de nombreux mots de passe erronés pour votre compte sur ${host}. Aucun n’était le bon. Pendant une heure, les navigateurs dans lesquels vous ne vous êtes jamais connecté doivent attendre.\n\nVous pouvez vous connecter comme d’habitude dans un navigateur que vous avez déjà utilisé, avec une clé d’accès, ou à l’aide d’un lien pour choisir un nouveau mot de passe :\n${url}\n\nSi votre mot de passe est court ou utilisé ailleurs, changez-le.\n`,
  }),
  newSignIn: (host, url, when) => ({
    subject: `Nouvelle connexion à votre compte sur ${host}`,
    text: `Quelqu’un s’est connecté à votre compte sur ${host} avec un nouveau navigateur : ${when}.\n\nSi c’était vous, il n’y a rien à faire. Sinon, choisissez un nouveau mot de passe et mettez fin à cette session :\n${url}\n`,
  }),
  accountChanged: (host, url, what) => ({
    subject: `Votre compte sur ${host} a été modifié`,
    text: `${what}\n\nSi c’était vous, il n’y a rien à faire. Sinon, choisissez un nouveau mot de passe, déconnectez-vous partout et prévenez un administrateur de votre organisation sur ${host} :\n${url}\n`,
  }),
  changes: {
    secondFactorAdded: 'Les codes d’une application ont été configurés comme second facteur de votre compte.',
    secondFactorRemoved: 'Les codes d’une application ne font plus partie de votre compte.',
    recoveryCodesRenewed: 'Votre compte a de nouveaux codes de récupération ; les précédents ne fonctionnent plus.',
    recoveryCodeUsed: 'Un code de récupération de votre compte a été utilisé.',
    passkeyAdded: 'Une clé d’accès a été ajoutée à votre compte.',
    passkeyRemoved: 'Une clé d’accès a été supprimée de votre compte.',
    passwordChanged: 'Le mot de passe de votre compte a été modifié.',
    providerLinked: 'Un autre fournisseur a été associé à votre compte : il permet désormais de s’y connecter.',
    providerUnlinked: 'Un fournisseur a été dissocié de votre compte.',
  },
  moreChanges:
    'D’autres modifications du même genre ont eu lieu ; elles ne sont pas toutes annoncées. Votre compte montre ce qui est en vigueur.',
  consentGranted: (host, url) => ({
    subject: `Une application a reçu plus d’autorisations sur ${host}`,
    text: `Un administrateur de votre organisation sur ${host} a consenti pour tous à ce qu’une application peut faire.\n\nVoyez quelles applications ont un accès :\n${url}\n\nVous recevez ceci comme administrateur ; vous pouvez désactiver ces messages dans les informations de votre compte.\n`,
  }),
  consentWaits: (host, url) => ({
    subject: `Une demande de consentement attend sur ${host}`,
    text: `Une personne de votre organisation sur ${host} demande un consentement à ce qu’une application peut faire.\n\nDécidez :\n${url}\n\nVous recevez ceci comme administrateur ; vous pouvez désactiver ces messages dans les informations de votre compte.\n`,
  }),
  secretEnds: (host, url, days) => ({
    subject: `Une clé privée expire bientôt sur ${host}`,
    text: `Une clé privée d’une application sur ${host} expire dans ${days === 1 ? 'un jour' : `${days} jours`}. L’application n’obtiendra alors plus de jetons avec elle.\n\nCréez-en une nouvelle à temps :\n${url}\n\nVous recevez ceci parce que vous vous occupez de l’application ; vous pouvez désactiver ces messages dans les informations de votre compte.\n`,
  }),
  newOrigins: (host, url, { name, origins, applications }) => {
    const given = plural('fr', applications, { one: 'une application', other: `${applications} applications` })
    const sites = plural('fr', origins, { one: 'un nouveau site', other: `${origins} nouveaux sites` })
    const where = name === undefined ? `de votre organisation sur ${host}` : `de l’organisation « ${name} » sur ${host}`
    return {
      subject: `Nouvelles adresses de redirection sur ${host}`,
      text: `Quelqu’un a donné à ${given} ${where} des adresses de redirection sur ${sites}. Les personnes qui s’y connectent y sont envoyées, et le propriétaire d’un tel site apprend qui elles sont.\n\nVous recevez ce message en tant qu’administrateur. Voyez de quels sites il s’agit et qui les a ajoutés, et supprimez ceux que vous ne connaissez pas :\n${url}\n`,
    }
  },
  foot: {
    from: (server, host) => `Ce message vient de ${server}, sur ${host}.`,
    about: (name) => `Il concerne l’organisation « ${name} ».`,
    both: (from, about) => `${from} ${about}`,
    itsAddresses: 'L’organisation indique elle-même ces adresses :',
    address: (label, url) => `${label} : ${url}`,
  },
}
