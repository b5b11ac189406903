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
  newOrigins: (host, url, { name, origins, applications }) => {
    const given = plural('es', applications, { one: 'una aplicación', other: `${applications} aplicaciones` })
    const sites = plural('es', origins, { one: 'un sitio nuevo', other: `${origins} sitios nuevos` })
    const where = name === undefined ? `de su organización en ${host}` : `de la organización «${name}» en ${host}`
    return {
      subject: `Nuevas direcciones de redirección en ${host}`,
      text: `Alguien ha dado a ${given} ${where} direcciones de redirección en ${sites}. Quienes inician sesión allí son enviados a ellas, y el dueño de un sitio así sabe quiénes son.\n\nRecibe este mensaje porque administra la organización. Vea qué sitios son y quién los añadió, y elimine los que no conozca:\n${url}\n`,
    }
  },
}
