// What the rooms below refuse, in French.

import type { Texts } from '../english/texts.js'

export const refusals: Texts['refusals'] = {
  NoPassword: 'Ce compte n’a pas de mot de passe.',
  WrongPassword: 'Ce n’est pas votre mot de passe actuel.',
  WrongCode: 'Ce code est erroné ou n’est plus valable.',
  InvalidEmail: 'Ce n’est pas une adresse e-mail.',
  EmailTaken: 'Cette adresse e-mail appartient déjà à quelqu’un.',
  OtherPerson: 'Cette invitation est destinée à une autre adresse e-mail : connectez-vous avec celle-ci.',
  HasOwner: 'Il y a déjà un propriétaire : demandez-lui une invitation.',
  AlreadyMember: 'Cette personne est déjà membre de l’organisation.',
  TenantDisabled: 'L’organisation est désactivée.',
  TenantNeeded: 'Donnez un nom à l’organisation.',
  UserDisabled: 'Ce compte est désactivé.',
  SessionNotFound: 'Cette session est terminée.',
  PasskeyNotFound: 'Cette clé d’accès n’existe pas.',
  NoSecondFactor: 'Il n’y a pas de second facteur.',
  SecondFactorExists: 'Il y a déjà un second facteur.',
  ProviderNotLinked: 'Ce fournisseur n’est pas associé.',
  LinkedBefore:
    'Cette organisation laisse entrer par un fournisseur que vous avez associé vous-même auparavant. Dissociez-le sur la page de votre compte, rouvrez ce lien et demandez à un administrateur un lien vers le fournisseur.',
  OtherAddress:
    'Le fournisseur ne confirme pas l’adresse pour laquelle ce lien a été créé. Connectez-vous-y avec ce compte, ou demandez un lien pour une autre adresse.',
  ProviderNotTaken: 'Votre organisation n’accepte pas les connexions par ce fournisseur.',
  TenantKeepsLink:
    'L’une de vos organisations laisse entrer par ce fournisseur ; seuls ses administrateurs l’associent : adressez-vous à l’un d’eux.',
  SecondFactorRequired: 'Ce compte doit avoir un second facteur : configurez-en un autre avant de supprimer celui-ci.',
  OnlyWayIn: 'C’est votre seul moyen de vous connecter. Ajoutez d’abord une clé d’accès.',
  password: {
    short: (least) => `Un mot de passe comporte au moins ${least} caractères.`,
    long: (most) => `Un mot de passe comporte au plus ${most} octets.`,
    common:
      'Ce mot de passe fait partie des premiers que l’on essaie. Choisissez-en un autre, par exemple quelques mots sans rapport entre eux.',
    personal:
      'Un mot de passe ne doit contenir ni votre adresse e-mail, même en partie, ni votre nom, ni celui de votre organisation ou de ce service.',
    leaked: 'Ce mot de passe figure dans une liste de mots de passe divulgués. Choisissez-en un autre.',
  },
}
