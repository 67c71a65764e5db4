import { recordReturnedMail } from '../../domain/email/bounce.ts'
import { MAX_BOUNCE_BYTES } from '../../lib/bounce-message.ts'
import type { Task } from '../task.ts'

export const readBounces: Task<'read-bounces'> = async (context, _payload, signal) => {
  // A worker without BOUNCE_IMAP_URL in its settings does nothing. The job was created by a worker that has or had it.
  await context.services.bounceMailbox?.read(
    async (source) => {
      const result = await recordReturnedMail({ ...context, em: context.em.fork() }, source)
      return result === 'foreign' ? 'foreign' : result === 'early' ? 'later' : 'handled'
    },
    MAX_BOUNCE_BYTES,
    signal,
  )
}
