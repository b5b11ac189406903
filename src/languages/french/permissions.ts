// The permissions of the management API, in plain words for those who consent.

import type { Texts } from '../english/texts.js'

export const permissions: Texts['permissions'] = {
  'Application.Read.All': 'Lire les applications enregistrées dans l’organisation',
  'Application.ReadWrite.All':
    'Enregistrer, modifier et supprimer des applications de l’organisation, et leur donner des identifiants secrets',
  'Usage.Read.All': 'Lire comment les applications de l’organisation sont utilisées',
  'Tenant.Read.All': 'Lire les paramètres de l’organisation',
  'Tenant.ReadWrite.All': 'Modifier les paramètres de l’organisation',
  'Consent.Read.All': 'Lire les consentements dans l’organisation et les demandes de consentement',
  'Consent.ReadWrite.All': 'Accorder et retirer le consentement dans l’organisation, et décider des demandes',
  'Member.Read.All': 'Lire qui appartient à l’organisation',
  'Member.ReadWrite.All': 'Inviter, modifier et retirer des personnes de l’organisation',
  'AuditLog.Read.All': 'Lire ce qui a été fait dans l’organisation',
  'Event.ReadWrite.All': 'Envoyer les événements de l’organisation à d’autres services',
  'Server.Read': 'Voir toutes les organisations, les clés de signature, les routes et l’état de ce serveur',
  'Server.ReadWrite': 'Créer des organisations et renouveler les clés de signature de ce serveur',
}
