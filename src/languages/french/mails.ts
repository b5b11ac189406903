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
  newOrigins: (host, url, { name, origins, applications }) => {
    const given = plural('fr', applications, { one: 'une application', other: `${applications} applications` })
    const sites = plural('fr', origins, { one: 'un nouveau site', other: `${origins} nouveaux sites` })
    const where = name === undefined ? `de votre organisation sur ${host}` : `de l’organisation « ${name} » sur ${host}`
    return {
      subject: `Nouvelles adresses de redirection sur ${host}`,
      text: `Quelqu’un a donné à ${given} ${where} des adresses de redirection sur ${sites}. Les personnes qui s’y connectent y sont envoyées, et le propriétaire d’un tel site apprend qui elles sont.\n\nVous recevez ce message en tant qu’administrateur. Voyez de quels sites il s’agit et qui les a ajoutés, et supprimez ceux que vous ne connaissez pas :\n${url}\n`,
    }
  },
}
