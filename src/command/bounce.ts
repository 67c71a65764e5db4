import { readRecipients } from '../config.ts'
import { recordReturnedMail } from '../domain/email/bounce.ts'
import { readStart } from '../lib/bounce-message.ts'
import { withService } from './service.ts'

/** With this exit code, Postfix, Exim and others run the command again later (sysexits.h, EX_TEMPFAIL). */
const TRY_AGAIN = 75

/**
 * `bounce`: records a message to `BOUNCE_ADDRESS` from the standard input. Prints nothing, because mail servers send the
 * output of a command back. If the message cannot be recorded now, the mail server is to run the command again.
 */
export async function run(recipients: readonly string[]): Promise<void> {
  try {
    const source = await readStart(process.stdin)
    const result = await withService(({ orm, services }) =>
      recordReturnedMail({ em: orm.em.fork(), now: new Date(), services }, source, [
        ...recipients,
        ...readRecipients(),
      ]),
    )
    if (result === 'early') process.exitCode = TRY_AGAIN
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = TRY_AGAIN
  }
}
