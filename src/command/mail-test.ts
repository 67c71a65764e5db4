import { ConfigError } from '../config.ts'
import { sendTestMessage } from '../domain/administration/mail.ts'
import { isEmailAddress, readEmailAddress } from '../domain/email-address.ts'
import { withService } from './service.ts'

/** `mail test <address>`: sends a message through the mail server, and says what became of it. */
export async function run(written: string): Promise<void> {
  const address = readEmailAddress(written)
  if (!isEmailAddress(address))
    throw new ConfigError(`${written} is not a valid email address. Example: ann@example.org`)
  await withService(async ({ services }) => {
    const { hasMailServer, mailFrom } = services
    try {
      await sendTestMessage(services, address, 'canvass mail test', new Date())
    } catch (error) {
      throw new ConfigError(
        `The message was not sent: ${(error as Error).message}. Run "canvass doctor", which checks the connection step by step.`,
      )
    }
    console.log(
      hasMailServer
        ? `The mail server accepted the message to ${address}, from ${mailFrom.address}. Look for it in the mailbox, also under spam.`
        : 'There is no mail server (SMTP_URL), so the message was not sent, only stored in DATA_DIR/outbox.',
    )
  })
}
