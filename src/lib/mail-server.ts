import { rootCertificates } from 'node:tls'
import { isLoopbackHost } from './network.ts'

/** How TLS is used with a mail server. */
export const MAIL_TLS = ['auto', 'required', 'unverified', 'off'] as const

/** A mail server, as the settings describe it. */
export interface MailServer {
  /** `smtp://user:password@host:port` or `smtps://…`; its parameters override the other members. */
  url: string
  /**
   * For `smtp://`. `auto`: STARTTLS if the server offers it, with a valid certificate unless the server is on this
   * machine; `required`: also if it does not offer it; `unverified`: any certificate; `off`: no STARTTLS.
   */
  tls: (typeof MAIL_TLS)[number]
  /** Certificates of authorities that are trusted in addition, as PEM. */
  ca?: string | undefined
  /** The name of this server in its greeting (EHLO). */
  name?: string | undefined
}

/** Returns the options of nodemailer for a mail server, for a message as for a check. */
export function transportOptions({ url, tls, ca, name }: MailServer) {
  const acceptsAny = tls === 'unverified' || (tls === 'auto' && isLoopbackHost(new URL(url).hostname))
  return {
    url,
    ...(name && { name }),
    ...(tls === 'off' && { ignoreTLS: true }),
    ...(tls === 'required' && { requireTLS: true }),
    tls: { ...(acceptsAny && { rejectUnauthorized: false }), ...(ca && { ca: [...rootCertificates, ca] }) },
  }
}
