// What mails say, in Spanish.

import type { Texts } from '../english/texts.js'
import { plural } from '../plural.js'

export const mails: Texts['mails'] = {
  invitation: (host, url, name) => ({
    subject: `Invitación a ${host}`,
    text: `Ha recibido una invitación para unirse a ${name === undefined ? `una organización en ${host}` : `la organización «${name}» en ${host}`}.\n\nAbra este enlace para aceptarla. Funciona una sola vez, durante siete días:\n${url}\n\nSi no esperaba este mensaje, ignórelo: no ocurrirá nada.\n`,
  }),
  passwordReset: (host, url) => ({
    subject: `Una contraseña nueva en ${host}`,
    text: `Alguien, probablemente usted, ha solicitado una contraseña nueva en ${host}.\n\nAbra este enlace para elegirla. Funciona una sola vez, durante una hora:\n${url}\n\nSi no fue usted, ignore este mensaje: su contraseña seguirá siendo la misma.\n`,
  }),
  confirmEmail: (host, url) => ({
    subject: `Confirme su correo electrónico en ${host}`,
    text: `Una cuenta de ${host} solicita esta dirección de correo electrónico.\n\nSi la cuenta es suya, abra este enlace en el navegador en el que ha iniciado sesión. Funciona durante un día:\n${url}\n\nSi no lo es, ignore este mensaje: no ocurrirá nada.\n`,
  }),
  addressInUse: (host) => ({
    subject: `Su correo electrónico en ${host}`,
    text: `Alguien ha intentado usar en ${host} esta dirección de correo electrónico para otra cuenta. Ya pertenece a una cuenta, por lo que no se ha cambiado nada.\n\nSi fue usted, inicie sesión con esta dirección.\n`,
  }),
  addressChanged: (host) => ({
    subject: `Se ha cambiado su correo electrónico en ${host}`,
    text: `A partir de ahora, su cuenta de ${host} tiene otra dirección de correo electrónico; con esta ya no se puede iniciar sesión.\n\nSi no fue usted, avise de inmediato a un administrador de su organización.\n`,
  }),
  manyFailures: (host, url) => ({
    subject: `Muchos intentos fallidos de iniciar sesión en su cuenta de ${host}`,
    text: `Alguien ha probado muchas contraseñas incorrectas para su cuenta de ${host}. Ninguna era la correcta. Durante una hora, los navegadores en los que usted nunca ha iniciado sesión tendrán que esperar.\n\nUsted puede iniciar sesión como siempre en un navegador que ya haya usado, con una llave de acceso o con un enlace para elegir una contraseña nueva:\n${url}\n\nSi su contraseña es corta o la usa también en otros lugares, cámbiela.\n`,
  }),
  newSignIn: (host, url, when) => ({
    subject: `Nuevo inicio de sesión en su cuenta de ${host}`,
    text: `Alguien ha iniciado sesión en su cuenta de ${host} con un navegador nuevo: ${when}.\n\nSi ha sido usted, no tiene que hacer nada. Si no, elija una contraseña nueva y termine esa sesión:\n${url}\n`,
  }),
  accountChanged: (host, url, what) => ({
    subject: `Su cuenta de ${host} ha cambiado`,
    text: `${what}\n\nSi ha sido usted, no tiene que hacer nada. Si no, elija una contraseña nueva, cierre la sesión en todas partes y avise a un administrador de su organización en ${host}:\n${url}\n`,
  }),
  changes: {
    secondFactorAdded: 'Se han configurado códigos de una aplicación como segundo factor de su cuenta.',
    secondFactorRemoved: 'Los códigos de una aplicación ya no pertenecen a su cuenta.',
    recoveryCodesRenewed: 'Su cuenta tiene nuevos códigos de recuperación; los anteriores ya no sirven.',
    recoveryCodeUsed: 'Se ha usado un código de recuperación de su cuenta.',
    passkeyAdded: 'Se ha añadido una llave de acceso a su cuenta.',
    passkeyRemoved: 'Se ha quitado una llave de acceso de su cuenta.',
    passwordChanged: 'Se ha cambiado la contraseña de su cuenta.',
    providerLinked: 'Se ha vinculado otro proveedor a su cuenta: desde ahora permite iniciar sesión en ella.',
    providerUnlinked: 'Se ha desvinculado un proveedor de su cuenta.',
  },
  moreChanges: 'Hubo más cambios como este; no se avisa de cada uno. Su cuenta muestra lo que vale ahora.',
  consentGranted: (host, url) => ({
    subject: `Una aplicación tiene más permisos en ${host}`,
    text: `Un administrador de su organización en ${host} ha dado su consentimiento, en nombre de todos, a lo que una aplicación puede hacer.\n\nVea qué aplicaciones tienen acceso:\n${url}\n\nRecibe este mensaje como administrador; puede desactivarlos en los datos de su cuenta.\n`,
  }),
  consentWaits: (host, url) => ({
    subject: `Una solicitud de consentimiento espera en ${host}`,
    text: `Alguien de su organización en ${host} pide consentimiento para lo que una aplicación puede hacer.\n\nDecida:\n${url}\n\nRecibe este mensaje como administrador; puede desactivarlos en los datos de su cuenta.\n`,
  }),
  secretEnds: (host, url, days) => ({
    subject: `Una clave privada termina pronto en ${host}`,
    text: `Una clave privada de una aplicación en ${host} termina en ${days === 1 ? 'un día' : `${days} días`}. Con ella la aplicación ya no obtendrá tokens.\n\nCree una nueva a tiempo:\n${url}\n\nRecibe este mensaje porque se ocupa de la aplicación; puede desactivarlos en los datos de su cuenta.\n`,
  }),
  newOrigins: (host, url, { name, origins, applications }) => {
    const given = plural('es', applications, { one: 'una aplicación', other: `${applications} aplicaciones` })
    const sites = plural('es', origins, { one: 'un sitio nuevo', other: `${origins} sitios nuevos` })
    const where = name === undefined ? `de su organización en ${host}` : `de la organización «${name}» en ${host}`
    return {
      subject: `Nuevas direcciones de redirección en ${host}`,
      text: `Alguien ha dado a ${given} ${where} direcciones de redirección en ${sites}. Quienes inician sesión allí son enviados a ellas, y el dueño de un sitio así sabe quiénes son.\n\nRecibe este mensaje porque administra la organización. Vea qué sitios son y quién los añadió, y elimine los que no conozca:\n${url}\n`,
    }
  },
  foot: {
    from: (server, host) => `Este mensaje es de ${server}, en ${host}.`,
    about: (name) => `Se refiere a la organización «${name}».`,
    both: (from, about) => `${from} ${about}`,
    itsAddresses: 'La propia organización indica estas direcciones:',
    address: (label, url) => `${label}: ${url}`,
  },
}
