// The permissions of the management API, in plain words for those who consent.

import type { Texts } from '../english/texts.js'

export const permissions: Texts['permissions'] = {
  'Application.Read.All': 'Leer las aplicaciones registradas en la organización',
  'Application.ReadWrite.All': 'Registrar, cambiar y eliminar aplicaciones de la organización, y darles credenciales',
  'Usage.Read.All': 'Leer cómo se usan las aplicaciones de la organización',
  'Tenant.Read.All': 'Leer la configuración de la organización',
  'Tenant.ReadWrite.All': 'Cambiar la configuración de la organización',
  'Consent.Read.All': 'Leer los consentimientos de la organización y las solicitudes de consentimiento',
  'Consent.ReadWrite.All': 'Conceder y retirar el consentimiento en la organización, y decidir sobre las solicitudes',
  'Member.Read.All': 'Leer quién pertenece a la organización',
  'Member.ReadWrite.All': 'Invitar, cambiar y quitar a personas de la organización',
  'AuditLog.Read.All': 'Leer lo que se ha hecho en la organización',
  'Event.ReadWrite.All': 'Enviar los eventos de la organización a otros servicios',
  'Server.Read': 'Ver todas las organizaciones, las claves de firma, las rutas y el estado de este servidor',
  'Server.ReadWrite': 'Crear organizaciones y renovar las claves de firma de este servidor',
}
